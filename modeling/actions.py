"""What can happen to a training run: one function a state change, one transaction each.

A run is a job (jobs/). What its worker writes goes through `held_as`: a worker whose run was claimed by another one
changes nothing any more and learns so from the answer False or LOST.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import Enum
from typing import Any

from django.db import transaction
from django.utils import timezone

from accounts.idempotency import record_submission
from accounts.models import User
from collection.models import PARTITIONS
from jobs import claims
from modeling import catalogue
from modeling.models import Evaluation, RunProgress, TrainingRun, Worker
from modeling.querysets import DISTRIBUTION
from modeling.regimes import BadRegime, check_regime, check_sizes, training_pairs
from snapshots.models import Snapshot

Status = TrainingRun.Status

MOST_CHILDREN = 200
LARGEST_SEED = 2**31 - 1  # what the column holds
FORGET_WORKERS_AFTER = timedelta(days=30)


class ModelingError(Exception):
    """A rule of training said no."""


class UnknownBaseline(ModelingError):
    def __init__(self, name: str) -> None:
        super().__init__(f"There is no baseline {name!r}. The baselines: {', '.join(catalogue.baselines())}.")


class BadSetting(ModelingError):
    """A setting that the baseline does not take; the sentence names key, value and the valid keys."""


class RefusedRegime(ModelingError):
    """A regime that does not fit; `key` names which part."""

    def __init__(self, error: BadRegime) -> None:
        super().__init__(str(error))
        self.key = error.key


class SnapshotNotFrozen(ModelingError):
    def __init__(self, snapshot: Snapshot) -> None:
        state = snapshot.status
        super().__init__(f"{snapshot} is {state}, not frozen: train on it once it is, or freeze it again.")


class NothingToLearnFrom(ModelingError):
    def __init__(self, snapshot: Snapshot) -> None:
        super().__init__(
            f"{snapshot} has no train part with gold labels, so nothing can be learnt from it: import or freeze a "
            "train part. A finished run can be evaluated on it."
        )


class RunIsOver(ModelingError):
    """What was asked for does not go with the run's state."""


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


def request_run(
    *,
    snapshot: Snapshot,
    baseline: str,
    seed: int = 1,
    vectors: str = catalogue.PACKAGED_VECTORS,
    config: Mapping[str, str] | None = None,
    regime: Mapping[str, Any] | None = None,
    by: User | None = None,
) -> TrainingRun:
    """Puts a run on the list. Raises UnknownBaseline, BadSetting, SnapshotNotFrozen,
    NothingToLearnFrom, RefusedRegime.
    """
    asked = _asked(snapshot, baseline, vectors, config, regime, by)
    return TrainingRun.objects.create(seed=seed, **asked)


@transaction.atomic
def request_sweep(
    *,
    snapshot: Snapshot,
    baseline: str,
    seeds: Sequence[int],
    sizes: Sequence[int] = (),
    vectors: str = catalogue.PACKAGED_VECTORS,
    config: Mapping[str, str] | None = None,
    regime: Mapping[str, Any] | None = None,
    by: User | None = None,
) -> TrainingRun:
    """Puts a run a seed and training size on the list; the answer is their parent, which trains nothing itself.

    Without `sizes`, each learns from as much as `regime` says. Raises what request_run does.
    """
    asked = _asked(snapshot, baseline, vectors, config, regime, by)
    most = asked.pop("most")
    if sizes and most:
        raise RefusedRegime(BadRegime("most", "a list of sizes says it already: give one of the two."))
    try:
        check_sizes("sizes", sizes, snapshot, asked["regime"].get("genre"))
    except BadRegime as error:
        raise RefusedRegime(error) from None
    points = [(seed, size) for size in dict.fromkeys(sizes or [most]) for seed in dict.fromkeys(seeds)]
    if not 1 <= len(points) <= MOST_CHILDREN:
        raise RefusedRegime(
            BadRegime(
                "sizes", f"seeds times sizes make {len(points)} runs, but may make 1 to {MOST_CHILDREN}."
            )
        )
    sweep = TrainingRun.objects.create(status=Status.SWEEP, seed=points[0][0], **asked)
    TrainingRun.objects.bulk_create(
        TrainingRun(parent=sweep, seed=seed, most=size, **asked) for seed, size in points
    )
    return sweep


@transaction.atomic
def request_once(
    *, by: User, key: str, content: object, ask: Callable[[], TrainingRun]
) -> tuple[TrainingRun, bool]:
    """Returns the run that `ask` makes and True; where this person sent the same under this key before, that run and
    False. Without a key each request is a new one. Raises what `ask` does, KeyReused, KeyUnusable.
    """
    if not key:
        return ask(), True
    # First of all: whoever sends the same key at the same moment waits here for the commit.
    if not record_submission(user=by, key=key, content=content):
        return TrainingRun.objects.get(requested_by=by, request_key=key), False
    run = ask()
    run.request_key = key
    run.save(update_fields=["request_key"])
    return run, True


def _asked(
    snapshot: Snapshot,
    baseline: str,
    vectors: str,
    config: Mapping[str, str] | None,
    regime: Mapping[str, Any] | None,
    by: User | None,
) -> dict[str, Any]:
    """The fields that runs of one sweep have in common, checked."""
    if snapshot.status != Snapshot.Status.FROZEN:
        raise SnapshotNotFrozen(snapshot)
    if not training_pairs(snapshot).exists():
        raise NothingToLearnFrom(snapshot)
    checked = check_settings(baseline=baseline, config=config or {})
    try:
        kept = check_regime(snapshot=snapshot, baseline=baseline, given=regime or {})
    except BadRegime as error:
        raise RefusedRegime(error) from None
    return {
        "snapshot": snapshot,
        "baseline": baseline,
        # To name vectors beside the score of a baseline that reads none would mislead.
        "vectors": vectors if catalogue.baselines()[baseline].reads_vectors else "",
        "config": checked,
        "most": kept.pop("most", None),
        "regime": kept,
        "requested_by": by,
    }


def check_settings(*, baseline: str, config: Mapping[str, str]) -> dict[str, Any]:
    """The settings in their types, sorted, so that the same ones are the same. Raises UnknownBaseline, BadSetting."""
    if baseline not in catalogue.baselines():
        raise UnknownBaseline(baseline)
    if not config:
        return {}
    try:
        return dict(sorted(catalogue.check(baseline, config).items()))
    except ValueError as error:
        keys = ", ".join(sorted(catalogue.baselines()[baseline].keys)) or "none"
        told = str(error)
        raise BadSetting(told if keys in told else f"{told} The settings of {baseline}: {keys}.") from None


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
        _record_evaluations(run, run.snapshot, metrics)
    return recorded


def record_evaluation(*, run: TrainingRun, snapshot: Snapshot, metrics: Mapping[str, Any]) -> None:
    """A finished run's scores on any snapshot; scores of an earlier evaluation of the same parts are replaced."""
    _record_evaluations(run, snapshot, metrics)


def _record_evaluations(run: TrainingRun, snapshot: Snapshot, metrics: Mapping[str, Any]) -> None:
    rows = [
        Evaluation(run=run, snapshot=snapshot, partition=partition, **part)
        for partition in PARTITIONS
        for part in _parts(metrics.get(partition) or {}, metrics.get("train_pairs"))
    ]
    Evaluation.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["run", "snapshot", "partition", "genre", "gold_label"],
        update_fields=["pairs", "accuracy", "majority", "voted_pairs", *DISTRIBUTION],
    )


def _parts(scores: Mapping[str, Any], train_pairs: int | None) -> Iterator[dict[str, Any]]:
    """The whole, each genre, each gold label; a part without pairs has no accuracy and no row."""
    named: list[tuple[dict[str, str], Mapping[str, Any]]] = [({}, scores)]
    named += [({"genre": genre}, part) for genre, part in scores.get("by_genre", {}).items()]
    named += [({"gold_label": label}, part) for label, part in scores.get("by_label", {}).items()]
    for name, part in named:
        if part.get("accuracy") is not None:
            # Of the training partition the program tells the accuracy alone.
            pairs = part.get("pairs", train_pairs)
            told = {"pairs": pairs, "accuracy": part["accuracy"], "majority": part.get("majority")}
            yield {**name, **told, **_distribution(part.get("distribution"))}


def _distribution(told: Mapping[str, Any] | None) -> dict[str, Any]:
    """How near the prediction is to the annotators; the program tells null where no pair has two labels."""
    return {"voted_pairs": told["pairs"], **{key: told[key] for key in DISTRIBUTION}} if told else {}


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


@transaction.atomic
def stop_run(*, run: TrainingRun) -> TrainingRun:
    """Asks for the end after a checkpoint; at once where nobody works on the run. Of a sweep it stops the
    children. Raises RunIsOver.
    """
    rows = TrainingRun.objects.run_or_its_children(run)
    # The conditions are in the UPDATEs: a worker may claim or end the run at this very moment.
    rows.takeable().update(status=Status.STOPPED, **claims.ended())
    rows.filter(status=Status.RUNNING).update(stop_requested=True)
    run.refresh_from_db()
    if run.standing in (Status.DONE, Status.FAILED):
        raise RunIsOver(f"Run {run.pk} is {run.standing}: there is nothing to stop.")
    return run


@transaction.atomic
def resume_run(*, run: TrainingRun) -> TrainingRun:
    """Puts a stopped or failed run back on the list; it goes on from its checkpoint. Of a sweep, the children
    that are not done. Raises RunIsOver.
    """
    rows = TrainingRun.objects.run_or_its_children(run)
    again = claims.wanted(TrainingRun)
    del again["requested_at"]  # pages and REST say when it was first asked for
    rows.filter(status__in=[Status.STOPPED, Status.FAILED]).update(**again)
    run.refresh_from_db()
    if run.standing == Status.DONE:
        raise RunIsOver(f"Run {run.pk} is done: there is nothing to resume.")
    if run.stop_requested:
        raise RunIsOver(f"Run {run.pk} is still writing its checkpoint: resume it when it has stopped.")
    return run


def worker_seen(*, name: str, queues: str | Iterable[str]) -> None:
    """A worker's sign of life. One statement: two of them at once do not meet."""
    now = timezone.now()
    listed = queues if isinstance(queues, str) else ",".join(queues)
    Worker.objects.bulk_create(
        [Worker(name=name[:200], queues=listed[:200], started_at=now, seen_at=now)],
        update_conflicts=True,
        unique_fields=["name"],
        update_fields=["queues", "seen_at"],
    )


def forget_workers() -> int:
    """Drops workers that have not been seen for a month; returns how many."""
    gone, _ = Worker.objects.filter(seen_at__lt=timezone.now() - FORGET_WORKERS_AFTER).delete()
    return gone
