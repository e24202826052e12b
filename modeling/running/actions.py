"""What a worker records about the run it has claimed: one function a state change, one transaction each.

What it writes goes through `held_as`: a worker whose run was claimed by another one changes nothing any more and learns
so from the answer False or LOST.
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
    """What a worker has to do next: go on, stop the training, or leave the run, which is not its own any more."""

    GO_ON = "go on"
    STOP = "stop"
    LOST = "lost"


@dataclass(frozen=True)
class Progress:
    """One line of the curve. `dev_accuracy` stands at the ends of epochs."""

    step: int
    steps: int | None = None
    epoch: int | None = None
    loss: float | None = None
    dev_accuracy: float | None = None
    pairs_per_second: float | None = None


def claim_run(*, run_id: int, worker: str) -> TrainingRun | None:
    """Claims a run that waits, or one whose worker is gone. None where there is nothing to claim."""
    claimed: TrainingRun | None = claims.take(TrainingRun, run_id, worker=worker)
    return claimed


def look(*, run: TrainingRun) -> Order:
    """What to do next: cheap enough for every second."""
    asked = TrainingRun.objects.held_as(run).values_list("stop_requested", flat=True).first()
    return Order.LOST if asked is None else Order.STOP if asked else Order.GO_ON


@transaction.atomic
def record_progress(*, run: TrainingRun, lines: Sequence[Progress]) -> bool:
    """Adds to the curve, in one statement."""
    if not TrainingRun.objects.held_as(run).exists():
        return False
    RunProgress.objects.bulk_create(RunProgress(run=run, **vars(line)) for line in lines)
    return True


@transaction.atomic
def record_start(*, run: TrainingRun, step: int, train_pairs: int | None) -> bool:
    """The training begins at `step`. What an earlier attempt did beyond that will be done, and told, again."""
    if not TrainingRun.objects.held_as(run).update(train_pairs=train_pairs):
        return False
    earlier = RunProgress.objects.filter(run=run)
    (earlier.filter(step__gt=step) if step else earlier).delete()
    return True


def record_warnings(*, run: TrainingRun, warnings: Sequence[str]) -> bool:
    """All warnings of this attempt, one a line."""
    return bool(TrainingRun.objects.held_as(run).update(warnings="\n".join(warnings)))


@transaction.atomic
def record_result(*, run: TrainingRun, metrics: Mapping[str, Any]) -> bool:
    """The run is done: its figures, and an evaluation a partition, genre and gold label."""
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
    """The run cannot go on, and `error` says to a person why."""
    return _end(run, Status.FAILED, error=error)


def mark_stopped(*, run: TrainingRun) -> bool:
    """The training has written its checkpoint and ended, as somebody asked."""
    return _end(run, Status.STOPPED)


def _end(run: TrainingRun, status: str, **columns: Any) -> bool:
    held = TrainingRun.objects.held_as(run)
    return bool(held.update(status=status, **columns, **claims.ended()))


def release_run(*, run: TrainingRun, blameless: bool) -> bool:
    """Puts a run back on the list: its worker goes, or the training program was killed.

    `blameless`: it was asked to pause and wrote its checkpoint, so this attempt does not count.
    """
    return claims.release(run, blameless=blameless)
