"""Estimates how long runs will take, from runs that are done."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from modeling import catalogue
from modeling.models import TrainingRun

NEWEST = 200  # finished runs that tell how long a run takes
EPOCHS = "epochs"

Done = Sequence[dict[str, Any]]


@dataclass(frozen=True)
class Plan:
    """A number of runs. `minutes`: by earlier runs with these settings; None if there is none."""

    runs: int
    minutes: float | None


def done_runs() -> Done:
    """Returns the newest finished runs, by one query."""
    done = TrainingRun.objects.filter(
        status=TrainingRun.Status.DONE, seconds__isnull=False, train_pairs__gt=0
    ).order_by("-pk")
    rows: Any = done.values("baseline", "config", "seconds", "train_pairs")[:NEWEST]
    return list(rows)


def seconds_for_a_pair(baseline: str, config: Mapping[str, Any], done: Done) -> float | None:
    """Returns the seconds for each training pair, by the newest run with these settings.

    The number of epochs may differ: the time grows with it. None if there is no such run.
    """
    wanted = _without_epochs(config)
    for row in done:
        if row["baseline"] == baseline and _without_epochs(row["config"]) == wanted:
            epochs = _epochs(baseline, config) / _epochs(baseline, row["config"])
            return float(row["seconds"] / row["train_pairs"] * epochs)
    return None


def plan_of(baseline: str, config: Mapping[str, Any], sizes: Sequence[int], done: Done) -> Plan:
    """Returns the plan of runs of one baseline, each with this number of training pairs."""
    seconds = seconds_for_a_pair(baseline, config, done)
    return Plan(len(sizes), None if seconds is None else seconds * sum(sizes) / 60)


def _without_epochs(config: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in config.items() if key != EPOCHS}


def _epochs(baseline: str, config: Mapping[str, Any]) -> int:
    known = catalogue.baselines().get(baseline)
    usual = next((one.default for one in known.settings if one.key == EPOCHS), 1) if known else 1
    return max(1, int(config.get(EPOCHS, usual)))
