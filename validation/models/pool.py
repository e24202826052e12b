"""Who labels under a question, and who no longer does."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from collection.models import Corpus
from validation.models.questions import Question


class Membership(models.Model):
    """Who is in a question's pool, and where in the order of seats they stand."""

    class Status(models.TextChoices):
        ACTIVE = "active"
        PAUSED = "paused"
        EXCLUDED = "excluded"

    question = models.ForeignKey(Question, on_delete=models.PROTECT, related_name="memberships")
    annotator = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    status = models.CharField(max_length=8, choices=Status.choices, default=Status.ACTIVE)
    cursor = models.PositiveIntegerField(default=0, help_text="the turn of the last seat claimed")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["question", "annotator"], name="one_membership_a_question"),
            models.CheckConstraint(
                condition=Q(status__in=["active", "paused", "excluded"]), name="membership_status_is_known"
            ),
        ]


class Exclusion(models.Model):
    """A researcher's decision that somebody no longer labels a corpus. Undone by `undone_at`, never deleted.

    What it withdrew points to it (`Label.exclusion`), so that undoing knows what to give back.
    """

    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="exclusions")
    annotator = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="exclusions"
    )
    reason = models.TextField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()
    retracts_pairs = models.BooleanField(default=False, help_text="the pairs that they wrote go too")
    undone_at = models.DateTimeField(null=True, blank=True)
    undone_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["corpus", "annotator"],
                condition=Q(undone_at=None),
                name="one_standing_exclusion_a_corpus",
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="excluded_for_a_reason"),
            models.CheckConstraint(
                condition=Q(undone_at=None, undone_by=None)
                | Q(undone_at__isnull=False, undone_by__isnull=False),
                name="undone_by_somebody",
            ),
        ]
