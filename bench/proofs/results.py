"""What runs answered, and the figures made of that. Accuracies are in percent."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from bench.proofs.runs import Place, Run
from modeling.paired import mean_and_spread, paired_p

Booleans = npt.NDArray[np.bool_]
NOTHING = "–"


@dataclass(frozen=True)
class Answers:
    """The gold label, genre and rightness of each pair (pairs,), in the order of the corpus's file."""

    gold: npt.NDArray[np.str_]
    genre: npt.NDArray[np.str_]
    right: Booleans

    def accuracy(self, where: Booleans | None = None) -> float:
        """Of the pairs chosen, or of all."""
        return 100 * float((self.right if where is None else self.right[where]).mean())


@cache
def read_answers(path: Path) -> Answers:
    """A predictions file of a run folder."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    gold = np.array([row["gold"] for row in rows])
    return Answers(gold, np.array([row["genre"] for row in rows]), gold == [row["predicted"] for row in rows])


@dataclass(frozen=True)
class Results:
    """The answers of several runs that differ in their seed, those that are done: of `partition`, or of the
    test part of another corpus.
    """

    place: Place
    runs: Sequence[Run]
    on: str | None = None
    partition: str = "test"

    def by_seed(self) -> dict[int, Answers]:
        """{seed: answers}"""
        paths = {
            run.seed: self.place.folder(run, self.on) / f"predictions-{self.partition}.jsonl"
            for run in self.runs
        }
        return {seed: read_answers(path) for seed, path in paths.items() if is_done(path.parent)}

    def accuracy(self, where: Booleans | None = None) -> str:
        """Mean and spread over seeds."""
        return figure([one.accuracy(where) for one in self.by_seed().values()])

    def mean(self) -> float | None:
        """Mean accuracy over seeds; None where none is done."""
        values = [one.accuracy() for one in self.by_seed().values()]
        return mean_and_spread(values)[0] if values else None

    def of_label(self, label: str) -> str:
        """Mean accuracy of the pairs with this gold label."""
        return figure([one.accuracy(one.gold == label) for one in self.by_seed().values()], spread=False)

    def of_genre(self, genre: str) -> list[float]:
        """Accuracies of the pairs of a genre, one a seed."""
        return [one.accuracy(one.genre == genre) for one in self.by_seed().values()]

    def seeds(self) -> str:
        """How many seeds are done."""
        return str(len(self.by_seed()))

    def train_accuracy(self) -> str:
        """On what was learnt from."""
        done = [metrics(self.place, run) for run in self.runs]
        return figure([100 * one["train"]["accuracy"] for one in done if one], spread=False)


def is_done(folder: Path) -> bool:
    return (folder / "metrics.json").is_file()


def metrics(place: Place, run: Run) -> dict[str, Any]:
    """metrics.json of a run; empty where it is not done."""
    folder = place.folder(run)
    if not is_done(folder):
        return {}
    read: dict[str, Any] = json.loads((folder / "metrics.json").read_text(encoding="utf-8"))
    return read


def figure(values: Sequence[float], *, spread: bool = True) -> str:
    """Mean and, after ±, the sample standard deviation, with one decimal; a dash for nothing."""
    if not values:
        return NOTHING
    mean, deviation = mean_and_spread(values)
    return f"{mean:.1f} ± {deviation:.1f}" if spread and deviation is not None else f"{mean:.1f}"


def compare(first: Results, second: Results) -> str:
    """The difference in points, over the seeds that both have, and the p-value of the exact paired test."""
    ours, theirs = first.by_seed(), second.by_seed()
    seeds = sorted(ours.keys() & theirs.keys())
    if not seeds:
        return NOTHING
    one, other = (np.sum([answers[seed].right for seed in seeds], axis=0) for answers in (ours, theirs))
    difference = 100 * float((one - other).mean()) / len(seeds)
    return f"{difference:+.1f} ({p_value(paired_p(one.tolist(), other.tolist()))})"


def p_value(p: float) -> str:
    """Three decimals, or that it is smaller."""
    return f"p = {p:.3f}" if p >= 0.0005 else "p < 0.001"


def markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
