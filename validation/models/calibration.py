"""Calibration items: texts with an expert's label that are mixed into batches and belong to no pair.

See docs/decisions/0006.
"""

import hashlib

from django.conf import settings
from django.db import models
from django.db.models import Q

from accounts.models import new_token
from nli.labels import SCHEME_CHOICES
from shared.constraints import check, label_fits_scheme, unique
from validation.models.batches import Assignment, BatchItem
from validation.models.questions import Question


class CalibrationItem(models.Model):
    """A premise and a hypothesis with a known label, from the corpus file. Each line of the premise is one sentence."""

    question = models.ForeignKey(Question, on_delete=models.PROTECT, related_name="calibration")
    digest = models.CharField(max_length=64, editable=False, help_text="of premise and hypothesis")
    premise = models.TextField()
    hypothesis = models.TextField()
    scheme = models.CharField(max_length=20, choices=SCHEME_CHOICES)
    label = models.CharField(max_length=20, help_text="the expert's")
    comment = models.TextField(blank=True, help_text="why the label is right, for researchers")
    is_open = models.BooleanField(default=True, help_text="whether batches may contain it; its answers stay")

    class Meta:
        constraints = [
            unique("calibration_item_known_once", "question", "digest"),
            check("calibration_label_fits_scheme", label_fits_scheme("label")),
            check("calibration_item_has_texts", ~Q(premise="") & ~Q(hypothesis="")),
        ]

    def __str__(self) -> str:
        return self.hypothesis

    @staticmethod
    def digest_of(premise: str, hypothesis: str) -> str:
        return hashlib.sha256(f"{premise}\0{hypothesis}".encode()).hexdigest()


class CalibrationAnswer(models.Model):
    """A calibration item in one annotator's batch, with the answer. It has no seat and is not a label."""

    item = models.ForeignKey(CalibrationItem, on_delete=models.PROTECT, related_name="answers")
    annotator = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="calibration")
    order = models.PositiveSmallIntegerField(help_text="its position in the batch")
    token = models.CharField(max_length=22, unique=True, default=new_token, editable=False)
    answer = models.CharField(max_length=20, null=True, blank=True)
    reason = models.TextField(blank=True, help_text="why, in the annotator's words")
    active_ms = models.PositiveIntegerField(null=True, blank=True)
    skip_reason = models.CharField(max_length=10, choices=BatchItem.SkipReason.choices, null=True, blank=True)
    answered_at = models.DateTimeField(null=True, blank=True)
    first_answer = models.CharField(
        max_length=20, null=True, blank=True, help_text="what they answered before they corrected it"
    )
    corrected_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            # Nobody gets an item twice, not even one that they skipped.
            unique("one_meeting_with_a_calibration_item", "annotator", "item"),
            check(
                "calibration_answer_has_a_time",
                Q(answer=None, answered_at=None) | Q(answer__isnull=False, answered_at__isnull=False),
            ),
            check("calibration_answered_or_skipped", Q(answer=None) | Q(skip_reason=None)),
            check(
                "calibration_correction_keeps_the_first",
                Q(first_answer=None, corrected_at=None)
                | Q(first_answer__isnull=False, corrected_at__isnull=False, answer__isnull=False),
            ),
        ]

    @property
    def waits(self) -> bool:
        return self.answer is None and self.skip_reason is None
