"""Records what a worker reports about its run: one function a state change, one transaction each.

Every write goes through `held_as`. A worker that lost its claim changes nothing, and gets False or LOST back.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from django.db import transaction

from jobs import claims
from modeling.models import RunProgress, TrainingRun
from modeling.results.actions import record_evaluation

Status = TrainingRun.Status


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
    """Returns what to do next. One cheap query: it is asked every second."""
    asked = TrainingRun.objects.held_as(run).values_list("stop_requested", flat=True).first()
    return Order.LOST if asked is None else Order.STOP if asked else Order.GO_ON


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
    """Replaces the warnings by those of this attempt, one a line."""
    return bool(TrainingRun.objects.held_as(run).update(warnings="\n".join(warnings)))


@transaction.atomic
def record_result(*, run: TrainingRun, metrics: Mapping[str, Any]) -> bool:
    """Ends the run as done and stores its scores."""
    recorded = _end(
        run,
        Status.DONE,
        train_pairs=metrics["train_pairs"],
        train_accuracy=metrics["train"]["accuracy"],
        seconds=metrics["seconds"],
        pairs_per_second=metrics["pairs_per_second"],
        device=metrics["device"],
    )
    if recorded:
        record_evaluation(run=run, snapshot=run.snapshot, metrics=metrics)
    return recorded


def mark_failed(*, run: TrainingRun, error: str) -> bool:
    """Ends the run as failed. `error` is for a person."""
    return _end(run, Status.FAILED, error=error)


def mark_stopped(*, run: TrainingRun) -> bool:
    """Ends the run as stopped, after its checkpoint."""
    return _end(run, Status.STOPPED)


def _end(run: TrainingRun, status: str, **columns: Any) -> bool:
    held = TrainingRun.objects.held_as(run)
    return bool(held.update(status=status, **columns, **claims.ended()))


def release_run(*, run: TrainingRun, blameless: bool) -> bool:
    """Queues a claimed run again: its worker ends, or its program was killed.

    `blameless`: the program was asked to stop and wrote its checkpoint, so this attempt does not count.
    """
    return claims.release(run, blameless=blameless)
