"""Reads the predictions of runs, and computes the figures of the tables. Accuracies are in percent."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from bench.proofs.runs import Place, Run
from modeling.paired_tests import mean_and_spread, paired_p

Booleans = npt.NDArray[np.bool_]
NOTHING = "–"


@dataclass(frozen=True)
class Answers:
    """For each pair (pairs,).

    Gold label, genre, and whether the prediction is right, in the order of the corpus's file.
    """

    gold: npt.NDArray[np.str_]
    genre: npt.NDArray[np.str_]
    right: Booleans

    def accuracy(self, where: Booleans | None = None) -> float:
        """Returns the accuracy of the chosen pairs, or of all."""
        return 100 * float((self.right if where is None else self.right[where]).mean())


@cache
def read_answers(path: Path) -> Answers:
    """Reads the predictions file of a run folder."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    gold = np.array([row["gold"] for row in rows])
    return Answers(gold, np.array([row["genre"] for row in rows]), gold == [row["predicted"] for row in rows])


@dataclass(frozen=True)
class Results:
    """The predictions of finished runs that differ only in their seed.

    `partition`: of the corpus; or the test partition of another corpus.
    """

    place: Place
    runs: Sequence[Run]
    on: str | None = None
    partition: str = "test"

    def by_seed(self) -> dict[int, Answers]:
        """Returns {seed: predictions}."""
        paths = {
            run.seed: self.place.folder(run, self.on) / f"predictions-{self.partition}.jsonl"
            for run in self.runs
        }
        return {
            seed: read_answers(path) for seed, path in paths.items() if is_done(path.parent) and path.exists()
        }

    def accuracy(self, where: Booleans | None = None) -> str:
        """Returns mean and spread over seeds."""
        return figure([one.accuracy(where) for one in self.by_seed().values()])

    def mean(self) -> float | None:
        """Returns the mean accuracy over seeds; None if no run is finished."""
        values = [one.accuracy() for one in self.by_seed().values()]
        return mean_and_spread(values)[0] if values else None

    def majority(self) -> str:
        """Returns the share of the commonest gold label."""
        golds = [one.gold for one in self.by_seed().values()][:1]
        return figure(
            [100 * float(np.unique(gold, return_counts=True)[1].max() / len(gold)) for gold in golds]
        )

    def of_label(self, label: str) -> str:
        """Returns the mean accuracy of the pairs with this gold label."""
        return figure([one.accuracy(one.gold == label) for one in self.by_seed().values()], spread=False)

    def of_genre(self, genre: str) -> list[float]:
        """Returns the accuracies of the pairs of a genre, one for each seed."""
        return [one.accuracy(one.genre == genre) for one in self.by_seed().values()]

    def seeds(self) -> str:
        """Returns the number of finished seeds."""
        return str(len(self.by_seed()))

    def train_accuracy(self) -> str:
        """Returns the accuracy on the training pairs."""
        done = [metrics(self.place, run) for run in self.runs]
        return figure([100 * one["train"]["accuracy"] for one in done if one], spread=False)


def is_done(folder: Path) -> bool:
    return (folder / "metrics.json").is_file()


def metrics(place: Place, run: Run) -> dict[str, Any]:
    """Returns metrics.json of a run; empty if it is not finished."""
    folder = place.folder(run)
    if not is_done(folder):
        return {}
    read: dict[str, Any] = json.loads((folder / "metrics.json").read_text(encoding="utf-8"))
    return read


def figure(values: Sequence[float], *, spread: bool = True) -> str:
    """Returns mean ± sample standard deviation with one decimal; a dash if there is none."""
    if not values:
        return NOTHING
    mean, deviation = mean_and_spread(values)
    return f"{mean:.1f} ± {deviation:.1f}" if spread and deviation is not None else f"{mean:.1f}"


def compare(first: Results, second: Results) -> str:
    """Returns the difference in points over common seeds, and the p-value of the exact paired test."""
    ours, theirs = first.by_seed(), second.by_seed()
    seeds = sorted(ours.keys() & theirs.keys())
    if not seeds:
        return NOTHING
    one, other = (np.sum([answers[seed].right for seed in seeds], axis=0) for answers in (ours, theirs))
    difference = 100 * float((one - other).mean()) / len(seeds)
    return f"{difference:+.1f} ({p_value(paired_p(one, other))})"


def p_value(p: float) -> str:
    """Returns the p-value with three decimals, or that it is smaller than 0.001."""
    return f"p = {p:.3f}" if p >= 0.0005 else "p < 0.001"


def markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Returns a table in Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
