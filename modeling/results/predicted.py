"""Reads the predictions of a run on a partition as arrays: label, probability, and whether it is correct.

`cached` keeps what was read of a large file as arrays beside it, which load in a fraction of the time.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import orjson

from modeling.results.pair_values import Values
from snapshots.files.draft_folders import draft_file

Read = tuple[Mapping[str, Any], Mapping[str, Any]]  # a JSON-ready head, and arrays by name
EDITION = 1  # counts up when the format of the cached file changes
BINS = 10
Codes = npt.NDArray[np.int32]
Shares = npt.NDArray[np.float64]


def cached(path: Path, kind: str, edition: int, parse: Callable[[Path], Read]) -> Read:
    """Returns the result of `parse` for a file: from the cache if that belongs to this exact file, else computed.

    The cache is a file beside it, so that it goes when the run's folder does, and a changed file has no second one.
    `edition` is increased whenever the result of `parse` changes. Raises FileNotFoundError.
    """
    facts = path.stat()
    version = [edition, facts.st_size, facts.st_mtime_ns]
    target = path.with_name(f"{path.name}.{kind}.npz")
    try:
        with np.load(target) as found:
            head = orjson.loads(found["head"].tobytes())
            if head["version"] == version:
                return head["content"], {name: found[name] for name in found.files}
    except FileNotFoundError:
        pass
    content, arrays = parse(path)
    head = orjson.dumps({"version": version, "content": content})
    with (
        suppress(PermissionError),
        draft_file(target) as draft,
    ):  # another machine's folder may be read-only here
        np.savez(draft, head=np.frombuffer(head, dtype=np.uint8), **arrays)
    return content, arrays


@dataclass(frozen=True)
class Predicted:
    """The predictions of a run on a partition, in the order of the file.

    `gold` and `codes` are indices in `names`: the gold label and the predicted label of each pair. `shares` has the
    probability of each label, (pairs, labels).
    """

    ids: list[str]
    names: list[str]
    gold: Codes
    codes: Codes
    shares: Shares

    @property
    def right(self) -> npt.NDArray[np.bool_]:
        return self.codes == self.gold

    @property
    def confidence(self) -> Shares:
        """Returns the probability of the predicted label of each pair."""
        return self.shares.max(axis=1, initial=0)

    @property
    def of_gold(self) -> Shares:
        """Returns the probability of the gold label of each pair."""
        return self.shares[np.arange(len(self.gold)), self.gold]

    @property
    def gold_values(self) -> Values:
        return Values(self.names, self.gold[:, None])

    @property
    def predicted_values(self) -> Values:
        return Values(self.names, self.codes[:, None])

    @cached_property
    def places(self) -> dict[str, int]:
        """Returns the row of each pair id."""
        return {name: row for row, name in enumerate(self.ids)}

    def in_order_of(self, other: "Predicted") -> "Predicted":
        """Returns these predictions in the order of the other's pairs, with its list of ids, so that many need one list.

        Raises KeyError with the id of a pair that is not predicted here.
        """
        if self.ids == other.ids:
            return replace(self, ids=other.ids)
        rows = np.array([self.places[name] for name in other.ids], dtype=np.int64)
        return Predicted(other.ids, self.names, self.gold[rows], self.codes[rows], self.shares[rows])

    def calibration(self) -> list[list[float]]:
        """Returns [lower end, upper end, pairs, mean probability, correct] of each bin that has pairs.

        The bins of the predicted label's probability are equally wide (Guo et al., "On Calibration of Modern Neural
        Networks", ICML 2017, section 2).
        """
        confidence = self.confidence
        bins = np.clip(np.ceil(confidence * BINS).astype(np.int64) - 1, 0, BINS - 1)
        pairs = np.bincount(bins, minlength=BINS)
        total = np.bincount(bins, weights=confidence, minlength=BINS)
        correct = np.bincount(bins, weights=self.right, minlength=BINS)
        return [
            [
                place / BINS,
                (place + 1) / BINS,
                int(pairs[place]),
                total[place] / pairs[place],
                int(correct[place]),
            ]
            for place in range(BINS)
            if pairs[place]
        ]


def read_predicted(path: Path) -> Predicted:
    """Reads a file of predictions. Raises FileNotFoundError."""
    head, arrays = cached(path, "predicted", EDITION, _parsed)
    return Predicted(head["ids"], head["names"], arrays["gold"], arrays["codes"], arrays["shares"])


def _parsed(path: Path) -> Read:
    ids: list[str] = []
    gold: list[int] = []
    codes: list[int] = []
    shares: list[dict[str, float]] = []
    names: dict[str, int] = {}
    with path.open("rb") as stream:
        for data in stream:
            line: dict[str, Any] = orjson.loads(data)
            if not names:  # the order of the labels is that of the outputs
                names = {label: place for place, label in enumerate(line["probabilities"])}
            ids.append(line["pairID"])
            gold.append(names.setdefault(line["gold"], len(names)))
            codes.append(names.setdefault(line["predicted"], len(names)))
            shares.append(line["probabilities"])
    table = np.array([[row.get(label, 0.0) for label in names] for row in shares], dtype=np.float64)
    return {"ids": ids, "names": list(names)}, {
        "gold": np.array(gold, dtype=np.int32),
        "codes": np.array(codes, dtype=np.int32),
        "shares": table.reshape(len(ids), len(names)),
    }
