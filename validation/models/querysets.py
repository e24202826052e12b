"""Named conditions on seats and labels."""

from typing import Any

from django.db import models
from django.db.models import BooleanField, ExpressionWrapper, F, OuterRef, Q, Subquery

from collection.models.withdrawal import CORRECTED, WITHHELD


def in_seats_up_to(seats: int | F) -> Q:
    """Returns the condition that a label is in one of so many seats.

    Surplus labels and labels of experts and models have no position; extra labels have positions above the seats.
    """
    return Q(withdrawn_at=None, position__isnull=False, position__lte=seats)


def is_beyond_seats(seats: int | F, path: str = "") -> Q:
    """Returns the condition on labels, or on those at the end of `path`, that they are extra ones, beyond so many seats."""
    return Q(**{f"{path}position__gt": seats})


IN_SEATS = in_seats_up_to(F("question__seats"))


class AdjudicationQuerySet(models.QuerySet):
    def standing(self) -> "AdjudicationQuerySet":
        """Decisions that nobody took back: these alone have an effect."""
        return self.filter(withdrawn_at=None)


class LabelQuerySet(models.QuerySet):
    def standing(self) -> "LabelQuerySet":
        return self.filter(withdrawn_at=None)

    def shown(self) -> "LabelQuerySet":
        """Leaves out labels that are withheld."""
        return self.exclude(withdrawn_because=WITHHELD)

    def seats(self) -> "LabelQuerySet":
        """Rows with a position. Surplus labels and labels of experts and models have none."""
        return self.standing().filter(position__isnull=False)

    def that_count(self) -> "LabelQuerySet":
        """Seats of pairs that are not withdrawn, filled or not."""
        return self.seats().filter(pair__withdrawn_at=None)

    def open(self) -> "LabelQuerySet":
        """Seats without a label, leased or not, of pairs that are not withdrawn."""
        return self.that_count().filter(label=None)

    def cast(self) -> "LabelQuerySet":
        return self.standing().filter(label__isnull=False)

    def cast_by_validators(self) -> "LabelQuerySet":
        """Standing labels that people gave here as validators, surplus ones included.

        Not those of authors, experts and models, nor those that came with a published corpus.
        """
        return self.cast().filter(origin="cast")

    def filled_by_validators(self) -> "LabelQuerySet":
        """Seats that validators filled, of pairs that are not withdrawn: what labels a day and the pace count."""
        return self.cast_by_validators().that_count()

    def surplus(self) -> "LabelQuerySet":
        """Labels that validators gave after somebody else had filled the seat: paid, and never counted."""
        return self.cast_by_validators().filter(position=None, pair__withdrawn_at=None)

    def of_experts(self, question: Any) -> "LabelQuerySet":
        """Standing labels of experts under this question: those of its control items."""
        return self.standing().filter(origin="expert", question=question)

    def met_controls(self, question: Any) -> "LabelQuerySet":
        """Standing labels of validators on what an expert labelled, too; each has the expert's as `expert`."""
        experts = LabelQuerySet(self.model).of_experts(question)
        expert = experts.filter(pair=OuterRef("pair"), sentence=OuterRef("sentence"))
        # Few pairs are control items, so they are found first, however much somebody has labelled.
        met = self.cast_by_validators().filter(question=question, pair__in=experts.values("pair"))
        return met.annotate(expert=Subquery(expert.values("label")[:1])).filter(expert__isnull=False)

    def ever_cast(self) -> "LabelQuerySet":
        """Labels that people gave here as validators, also withdrawn and surplus ones."""
        return self.filter(origin="cast", label__isnull=False)

    def cast_by(self, annotator: models.Model) -> "LabelQuerySet":
        """Labels that this annotator gave as a validator, also withdrawn and surplus ones: these are paid, too.

        Of a label that they corrected, only the correction.
        """
        return self.filter(annotator=annotator, origin="cast", label__isnull=False).without_corrected()

    def without_corrected(self) -> "LabelQuerySet":
        """Leaves out the history of corrections: what somebody answered at first, and replaced."""
        return self.exclude(withdrawn_because=CORRECTED)

    def in_seats(self) -> "LabelQuerySet":
        """Labels in the seats of their question. They decide, also about single sentences."""
        return self.cast().filter(IN_SEATS)

    def in_seats_of(self, question: Any) -> "LabelQuerySet":
        """Labels in the seats of one question. No table is joined, since the number of seats is known."""
        return self.cast().filter(in_seats_up_to(question.seats), question=question)

    def with_counts(self) -> "LabelQuerySet":
        """Adds `counts`: whether a label is in one of its question's seats, and so decides."""
        return self.annotate(counts=ExpressionWrapper(IN_SEATS, output_field=BooleanField()))

    def counted(self) -> "LabelQuerySet":
        """Labels that decide the gold label: under the main question, about the whole premise, in one of its seats."""
        return self.in_seats().filter(question__is_main=True, sentence=0)
