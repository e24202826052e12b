"""A run, and its scores on a partition of a snapshot, as scopes of figures."""

from collections.abc import Mapping
from typing import Any

from django.core.management.base import CommandError
from django.http import Http404
from django.shortcuts import get_object_or_404

from modeling.models import TrainingRun
from modeling.results.run_scores import Evaluated, evaluations
from shared.figures import Scope
from shared.tables import Table
from snapshots.statistics.scope import in_names


class RunScope(Scope):
    name, path = "run", "runs/<int:pk>/"

    def find(self, asked: Mapping[str, str], **place: Any) -> Any:
        return get_object_or_404(TrainingRun.objects.newest_first(), pk=place["pk"])

    def named(self, text: str) -> Any:
        run, _, rest = text.partition("/")
        partition, _, on = rest.partition("/")
        if not (run.isascii() and run.isdigit() and len(run) < 10):
            raise CommandError(f"{text!r} does not begin with the number of a run.")
        try:
            return self.find({"partition": partition, "on": on}, pk=int(run))
        except Http404 as absent:
            raise CommandError(str(absent)) from None

    def place(self, subject: Any) -> dict[str, Any]:
        return {"pk": subject.pk}

    def file(self, subject: Any) -> str:
        return f"run-{subject.pk}"

    def dressed(self, table: Table, subject: Any) -> Table:
        return in_names(table, subject.snapshot)


class EvaluationScope(RunScope):
    """The scores of a run on one partition, of its own snapshot or of the one that `on` names."""

    asks = ("partition", "on")

    def find(self, asked: Mapping[str, str], **place: Any) -> Evaluated:
        run = super().find(asked, **place)
        where = asked.get("partition") or "test", asked.get("on") or str(run.snapshot)
        found = next((one for one in evaluations(run) if (one.partition, str(one.snapshot)) == where), None)
        if found is None:
            raise Http404(f"Run {run.pk} has no scores to show on {' of '.join(where)}.")
        return found

    def place(self, subject: Evaluated) -> dict[str, Any]:
        return {"pk": subject.whole.run_id}

    def query(self, subject: Evaluated) -> dict[str, str]:
        on = {} if subject.is_own else {"on": str(subject.snapshot)}
        return {"partition": subject.partition, **on}

    def file(self, subject: Evaluated) -> str:
        return f"run-{subject.whole.run_id}-{subject.mark}"

    def said(self, finding: str, subject: Evaluated) -> str:
        return f"On {subject.where}, {finding}."


RUN = RunScope()
EVALUATION = EvaluationScope()
