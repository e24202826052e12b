"""Texts that a researcher returned to their writers."""

from datetime import timedelta

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from collection.models.pairs import Pair
from collection.models.querysets import ReturnedTextQuerySet
from shared.constraints import check

DAYS_TO_MEND = 7


def last_moment() -> object:
    return timezone.now() + timedelta(days=DAYS_TO_MEND)


class ReturnedText(models.Model):
    """A pair that came back to its writer once, with a researcher's remark. The pair is withdrawn, and stays as history.

    `mended`: the pair that took its place.
    """

    class Outcome(models.TextChoices):
        MENDED = "mended"
        DECLINED = "declined"
        TAKEN_BACK = "back", "taken back by a researcher: the pair counts as it was"

    pair = models.OneToOneField(Pair, on_delete=models.PROTECT, related_name="returned")
    remark = models.TextField(help_text="what to mend; the writer reads it")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    until = models.DateTimeField(default=last_moment)
    closed_at = models.DateTimeField(null=True, blank=True)
    outcome = models.CharField(max_length=8, choices=Outcome.choices, blank=True)
    mended = models.OneToOneField(Pair, on_delete=models.PROTECT, null=True, blank=True, related_name="mends")

    objects = ReturnedTextQuerySet.as_manager()

    class Meta:
        constraints = [
            check("returned_with_a_remark", ~Q(remark="")),
            check(
                "closed_return_has_an_outcome",
                Q(outcome="", closed_at=None)
                | Q(outcome__in=["mended", "declined", "back"], closed_at__isnull=False),
            ),
            check(
                "mended_text_has_its_pair",
                Q(outcome="mended", mended__isnull=False) | ~Q(outcome="mended") & Q(mended=None),
            ),
            check("mended_text_is_another_pair", Q(mended=None) | ~Q(mended=F("pair"))),
        ]
