"""Reads the data map of a run: how the network predicted each training pair in the course of training.

Swayamdipta et al., "Dataset Cartography: Mapping and Diagnosing Datasets with Training Dynamics", EMNLP 2020, section 2. As
there, a region is a third of the pairs: with the least confidence (hard to learn), with the most variability (ambiguous),
with the most confidence (easy to learn). Regions overlap.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import orjson

from modeling.folders import folder_of
from modeling.models import TrainingRun
from modeling.results.pair_values import Values
from modeling.results.predicted import Read, cached
from modeling.results.predictions import BadChoice, BadPlace, has, numbers_of

EDITION = 1  # counts up when the format of the cached file changes
TRAINING_DYNAMICS = "training_dynamics.jsonl"
ALL, HARD, AMBIGUOUS, EASY, NEVER = "all", "hard", "ambiguous", "easy", "never"
REGIONS = {
    HARD: "hard to learn: least confidence",
    AMBIGUOUS: "ambiguous: most variability",
    EASY: "easy to learn: most confidence",
    NEVER: "never right",
    ALL: "all, as in the training file",
}
STEPS = 5  # of each measure in the table
THIRD = 3
Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]


class NoDataMap(Exception):
    """The run has no training dynamics here. The sentence says why."""


@dataclass(frozen=True)
class DataMap:
    """Each training pair with its confidence, variability and correctness (0 to 1), in the order of the training file."""

    ids: list[str]
    gold: Values
    genre: Values
    epochs: npt.NDArray[np.int32]
    confidence: Floats
    variability: Floats
    correctness: Floats

    def counts(
        self, region: str, label: Collection[str], genre: Collection[str]
    ) -> dict[str, list[tuple[str, int]]]:
        """Returns region, label and genre -> values with their pairs under the other two. Raises BadChoice."""

        def among(rows: Rows, values: Values) -> list[tuple[str, int]]:
            keep = np.zeros(len(self.ids), dtype=np.bool_)
            keep[rows] = True
            return numbers_of(values, keep)

        return {
            "region": [(name, len(self.chosen(name, label, genre))) for name in REGIONS],
            "label": among(self.chosen(region, genre=genre), self.gold),
            "genre": among(self.chosen(region, label), self.genre),
        }

    def chosen(
        self, region: str, label: str | Collection[str] = (), genre: str | Collection[str] = ()
    ) -> Rows:
        """Returns the pairs of a region, with one of these labels and genres, the most typical first. Raises BadChoice."""
        keys = {
            HARD: self.confidence,
            AMBIGUOUS: -self.variability,
            EASY: -self.confidence,
            NEVER: self.confidence,
            ALL: np.zeros(len(self.ids)),
        }
        if region not in keys:
            raise BadChoice("region", region, list(REGIONS))
        order = np.argsort(keys[region], kind="stable")
        if region in (HARD, AMBIGUOUS, EASY):
            order = order[: -(-len(self.ids) // THIRD)]
        keep = np.ones(len(self.ids), dtype=np.bool_) if region != NEVER else self.correctness == 0
        for values, value in ((self.gold, label), (self.genre, genre)):
            if value:
                keep = keep & has(values, value)
        return order[keep[order]]

    def ordered(self, rows: Rows, sort: str) -> Rows:
        """Returns rows of `chosen` by a key of `keys`, after "-" the largest first; as they are for any other."""
        key = self.keys.get(sort.removeprefix("-"))
        return (
            rows
            if key is None
            else rows[np.argsort(-key[rows] if sort[0] == "-" else key[rows], kind="stable")]
        )

    @property
    def keys(self) -> dict[str, npt.NDArray[Any]]:
        """Returns what rows are ordered by: the place in the file, the gold label and the genre by name, the measures."""
        return {
            "pair": np.arange(len(self.ids)),
            "gold": self.gold.ranks(),
            "genre": self.genre.ranks(),
            **{name: getattr(self, name) for name in ("confidence", "variability", "correctness", "epochs")},
        }

    def page(self, rows: Rows, after: str, size: int) -> tuple[list[int], str]:
        """Returns at most `size` of the rows after the pair `after`, and the pair after which the next page begins.

        Raises BadPlace.
        """
        start = 0
        if after:
            places = [place for place, row in enumerate(rows.tolist()) if self.ids[row] == after]
            if not places:
                raise BadPlace("This cursor is invalid. Begin again without one.")
            start = places[0] + 1
        shown = rows[start : start + size].tolist()
        return shown, self.ids[shown[-1]] if start + len(shown) < len(rows) else ""

    def points(self, most: int) -> list[dict[str, Any]]:
        """Returns at most `most` pairs, evenly spread over the training file, for a chart."""
        every = max(1, -(-len(self.ids) // most))
        return [self.point(row) for row in range(0, len(self.ids), every)]

    def point(self, row: int) -> dict[str, Any]:
        """Returns one pair as it is in the file."""
        return {
            "pairID": self.ids[row],
            "gold": self.gold.names[self.gold.codes[row, 0]],
            "genre": self.genre.names[self.genre.codes[row, 0]],
            "epochs": int(self.epochs[row]),
            "confidence": float(self.confidence[row]),
            "variability": float(self.variability[row]),
            "correctness": float(self.correctness[row]),
        }

    def table(self) -> tuple[list[str], list[tuple[str, list[int]]]]:
        """Counts the pairs by confidence (rows, the highest first) and variability (columns): the map as a table.

        The standard deviation of numbers from 0 to 1 is 0.5 at most.
        """
        counts, _, _ = np.histogram2d(
            self.confidence, self.variability, bins=(STEPS, STEPS), range=((0, 1), (0, 0.5))
        )
        rows = [(_between(place, 1.0), counts[place].astype(int).tolist()) for place in range(STEPS)]
        return [_between(place, 0.5) for place in range(STEPS)], rows[::-1]


def _between(place: int, highest: float) -> str:
    return f"{place * highest / STEPS:.1f} to {(place + 1) * highest / STEPS:.1f}"


def data_map_file(run: TrainingRun) -> Path:
    return folder_of(run) / TRAINING_DYNAMICS


def data_map(run: TrainingRun) -> DataMap:
    """Reads the data map of a run. Raises NoDataMap."""
    try:
        head, arrays = cached(data_map_file(run), "data_maps", EDITION, _parsed)
    except FileNotFoundError:
        why = (
            "only what learns in epochs has some, or its files are on another machine"
            if run.status == TrainingRun.Status.DONE
            else f"it is {run.standing}; they come when it is done"
        )
        raise NoDataMap(f"Run {run.pk} has no training dynamics here: {why}.") from None
    return DataMap(
        head["ids"],
        Values(head["labels"], arrays["gold"]),
        Values(head["genres"], arrays["genre"]),
        arrays["epochs"],
        arrays["confidence"],
        arrays["variability"],
        arrays["correctness"],
    )


def _parsed(path: Path) -> Read:
    with path.open("rb") as stream:
        lines: Sequence[dict[str, Any]] = [orjson.loads(data) for data in stream]
    gold, genre = (Values.of([(line[key],) for line in lines]) for key in ("gold", "genre"))
    measures = ("confidence", "variability", "correctness")
    return {"ids": [line["pairID"] for line in lines], "labels": gold.names, "genres": genre.names}, {
        "gold": gold.codes,
        "genre": genre.codes,
        "epochs": np.array([line["epochs"] for line in lines], dtype=np.int32),
        **{key: np.array([line[key] for line in lines], dtype=np.float64) for key in measures},
    }
