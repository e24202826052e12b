"""Requests runs and sweeps, stops and resumes them: each state change is one function and one transaction."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from django.db import transaction
from django.db.models import F

from accounts.idempotency import record_submission
from accounts.models import User
from jobs import claims
from modeling import catalogue
from modeling.baselines.catalogue import settings_class, with_preset
from modeling.launching.regimes import RefusedRun, bad_regime, check_regime, check_sizes, training_pairs
from modeling.launching.searches import Search, bad_search, trials_of
from modeling.launching.usual import UsualRuns
from modeling.models import TrainingRun
from shared.whole_numbers import why_no_seed
from snapshots.models import Snapshot

Status = TrainingRun.Status
MOST_CHILDREN = 200


class RunIsOver(Exception):
    """The state of the run does not allow the request."""


def why_not_frozen(snapshot: Snapshot) -> str:
    """Returns why nothing is trained or evaluated on a snapshot; an empty text if it is frozen."""
    if snapshot.status == Snapshot.Status.FROZEN:
        return ""
    return f"{snapshot} is {snapshot.status}, not frozen: train on it once it is, or freeze it again."


def check_seeds(seeds: Iterable[int]) -> None:
    """Raises RefusedRun for a seed that cannot be stored."""
    if wrong := next(filter(None, map(why_no_seed, seeds)), ""):
        raise bad_regime("seed", wrong)


def request_run(
    *,
    snapshot: Snapshot,
    baseline: str,
    seed: int = 1,
    vectors: str = catalogue.PACKAGED_VECTORS,
    preset: str = catalogue.DEFAULT,
    config: Mapping[str, object] | None = None,
    regime: Mapping[str, Any] | None = None,
    by: User | None = None,
) -> TrainingRun:
    """Queues a run with the settings of a preset, changed by `config`. Raises RefusedRun."""
    check_seeds([seed])
    asked = _asked(snapshot, baseline, vectors, preset, config, regime, by)
    return TrainingRun.objects.create(seed=seed, **claims.wanted(TrainingRun), **asked)


@transaction.atomic
def request_sweep(
    *,
    snapshot: Snapshot,
    baseline: str,
    seeds: Sequence[int],
    sizes: Sequence[int] = (),
    vectors: str = catalogue.PACKAGED_VECTORS,
    preset: str = catalogue.DEFAULT,
    config: Mapping[str, object] | None = None,
    regime: Mapping[str, Any] | None = None,
    search: Search | None = None,
    draws: int | None = None,
    by: User | None = None,
) -> TrainingRun:
    """Queues one run for each seed, training size and trial. Returns their parent, which trains nothing itself.

    Without `sizes`, `regime` limits the training pairs of each run. `search`: the values to try of each setting;
    every combination is a trial, or `draws` of them, drawn by the first seed. Raises RefusedRun.
    """
    check_seeds(seeds)
    asked = _asked(snapshot, baseline, vectors, preset, config, regime, by)
    most = asked.pop("most")
    if sizes and most:
        raise bad_regime("most", "the list of sizes sets it already: give one of the two.")
    check_sizes("sizes", sizes, snapshot, asked["regime"].get("genre"))
    if draws is not None and not search:
        raise bad_search("There is nothing to draw trials of: name settings and the values to try.")
    if search and len(sizes) > 1:
        raise bad_search("A search has one training size: leave the sizes out, or give one.")
    configs = (
        _trials(baseline, preset, config or {}, search, draws, seeds[0]) if search else [asked["config"]]
    )
    points = [
        (seed, size, each)
        for size in dict.fromkeys(sorted(sizes) or [most])
        for each in configs
        for seed in dict.fromkeys(seeds)
    ]
    if not 1 <= len(points) <= MOST_CHILDREN:
        raise bad_regime(
            "sizes",
            f"seeds times sizes and trials make {len(points)} runs; a sweep has 1 to {MOST_CHILDREN}.",
        )
    sweep = TrainingRun.objects.create(status=Status.SWEEP, seed=points[0][0], **asked)
    waiting = claims.wanted(TrainingRun)
    TrainingRun.objects.bulk_create(
        TrainingRun(parent=sweep, seed=seed, most=size, **waiting, **(asked | {"config": each}))
        for seed, size, each in points
    )
    return sweep


def whole_settings(baseline: str) -> set[str]:
    """Returns the settings of a baseline that are whole numbers."""
    return {key for key, one in settings_class(baseline).model_fields.items() if one.annotation is int}


def _trials(
    baseline: str,
    preset: str,
    config: Mapping[str, object],
    search: Search,
    draws: int | None,
    seed: int,
) -> list[dict[str, Any]]:
    """Returns the checked settings of each trial, without repetitions. Raises RefusedRun.

    The settings that all trials share are valid: what is not, the search has brought in.
    """
    twice = [key for key in search if key in config]
    if twice:
        raise bad_search(f"{twice[0]} is both set and searched over: omit one of the two.")
    found: list[dict[str, Any]] = []
    for trial in trials_of(search, draws, seed, whole_settings(baseline)):
        try:
            checked = check_settings(baseline=baseline, preset=preset, config={**config, **trial})
        except RefusedRun as error:
            raise bad_search(str(error)) from None
        if checked not in found:
            found.append(checked)
    return found


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


def request_runs(
    *,
    seeds: Sequence[int],
    sizes: Sequence[int] = (),
    search: Search | None = None,
    draws: int | None = None,
    is_sweep: bool = False,
    **asked: Any,
) -> TrainingRun:
    """Queues one run for a single seed, else a sweep. `is_sweep`: a sweep for a single seed, too.

    Raises RefusedRun.
    """
    if len(seeds) == 1 and not (is_sweep or sizes or search) and draws is None:
        return request_run(seed=seeds[0], **asked)
    return request_sweep(seeds=seeds, sizes=sizes, search=search, draws=draws, **asked)


@transaction.atomic
def request_usual(*, snapshot: Snapshot, usual: UsualRuns, by: User, key: str) -> list[TrainingRun]:
    """Queues the runs of a usual set, once for each idempotency key; returns runs and sweeps, empty for a repeat.

    Raises RefusedRun, KeyReused, KeyUnusable.
    """
    if not record_submission(user=by, key=key, content={"snapshot": snapshot.pk, "usual": usual.name}):
        return []
    sizes = usual.sizes(training_pairs(snapshot).count())
    asked: Any = {"snapshot": snapshot, "preset": usual.preset, "by": by, "sizes": sizes}
    return [
        request_runs(baseline=baseline, seeds=usual.seeds_of(baseline), **asked)
        for baseline in usual.baselines
    ]


def _asked(
    snapshot: Snapshot,
    baseline: str,
    vectors: str,
    preset: str,
    config: Mapping[str, object] | None,
    regime: Mapping[str, Any] | None,
    by: User | None,
) -> dict[str, Any]:
    """Checks a request. Returns the columns that all runs of a sweep share."""
    if refusal := why_not_frozen(snapshot):
        raise RefusedRun("snapshot", refusal)
    if not training_pairs(snapshot).exists():
        raise RefusedRun(
            "snapshot",
            f"{snapshot} has no train part with gold labels, so no baseline can be trained on it: import or freeze a "
            "train part. A finished run can be evaluated on it.",
        )
    checked = check_settings(baseline=baseline, preset=preset, config=config or {})
    stored = check_regime(snapshot=snapshot, baseline=baseline, given=regime or {})
    return {
        "snapshot": snapshot,
        "baseline": baseline,
        # A baseline that reads no vectors names none.
        "vectors": vectors if catalogue.baselines()[baseline].reads_vectors else "",
        "config": checked,
        "most": stored.pop("most", None),
        "regime": stored,
        "requested_by": by,
    }


def check_settings(
    *, baseline: str, config: Mapping[str, object], preset: str = catalogue.DEFAULT
) -> dict[str, Any]:
    """Returns the settings in their types, sorted, so that equal ones compare equal. Raises RefusedRun."""
    if baseline not in catalogue.baselines():
        raise RefusedRun(
            "baseline",
            f"There is no baseline {baseline!r}. The baselines: {', '.join(catalogue.baselines())}.",
        )
    try:
        config = with_preset(baseline, preset, config)
    except ValueError as error:
        raise RefusedRun("preset", str(error)) from None
    if not config:
        return {}
    try:
        return dict(sorted(catalogue.check(baseline, config).items()))
    except ValueError as error:
        keys, message = sorted(catalogue.baselines()[baseline].keys), str(error)
        names_all = all(key in message for key in keys)  # as it does where a key is unknown
        raise RefusedRun(
            "settings", message if names_all else f"{message} The settings of {baseline}: {', '.join(keys)}."
        ) from None


@transaction.atomic
def stop_run(*, run: TrainingRun) -> TrainingRun:
    """Stops a run: after its next checkpoint, or at once if no worker has it. Stops the children of a sweep.

    Raises RunIsOver.
    """
    rows = TrainingRun.objects.run_or_its_children(run)
    claims.stop(rows)
    run.refresh_from_db()
    if run.standing in (Status.DONE, Status.FAILED):
        raise RunIsOver(f"Run {run.pk} is {run.standing}: there is nothing to stop.")
    return run


@transaction.atomic
def resume_run(*, run: TrainingRun) -> TrainingRun:
    """Queues a stopped or failed run again: it continues from its checkpoint.

    Of a sweep, it queues the unfinished children.

    Raises RunIsOver.
    """
    rows = TrainingRun.objects.run_or_its_children(run)
    # The time of the first request stays: it is the place in the queue.
    claims.ask_again_where(rows, Status.STOPPED, Status.FAILED, requested_at=F("requested_at"))
    run.refresh_from_db()
    if run.standing == Status.DONE:
        raise RunIsOver(f"Run {run.pk} is done: there is nothing to resume.")
    if run.stop_requested:
        raise RunIsOver(f"Run {run.pk} is still writing its checkpoint: resume it when it has stopped.")
    return run
