"""Reads about corpora, premises, writing and pairs."""

from datetime import datetime

from django.db import models
from django.db.models import Q


class WritingAssignmentQuerySet(models.QuerySet):
    def handed_to(self, annotator: models.Model) -> "WritingAssignmentQuerySet":
        """This annotator's, with all that their page shows."""
        tasks = self.filter(annotator=annotator)
        return tasks.select_related(
            "corpus", "annotator", "seat__premise", "seat__genre", "prompt_version__prompt"
        ).prefetch_related("prompt_version__fields", "prompt_version__faq")

    def sent(self) -> "WritingAssignmentQuerySet":
        """Those whose hypotheses came, surplus ones too: all of them are paid."""
        return self.filter(outcome__in=["submitted", "surplus"])


class ProblemReportQuerySet(models.QuerySet):
    def made_by(self, annotator: models.Model) -> "ProblemReportQuerySet":
        """This annotator's, newest first, with the premises that they are about."""
        reports = self.filter(assignment__annotator=annotator.pk).order_by("-pk")
        return reports.select_related("assignment__seat__premise", "assignment__corpus")


class PremiseQuerySet(models.QuerySet):
    def open(self) -> "PremiseQuerySet":
        """Premises that may be shown to writers."""
        return self.filter(status="open")


class DroppedLineQuerySet(models.QuerySet):
    def not_restored(self) -> "DroppedLineQuerySet":
        return self.filter(restored_as=None)


class SeatQuerySet(models.QuerySet):
    """Seats for one piece of writing."""

    def unwritten(self) -> "SeatQuerySet":
        return self.filter(submitted_at=None)

    def claimable_at(self, now: datetime) -> "SeatQuerySet":
        """Unwritten seats that nobody holds at this moment, of premises that are open."""
        free = Q(leased_until=None) | Q(leased_until__lte=now)
        return self.unwritten().filter(free, premise__status="open")

    def not_touched_by(self, annotator: models.Model) -> "SeatQuerySet":
        """Leaves out premises that this annotator has been handed before, skipped ones too."""
        assignments = self.model._meta.apps.get_model("collection", "WritingAssignment").objects
        touched = assignments.filter(annotator=annotator.pk, seat__premise=models.OuterRef("premise"))
        return self.filter(~models.Exists(touched))


class PairQuerySet(models.QuerySet):
    def standing(self) -> "PairQuerySet":
        """Pairs that count: not withdrawn."""
        return self.filter(withdrawn_at=None)

    def with_texts(self) -> "PairQuerySet":
        return self.select_related("premise", "premise__genre")

    def by_genre(self, slug: str) -> "PairQuerySet":
        return self.filter(premise__genre__slug=slug)
