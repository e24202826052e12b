"""Exclusions of annotators from a corpus, and withdrawals of pairs by researchers."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from collection.models.corpora import Corpus
from collection.models.querysets import ExclusionQuerySet
from shared.constraints import check, unique


class Exclusion(models.Model):
    """A researcher's decision that somebody no longer works for a corpus. Undone by `undone_at`, never deleted.

    While it stands, this person may neither write nor label. What it withdrew points to it (`Pair.exclusion`,
    `Label.exclusion`, `Membership.exclusion`), so that undoing it restores exactly that.
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
            unique("one_standing_exclusion", "corpus", "annotator", where=Q(undone_at=None)),
            check("excluded_for_a_reason", ~Q(reason="")),
            check(
                "undone_by_somebody",
                Q(undone_at=None, undone_by=None) | Q(undone_at__isnull=False, undone_by__isnull=False),
            ),
        ]


class Vetting(models.Model):
    """A researcher's decision to withdraw pairs of a corpus. Undone by `undone_at`, never deleted.

    The pairs point to it (`Pair.vetting`), so that undoing it restores exactly these.
    """

    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="vettings")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    reason = models.TextField(help_text="never leaves the site")
    chosen_by = models.CharField(max_length=300, help_text="what chose the pairs")
    pairs_withdrawn = models.PositiveIntegerField(default=0, help_text="how many it withdrew")
    created_at = models.DateTimeField()
    undone_at = models.DateTimeField(null=True, blank=True)
    undone_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )

    class Meta:
        constraints = [
            check("vetted_for_a_reason", ~Q(reason="")),
            check(
                "vetting_undone_by_somebody",
                Q(undone_at=None, undone_by=None) | Q(undone_at__isnull=False, undone_by__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.corpus}: {self.chosen_by}"
