"""Batches: which seats an annotator got, and the answers."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy

from accounts.models import new_token
from shared.constraints import unique
from validation.models.labels import Label
from validation.models.questions import Question


class Assignment(models.Model):
    """A batch of pairs that one annotator claimed."""

    question = models.ForeignKey(Question, on_delete=models.PROTECT)
    annotator = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    token = models.CharField(max_length=22, unique=True, default=new_token, editable=False)
    leased_until = models.DateTimeField()
    has_calibration = models.BooleanField(
        default=False, help_text="whether some slots hold calibration items"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    closed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            unique("one_open_batch_an_annotator", "question", "annotator", where=Q(closed_at=None))
        ]


class DraftAnswer(models.Model):
    """A choice that an annotator has made and not submitted yet, so that they can continue on another device.

    `slot`: the token of the seat or of the calibration answer. A draft is not an answer: it earns no pay and counts
    nowhere.
    """

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="drafts")
    slot = models.CharField(max_length=22)
    label = models.CharField(max_length=20, blank=True)
    skip_reason = models.CharField(max_length=10, blank=True)
    reason = models.TextField(blank=True)
    active_ms = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        constraints = [unique("one_draft_a_place_in_batch", "assignment", "slot")]


class BatchItem(models.Model):
    """One pair of a batch, with the answer or the reason to skip."""

    class SkipReason(models.TextChoices):
        UNCLEAR = "unclear", gettext_lazy("I cannot tell what it means")
        LANGUAGE = "language", gettext_lazy("It is not in the right language")
        UPSETTING = "upsetting", gettext_lazy("I would rather not read this")
        OTHER = "other", gettext_lazy("Another reason")

    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="items")
    seat = models.ForeignKey(Label, on_delete=models.PROTECT, related_name="handed_out")
    order = models.PositiveSmallIntegerField()
    answer = models.CharField(max_length=20, null=True, blank=True)
    active_ms = models.PositiveIntegerField(null=True, blank=True)
    skip_reason = models.CharField(max_length=10, choices=SkipReason.choices, null=True, blank=True)
    lost = models.BooleanField(
        default=False, help_text="whether somebody else got the seat before this annotator answered"
    )

    class Meta:
        ordering = ["order"]
        constraints = [
            unique("one_item_a_place_in_batch", "assignment", "order"),
            unique("one_item_a_seat_in_batch", "assignment", "seat"),
        ]
