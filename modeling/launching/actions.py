"""Requests runs and sweeps, stops and resumes them: one function a state change, one transaction each."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.db import transaction
from django.db.models import Q

from accounts.idempotency import record_submission
from accounts.models import User
from jobs import claims
from jobs import tasks as jobs
from modeling import catalogue
from modeling.launching.regimes import BadRegime, check_regime, check_sizes, training_pairs
from modeling.models import TrainingRun
from snapshots.models import Snapshot

Status = TrainingRun.Status
MOST_CHILDREN = 200
LARGEST_SEED = 2**31 - 1  # what the column holds


class ModelingError(Exception):
    """A request about a run breaks a rule."""


class UnknownBaseline(ModelingError):
    def __init__(self, name: str) -> None:
        super().__init__(f"There is no baseline {name!r}. The baselines: {', '.join(catalogue.baselines())}.")


class BadSetting(ModelingError):
    """A setting that the baseline does not have. The sentence names key, value and the valid keys."""


class RefusedRegime(ModelingError):
    """An invalid regime. `key` names the part."""

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
            f"{snapshot} has no train part with gold labels, so no baseline can be trained on it: import or freeze a "
            "train part. A finished run can be evaluated on it."
        )


class RunIsOver(ModelingError):
    """The state of the run does not allow the request."""


def request_run(
    *,
    snapshot: Snapshot,
    baseline: str,
    seed: int = 1,
    vectors: str = catalogue.PACKAGED_VECTORS,
    config: Mapping[str, object] | None = None,
    regime: Mapping[str, Any] | None = None,
    by: User | None = None,
) -> TrainingRun:
    """Queues a run. Raises UnknownBaseline, BadSetting, SnapshotNotFrozen,
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
    config: Mapping[str, object] | None = None,
    regime: Mapping[str, Any] | None = None,
    by: User | None = None,
) -> TrainingRun:
    """Queues one run for each seed and training size. Returns their parent, which trains nothing itself.

    Without `sizes`, `regime` says how much each learns from. Raises what request_run raises.
    """
    asked = _asked(snapshot, baseline, vectors, config, regime, by)
    most = asked.pop("most")
    if sizes and most:
        raise RefusedRegime(BadRegime("most", "the list of sizes sets it already: give one of the two."))
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
    """Makes a run by `ask`, once for each idempotency key. Returns it and whether it is new.

    Without a key each request is new. Raises what `ask` raises, KeyReused, KeyUnusable.
    """
    if not key:
        return ask(), True
    # This comes first: a second request with the same key waits here for the commit.
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
    config: Mapping[str, object] | None,
    regime: Mapping[str, Any] | None,
    by: User | None,
) -> dict[str, Any]:
    """Checks a request. Returns the columns that all runs of a sweep share."""
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
        # A baseline that reads no vectors names none.
        "vectors": vectors if catalogue.baselines()[baseline].reads_vectors else "",
        "config": checked,
        "most": kept.pop("most", None),
        "regime": kept,
        "requested_by": by,
    }


def check_settings(*, baseline: str, config: Mapping[str, object]) -> dict[str, Any]:
    """Returns the settings in their types, sorted, so that equal ones compare equal. Raises UnknownBaseline, BadSetting."""
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


@transaction.atomic
def stop_run(*, run: TrainingRun) -> TrainingRun:
    """Stops a run: after its next checkpoint, or at once if no worker has it. Stops the children of a sweep.

    Raises RunIsOver.
    """
    rows = TrainingRun.objects.run_or_its_children(run)
    # The UPDATEs have the conditions: a worker may claim or end the run at this moment.
    rows.claimable().update(status=Status.STOPPED, **claims.ended())
    rows.filter(status=Status.RUNNING).update(stop_requested=True)
    run.refresh_from_db()
    if run.standing in (Status.DONE, Status.FAILED):
        raise RunIsOver(f"Run {run.pk} is {run.standing}: there is nothing to stop.")
    return run


@transaction.atomic
def resume_run(*, run: TrainingRun) -> TrainingRun:
    """Queues a stopped or failed run again: it continues from its checkpoint. Of a sweep, the unfinished children.

    Raises RunIsOver.
    """
    rows = TrainingRun.objects.run_or_its_children(run)
    again = claims.wanted(TrainingRun)
    del again["requested_at"]  # stays the time of the first request
    rows.filter(status__in=[Status.STOPPED, Status.FAILED]).update(**again)
    run.refresh_from_db()
    if run.standing == Status.DONE:
        raise RunIsOver(f"Run {run.pk} is done: there is nothing to resume.")
    if run.stop_requested:
        raise RunIsOver(f"Run {run.pk} is still writing its checkpoint: resume it when it has stopped.")
    return run


def enqueue(run_id: int) -> None:
    """Sends the message of a run after the commit, or the messages of a sweep's children."""
    waiting = TrainingRun.objects.waiting().filter(Q(pk=run_id) | Q(parent=run_id))
    jobs.enqueue(*waiting.order_by("most", "seed"))
