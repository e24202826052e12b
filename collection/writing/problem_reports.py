"""Stores and answers problem reports, and pauses premises that several people reported."""

from django.db.models import Count
from django.utils import timezone

from accounts.models import User
from collection.errors import NotPossible
from collection.models import Premise, ProblemReport, WritingAssignment
from shared.transactions import one_transaction


def report_problem(*, assignment: WritingAssignment, text: str) -> None:
    """Stores a report, and pauses the premise if enough people reported it. Call it in the transaction of the task.

    Locks the premise first. Otherwise two people who report simultaneously would each count one report.
    """
    premise = Premise.objects.select_for_update(of=("self",), no_key=True).get(pk=assignment.seat.premise_id)
    ProblemReport.objects.create(assignment=assignment, text=text)
    enough = assignment.corpus.pause_after_reports
    if not enough or premise.status != Premise.Status.OPEN:
        return
    people = (
        ProblemReport.objects.unanswered()
        .filter(assignment__seat__premise=premise)
        .aggregate(count=Count("assignment__annotator", distinct=True))["count"]
    )
    if people >= enough:
        Premise.objects.filter(pk=premise.pk).update(status=Premise.Status.PAUSED)


@one_transaction
def answer_report(*, report: ProblemReport, answer: str, by: User, premise: str = "") -> None:
    """Answers a report, and sets the status of its premise. The annotator reads the answer under their work.

    `premise` is a status, or empty for no change. A report with neither answer nor status counts as unanswered
    again. Raises NotPossible for a premise that was dropped before.
    """
    answer = answer.strip()
    found = Premise.objects.select_for_update(of=("self",), no_key=True).get(
        pk=report.assignment.seat.premise_id
    )
    if premise and premise != found.status:
        if found.status == Premise.Status.DROPPED:
            raise NotPossible("This premise was dropped. Open it again in the list of premises first.")
        reason = "reported by writers" if premise == Premise.Status.DROPPED else ""
        Premise.objects.filter(pk=found.pk).update(status=premise, dropped_because=reason)
    is_answered = bool(answer or premise)
    ProblemReport.objects.filter(pk=report.pk).update(
        answer=answer,
        answered_at=timezone.now() if is_answered else None,
        answered_by=by if is_answered else None,
    )
