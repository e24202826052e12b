"""The usual sets of runs on a snapshot, each requested by one button, and how long runs take, by those that are done."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from modeling import catalogue
from modeling.baselines.catalogue import with_preset
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


SEEDS = (1, 2, 3)


@dataclass(frozen=True)
class UsualRuns:
    """A set of runs. `seeds`: of each baseline, but of `majority`, which has no chance in it, one.

    shares: parts of the training pairs, for a learning curve; empty: all pairs.
    """

    name: str
    title: str
    about: str
    baselines: tuple[str, ...]
    seeds: tuple[int, ...] = SEEDS
    preset: str = catalogue.DEFAULT
    shares: tuple[float, ...] = ()

    def seeds_of(self, baseline: str) -> tuple[int, ...]:
        return self.seeds[:1] if baseline == "majority" else self.seeds

    def sizes(self, pairs: int) -> list[int]:
        """Returns the training sizes, smallest first; empty if each run learns from all pairs."""
        return sorted({size for share in self.shares if (size := round(share * pairs))})


USUAL = {
    each.name: each
    for each in (
        UsualRuns(
            "bias",
            "Bias check",
            "Majority class, hypothesis only and cbow: how much do the hypotheses give away?",
            ("majority", "hypothesis_only", "cbow"),
            seeds=(1,),
        ),
        UsualRuns(
            "paper",
            "The paper’s table",
            "Majority class, cbow, bilstm and esim with the settings as published, three seeds (MultiNLI, Table 4).",
            ("majority", "cbow", "bilstm", "esim"),
            preset=catalogue.PAPER,
        ),
        UsualRuns(
            "curve",
            "Learning curve",
            "Cbow on a sixteenth, an eighth, a quarter, a half and all of the pairs, three seeds: do more pairs help?",
            ("cbow",),
            shares=(1 / 16, 1 / 8, 1 / 4, 1 / 2, 1),
        ),
        UsualRuns(
            "pretrained", "Pretrained", "A pretrained encoder, fine-tuned, three seeds.", ("pretrained",)
        ),
    )
}


@dataclass(frozen=True)
class Offer:
    """A set of runs for one snapshot. `minutes`: None if a baseline of it has no earlier run with these settings."""

    usual: UsualRuns
    runs: int
    minutes: float | None


def offers(pairs: int, done: Done) -> list[Offer]:
    """Returns all sets for a snapshot with so many training pairs."""
    return [_offer(usual, pairs, done) for usual in USUAL.values()]


def _offer(usual: UsualRuns, pairs: int, done: Done) -> Offer:
    sizes = usual.sizes(pairs) or [pairs]
    plans = [
        plan_of(
            baseline,
            with_preset(baseline, usual.preset, {}),
            sizes * len(usual.seeds_of(baseline)),
            done,
        )
        for baseline in usual.baselines
    ]
    minutes = [plan.minutes for plan in plans if plan.minutes is not None]
    return Offer(
        usual, sum(plan.runs for plan in plans), sum(minutes) if len(minutes) == len(plans) else None
    )
