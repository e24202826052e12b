"""The usual sets of runs on a snapshot, each requested by one button."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from modeling import catalogue
from modeling.baselines.catalogue import with_preset
from modeling.models import TrainingRun

NEWEST = 200  # finished runs that tell how long a run takes
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
    """A set of runs for one snapshot. `minutes`: by earlier runs with these settings; None if there is none of some."""

    usual: UsualRuns
    runs: int
    minutes: float | None


def offers(pairs: int) -> list[Offer]:
    """Returns all sets for a snapshot with so many training pairs, by one query."""
    done = TrainingRun.objects.filter(
        status=TrainingRun.Status.DONE, seconds__isnull=False, train_pairs__gt=0
    ).order_by("-pk")
    rows: list[Any] = list(done.values("baseline", "config", "seconds", "train_pairs")[:NEWEST])
    return [_offer(usual, pairs, rows) for usual in USUAL.values()]


def _offer(usual: UsualRuns, pairs: int, done: Sequence[dict[str, Any]]) -> Offer:
    sizes = usual.sizes(pairs) or [pairs]
    runs, seconds = 0, 0.0
    is_known = True
    for baseline in usual.baselines:
        config = with_preset(baseline, usual.preset, {})
        earlier = next((row for row in done if row["baseline"] == baseline and row["config"] == config), None)
        seeds = len(usual.seeds_of(baseline))
        runs += seeds * len(sizes)
        is_known = is_known and earlier is not None
        if earlier is not None:
            seconds += seeds * sum(sizes) * earlier["seconds"] / earlier["train_pairs"]
    return Offer(usual, runs, seconds / 60 if is_known else None)
