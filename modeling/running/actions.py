"""Records what a worker reports about its run: each state change is one function and one transaction.

Every write goes through `held_as`. For a worker that lost its claim, nothing changes, and the function returns False or
LOST.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from django.db import transaction

from jobs import claims
from jobs.claims import Claim, ClaimLost
from modeling.models import RunProgress, TrainingRun
from modeling.results.actions import record_evaluation


class Order(Enum):
    """What a worker does next: go on, stop the training, or leave the run because its claim is lost."""

    GO_ON = "go on"
    STOP = "stop"
    LOST = "lost"


@dataclass(frozen=True)
class Progress:
    """One line of the curve. Only the last line of an epoch has `dev_accuracy`."""

    step: int
    steps: int | None = None
    epoch: int | None = None
    loss: float | None = None
    dev_accuracy: float | None = None
    pairs_per_second: float | None = None


def claim_run(*, run_id: int, worker: str) -> TrainingRun | None:
    """Claims a waiting run, or one whose worker is gone. Returns None if it cannot be claimed."""
    claimed: TrainingRun | None = claims.claim(TrainingRun, run_id, worker=worker)
    return claimed


def look(*, run: TrainingRun) -> Order:
    """Returns what to do next. It is one cheap query, since it runs every second."""
    try:
        return Order.STOP if Claim(run).stop_asked() else Order.GO_ON
    except ClaimLost:
        return Order.LOST


@transaction.atomic
def record_progress(*, run: TrainingRun, lines: Sequence[Progress]) -> bool:
    """Adds lines to the curve, in one statement."""
    if not TrainingRun.objects.held_as(run).exists():
        return False
    RunProgress.objects.bulk_create(RunProgress(run=run, **vars(line)) for line in lines)
    return True


@transaction.atomic
def record_start(*, run: TrainingRun, step: int, train_pairs: int | None) -> bool:
    """Records that the training starts at `step`, and deletes later lines of an earlier attempt."""
    if not TrainingRun.objects.held_as(run).update(train_pairs=train_pairs):
        return False
    earlier = RunProgress.objects.filter(run=run)
    (earlier.filter(step__gt=step) if step else earlier).delete()
    return True


def record_warnings(*, run: TrainingRun, warnings: Sequence[str]) -> bool:
    """Replaces the warnings by those of this attempt, one per line."""
    return bool(TrainingRun.objects.held_as(run).update(warnings="\n".join(warnings)))


@transaction.atomic
def record_result(*, run: TrainingRun, metrics: Mapping[str, Any]) -> bool:
    """Ends the run as done and stores its scores."""
    try:
        Claim(run).finish(
            train_pairs=metrics["train_pairs"],
            train_accuracy=metrics["train"]["accuracy"],
            seconds=metrics["seconds"],
            pairs_per_second=metrics["pairs_per_second"],
            device=metrics["device"],
        )
    except ClaimLost:
        return False
    record_evaluation(run=run, snapshot=run.snapshot, metrics=metrics)
    return True


def mark_failed(*, run: TrainingRun, error: str) -> bool:
    """Ends the run as failed. `error` is for a person."""
    return Claim(run).fail(error)


def mark_stopped(*, run: TrainingRun) -> bool:
    """Ends the run as stopped, after its checkpoint."""
    return Claim(run).stopped()


def release_run(*, run: TrainingRun, blameless: bool) -> bool:
    """Queues a claimed run again: its worker ends, or its program was killed.

    `blameless`: the program stopped on request and wrote its checkpoint, so this attempt does not count.
    """
    return Claim(run).release(blameless=blameless)
