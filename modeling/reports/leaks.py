"""Counts what two parts of snapshots have in common: pairs, premises, hypotheses, groups, and near duplicates."""

from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from modeling.reports.near_duplicates import Shingles, near_duplicates, shingles_of, words_of
from nli.lines import PARTITION_FILES
from nli.tokens import characters, digest, writes_without_spaces
from snapshots.files.reading import lines
from snapshots.models import Snapshot

EDITION = 1  # counts up when what is counted changes
TOLD_EVERY = 1_000  # lines
Place = tuple[Snapshot, str]


@dataclass(frozen=True)
class Leak:
    """The number of `pairs` that have each thing in common with the other part.

    `example`: two ids of a near duplicate.
    """

    pairs: int
    same_pair: int
    same_premise: int
    same_hypothesis: int
    same_prompt: int
    same_group: int
    near: int
    example: str


@dataclass(frozen=True)
class Part:
    """What is compared of the pairs of a part: for each property a number for each pair, and the shingles of its texts."""

    path: Path
    digests: dict[str, npt.NDArray[np.uint64]]
    shingles: Shingles


def read_part(place: Place, progress: Callable[[int], None]) -> Part:
    """Reads the file of a part. Calls `progress` with the lines that it has read."""
    snapshot, partition = place
    path = snapshot.folder / PARTITION_FILES[partition]
    digests = {name: array("Q") for name in ("pair", "premise", "hypothesis", "prompt", "group")}

    def texts() -> Iterator[tuple[str, str]]:
        for done, line in enumerate(lines(path)):
            if done % TOLD_EVERY == 0:
                progress(done)
            for name, number in _digests(line).items():
                digests[name].append(number)
            yield line["sentence1"], line["sentence2"]

    cut = characters if writes_without_spaces(snapshot.corpus.language) else words_of
    shingles = shingles_of(texts(), cut)
    arrays = {name: np.array(numbers, dtype=np.uint64) for name, numbers in digests.items()}
    return Part(path, arrays, shingles)


def compared(ours: Part, theirs: Part, progress: Callable[[float], None]) -> Leak:
    """Compares two parts. Calls `progress` with the share that is done, from 0 to 1."""
    same = {
        name: np.isin(numbers, theirs.digests[name]) & (numbers != 0)
        for name, numbers in ours.digests.items()
    }
    near = {
        text: other
        for text, other in near_duplicates(ours.shingles, theirs.shingles, progress).items()
        if not same["pair"][text]
    }
    example = next((f"{_id(ours, text)} and {_id(theirs, other)}" for text, other in near.items()), "")
    counts = {f"same_{name}": int(found.sum()) for name, found in same.items()}
    return Leak(pairs=len(same["pair"]), **counts, near=len(near), example=example)


def _id(part: Part, place: int) -> str:
    return str(next(islice(lines(part.path), place, None))["pairID"])


def _digests(line: dict[str, Any]) -> dict[str, int]:
    """Returns a number for each property that two pairs can share; 0 for none."""
    premise, hypothesis = line["sentence1"].casefold(), line["sentence2"].casefold()
    group = line.get("group", "")
    return {
        "pair": digest(premise, hypothesis),
        "premise": digest(premise),
        "hypothesis": digest(hypothesis),
        "prompt": digest(line["promptID"]),
        "group": digest(group) if group else 0,
    }
