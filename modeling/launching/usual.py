"""The usual sets of runs on a snapshot, each requested by one button."""

from dataclasses import dataclass

from modeling import catalogue
from modeling.baselines.catalogue import with_preset
from modeling.launching.durations import Done, plan_of

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
