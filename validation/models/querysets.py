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

    def counted(self) -> "LabelQuerySet":
        """The labels that decide gold: positions 1..N of the corpus's main question, whole premise."""
        return self.cast().filter(
            question__is_main=True, sentence=0, position__isnull=False, position__lte=F("question__seats")
        )
