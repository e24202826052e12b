"""Reads about questions, seats and labels."""

from datetime import datetime

from django.db import models
from django.db.models import F, Q


class LabelQuerySet(models.QuerySet):
    def standing(self) -> "LabelQuerySet":
        return self.filter(withdrawn_at=None)

    def seats(self) -> "LabelQuerySet":
        """Rows with a place among the five; surplus and expert labels have none."""
        return self.standing().filter(position__isnull=False)

    def open(self) -> "LabelQuerySet":
        """Seats without a label, held by somebody or not; a withdrawn pair has none."""
        return self.seats().filter(label=None, pair__withdrawn_at=None)

    def claimable_at(self, now: datetime) -> "LabelQuerySet":
        """Open seats that nobody holds."""
        return self.open().filter(Q(leased_until=None) | Q(leased_until__lte=now))

    def cast(self) -> "LabelQuerySet":
        return self.standing().filter(label__isnull=False)

    def cast_by(self, annotator: models.Model) -> "LabelQuerySet":
        """What this annotator labelled as a validator; withdrawn and surplus labels too, which are paid."""
        return self.filter(annotator=annotator, origin="cast", label__isnull=False)

    def not_by_author(self, annotator: models.Model) -> "LabelQuerySet":
        return self.exclude(author=annotator)

    def without_pairs_of(self, annotator: models.Model) -> "LabelQuerySet":
        """Leaves out pairs that this annotator has labelled, or was handed before, under the same question.

        Both look-ups start from the pair (its premise first, which the index wants), never from all that the
        annotator or the question has: a keen annotator's claim must not grow slower with every batch.
        """
        of_pair = self.model._default_manager.filter(pair=models.OuterRef("pair"))
        handed = of_pair.filter(
            handed_out__assignment__annotator=annotator,
            handed_out__assignment__question=models.OuterRef("question"),
        )
        same = {"premise": models.OuterRef("premise"), "pair": models.OuterRef("pair")}
        mine = self._rows_of(annotator).filter(**same)
        return self.filter(~models.Exists(mine), ~models.Exists(handed))

    def without_premises_of(self, annotator: models.Model) -> "LabelQuerySet":
        """Leaves out premises of which this annotator has labelled a pair under the same question."""
        return self.filter(
            ~models.Exists(self._rows_of(annotator).filter(premise=models.OuterRef("premise")))
        )

    def _rows_of(self, annotator: models.Model) -> models.QuerySet:
        return self.model._default_manager.filter(annotator=annotator, question=models.OuterRef("question"))

    def counted(self) -> "LabelQuerySet":
        """The labels that decide gold: positions 1..N of the corpus's main question, whole premise."""
        return self.cast().filter(
            question__is_main=True, sentence=0, position__isnull=False, position__lte=F("question__seats")
        )
