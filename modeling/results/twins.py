"""Finds the hypothesis-only twin of a run, and the run of a twin."""

from modeling import catalogue
from modeling.models import TrainingRun

TWIN = "hypothesis_only"  # the key of a regime


def twin_of(run: TrainingRun) -> TrainingRun | None:
    """Returns the newest finished run with the same network, settings and seed that reads each premise as empty.

    None for a run that is a twin itself.
    """
    return None if run.regime.get(TWIN) else _counterpart(run, {**run.regime, TWIN: True})


def full_run_of(run: TrainingRun) -> TrainingRun | None:
    """Returns the newest finished run of which `run` is the twin."""
    rest = {key: value for key, value in run.regime.items() if key != TWIN}
    return _counterpart(run, rest) if run.regime.get(TWIN) else None


def reads_premises(run: TrainingRun) -> bool:
    """Returns whether a hypothesis-only twin of this run would differ from it."""
    known = catalogue.baselines().get(run.baseline)  # a baseline may have been removed since
    return bool(known and known.reads_premises and not run.regime.get(TWIN) and not run.is_sweep)


def is_twin(run: TrainingRun, other: TrainingRun) -> bool:
    """Returns whether `other` is a hypothesis-only twin of `run`."""
    same = ("snapshot_id", "baseline", "vectors", "config", "most", "seed")
    return other.regime == {**run.regime, TWIN: True} != run.regime and all(
        getattr(run, name) == getattr(other, name) for name in same
    )


def _counterpart(run: TrainingRun, regime: dict[str, object]) -> TrainingRun | None:
    columns = ("snapshot", "baseline", "vectors", "most", "seed")
    rows = TrainingRun.objects.filter(
        status=TrainingRun.Status.DONE, **{name: getattr(run, name) for name in columns}
    )
    # Compared here: databases differ in how they compare JSON.
    found = (one for one in rows.order_by("-pk") if (one.regime, one.config) == (regime, run.config))
    return next(found, None)
