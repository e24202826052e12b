"""Finds what two parts of snapshots have in common: pairs, premises, hypotheses, groups, and near duplicates."""

import json
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations, islice, product
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from collection.models import PARTITIONS
from modeling.reports.near_duplicates import SIMILAR, Shingles, near_duplicates, shingles_of, words_of
from nli.lines import PARTITION_FILES
from nli.tokens import characters, digest, writes_without_spaces
from snapshots.files.caches import cache_file
from snapshots.files.draft_folders import draft_file
from snapshots.files.reading import lines
from snapshots.models import Snapshot
from snapshots.statistics.paper_tables import Cell, Column, Table

EDITION = 1  # counts up when what is counted changes
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
class _Part:
    path: Path
    digests: dict[str, npt.NDArray[np.uint64]]
    shingles: Shingles


def leaks(snapshots: list[Snapshot], partition: str, most: int) -> Table:
    """Returns the counts of `count_leaks`, a row for each two parts; `partition` is ignored."""
    columns = (
        Column("part"),
        Column("compared with"),
        Column("pairs", "count"),
        Column("same pair", "count"),
        Column("same premise", "count"),
        Column("same hypothesis", "count"),
        Column("same prompt", "count"),
        Column("same group", "count"),
        Column("near duplicates", "count"),
        Column("such as"),
    )
    rows: list[list[Cell]] = []
    uncounted = 0
    for one, other in two_parts(snapshots):
        found = _stored(one, other)
        if found is None:
            uncounted += 1
        else:
            rows.append([_name(one), _name(other), *asdict(found).values()])
    names = " ".join(map(str, snapshots))
    definitions = (
        "How many pairs of the part have a pair, premise, hypothesis, prompt (id of the premise) or group that the other"
        " part has, too. Letters' case and white space do not count.",
        f"Near duplicate: no identical pair, but one with {SIMILAR:.0%} or more of the same three-word sequences in premise"
        " and hypothesis (Jaccard similarity; candidates by MinHash).",
        *(
            [f"{uncounted} comparisons are not counted yet: manage.py report {names} leaks."]
            if uncounted
            else []
        ),
    )
    return Table("leaks", "What parts have in common", columns, rows[:most], definitions)


def two_parts(snapshots: Sequence[Snapshot]) -> Iterator[tuple[Place, Place]]:
    """Yields the compared parts: those of one snapshot with each other, those of several with those of the first."""
    first, *others = snapshots
    parts = [(first, name) for name in PARTITIONS if (first.folder / PARTITION_FILES[name]).exists()]
    if not others:
        yield from ((later, earlier) for earlier, later in combinations(parts, 2))
    for other in others:
        theirs = [(other, name) for name in PARTITIONS if (other.folder / PARTITION_FILES[name]).exists()]
        yield from product(parts, theirs)


def count_leaks(snapshots: Sequence[Snapshot]) -> Iterator[str]:
    """Counts each comparison that is not stored yet, and yields its name first.

    It takes seconds per ten thousand pairs.
    """
    parts: dict[Place, _Part] = {}
    for one, other in two_parts(snapshots):
        if _stored(one, other) is not None:
            continue
        yield f"{_name(one)} with {_name(other)}"
        for place in (one, other):
            if place not in parts:
                parts[place] = _read(*place)
        found = _compared(parts[one], parts[other])
        with draft_file(_file(one, other)) as draft:
            draft.write_text(json.dumps(asdict(found)), encoding="utf-8")


def _compared(ours: _Part, theirs: _Part) -> Leak:
    same = {
        name: np.isin(numbers, theirs.digests[name]) & (numbers != 0)
        for name, numbers in ours.digests.items()
    }
    near = {
        text: other
        for text, other in near_duplicates(ours.shingles, theirs.shingles).items()
        if not same["pair"][text]
    }
    example = next((f"{_id(ours, text)} and {_id(theirs, other)}" for text, other in near.items()), "")
    counts = {f"same_{name}": int(found.sum()) for name, found in same.items()}
    return Leak(pairs=len(same["pair"]), **counts, near=len(near), example=example)


def _read(snapshot: Snapshot, partition: str) -> _Part:
    path = snapshot.folder / PARTITION_FILES[partition]
    digests = {name: array("Q") for name in ("pair", "premise", "hypothesis", "prompt", "group")}

    def texts() -> Iterator[tuple[str, str]]:
        for line in lines(path):
            for name, number in _digests(line).items():
                digests[name].append(number)
            yield line["sentence1"], line["sentence2"]

    cut = characters if writes_without_spaces(snapshot.corpus.language) else words_of
    shingles = shingles_of(texts(), cut)
    arrays = {name: np.array(numbers, dtype=np.uint64) for name, numbers in digests.items()}
    return _Part(path, arrays, shingles)


def _id(part: _Part, place: int) -> str:
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


def _name(place: Place) -> str:
    return f"{place[0]} {place[1]}"


def _file(one: Place, other: Place) -> Path:
    parts = ((snapshot.sha256, partition) for snapshot, partition in (one, other))
    return cache_file("leaks", EDITION, *parts, suffix=".json")


def _stored(one: Place, other: Place) -> Leak | None:
    try:
        return Leak(**json.loads(_file(one, other).read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
