"""Records what a worker reports about its run: each state change is one function and one transaction.

Every write goes through `held_as`: for a worker that lost its claim, nothing changes.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Max

from jobs.claims import Claim
from modeling.models import RunProgress, TrainingRun
from modeling.querysets import host_of
from modeling.results.actions import record_evaluation

LOST = "steps are lost"  # in the warning of a run that moved to another machine


@dataclass(frozen=True)
class Progress:
    """One line of the curve. Only lines of evaluations have `dev_accuracy`, the last of an epoch among them."""

    step: int
    steps: int | None = None
    epoch: int | None = None
    loss: float | None = None
    dev_accuracy: float | None = None
    pairs_per_second: float | None = None


@transaction.atomic
def record_progress(*, run: TrainingRun, lines: Sequence[Progress]) -> bool:
    """Adds lines to the curve, in one statement."""
    if not TrainingRun.objects.held_as(run).exists():
        return False
    RunProgress.objects.bulk_create(RunProgress(run=run, **vars(line)) for line in lines)
    return True


@transaction.atomic
def record_start(*, run: TrainingRun, step: int, train_pairs: int | None) -> str:
    """Records that the training starts at `step`, and deletes later lines: this machine prints them again.

    If another machine printed them, they stay, marked as lost. Returns a warning then, else an empty text.
    """
    host = host_of(run.worker)
    if not TrainingRun.objects.held_as(run).update(train_pairs=train_pairs, host=host):
        return ""
    later = RunProgress.objects.kept().filter(run=run, step__gt=step or -1)
    if run.host in ("", host):
        later.delete()
        return ""
    newest = later.aggregate(newest=Max("step"))["newest"]
    later.update(is_lost=True)
    if newest is None:
        return ""
    return (
        f"{newest - step:,} {LOST}: {run.host} trained this run up to step {newest:,} and has that checkpoint, but "
        f"did not take it up again. The curve of those steps is kept."
    )


def record_warnings(*, run: TrainingRun, warnings: Sequence[str]) -> bool:
    """Replaces the warnings by those of this attempt, one per line."""
    return bool(TrainingRun.objects.held_as(run).update(warnings="\n".join(warnings)))


def record_result(
    *, run: TrainingRun, metrics: Mapping[str, Any], break_down: Callable[[], None] = lambda: None
) -> None:
    """Stores the scores, then what `break_down` stores, and ends the run as done. Raises ClaimLost.

    The end comes last: if the worker dies before it, another one does all of this again, because the program of a
    finished training reports its metrics again.
    """
    claim = Claim(run)
    claim.report("its predictions are counted", 1, at_once=True)
    record_evaluation(run=run, snapshot=run.snapshot, metrics=metrics)
    break_down()
    claim.finish(
        train_pairs=metrics["train_pairs"],
        train_accuracy=metrics["train"]["accuracy"],
        seconds=metrics["seconds"],
        pairs_per_second=metrics["pairs_per_second"],
        device=metrics["device"],
    )
