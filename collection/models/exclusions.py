"""Who works no longer for a corpus."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from collection.models.corpora import Corpus
from collection.models.querysets import ExclusionQuerySet


class Exclusion(models.Model):
    """A researcher's decision that somebody works no longer for a corpus. Undone by `undone_at`, never deleted.

    While it stands they may neither write nor label. What it withdrew points to it (`Pair.exclusion`,
    `Label.exclusion`, `Membership.exclusion`), so that undoing it gives back just that.
    """

    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="exclusions")
    annotator = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="exclusions"
    )
    reason = models.TextField(help_text="never leaves the site; blanked when they are erased")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()
    retracts_pairs = models.BooleanField(default=False, help_text="the pairs that they wrote go too")
    undone_at = models.DateTimeField(null=True, blank=True)
    undone_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )

    objects = ExclusionQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["corpus", "annotator"],
                condition=Q(undone_at=None),
                name="one_standing_exclusion",
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="excluded_for_a_reason"),
            models.CheckConstraint(
                condition=Q(undone_at=None, undone_by=None)
                | Q(undone_at__isnull=False, undone_by__isnull=False),
                name="undone_by_somebody",
            ),
        ]
