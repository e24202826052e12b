"""Named conditions on seats and labels."""

from datetime import datetime

from django.db import models
from django.db.models import F, Q

# A label in one of the question's seats. Surplus labels and labels of experts and models have no position; extra labels
# have positions above the seats.
IN_SEATS = Q(withdrawn_at=None, position__isnull=False, position__lte=F("question__seats"))


class LabelQuerySet(models.QuerySet):
    def standing(self) -> "LabelQuerySet":
        return self.filter(withdrawn_at=None)

    def seats(self) -> "LabelQuerySet":
        """Rows with a position. Surplus labels and labels of experts and models have none."""
        return self.standing().filter(position__isnull=False)

    def open(self) -> "LabelQuerySet":
        """Seats without a label, leased or not, of pairs that are not withdrawn."""
        return self.seats().filter(label=None, pair__withdrawn_at=None)

    def claimable_at(self, now: datetime) -> "LabelQuerySet":
        """Open seats without a current lease."""
        return self.open().filter(Q(leased_until=None) | Q(leased_until__lte=now))

    def cast(self) -> "LabelQuerySet":
        return self.standing().filter(label__isnull=False)

    def cast_by(self, annotator: models.Model) -> "LabelQuerySet":
        """Labels that this annotator gave as a validator, also withdrawn and surplus ones: these are paid, too."""
        return self.filter(annotator=annotator, origin="cast", label__isnull=False)

    def in_seats(self) -> "LabelQuerySet":
        """Labels in the seats of their question. They decide, also about single sentences."""
        return self.cast().filter(IN_SEATS)

    def counted(self) -> "LabelQuerySet":
        """Labels that decide the gold label: under the main question, about the whole premise, in one of its seats."""
        return self.in_seats().filter(question__is_main=True, sentence=0)
