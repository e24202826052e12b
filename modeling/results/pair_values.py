"""Computes the values of each pair of a snapshot by which runs are broken down, such as its genre.

They do not depend on any run. They are computed once for each partition, from the snapshot's file, and cached as arrays of
codes: 433,000 pairs take some 40 MB.
"""

import json
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from collection.formats.lines import BadLine
from collection.formats.tables import csv_rows
from modeling.results.dimensions import APPROACH
from nli.agreement import entropy
from nli.gold import Rule
from nli.lines import ALL, EXTRA, PARTITION_FILES, has_gold, premises_of, votes_in
from nli.single_premises import LABELS as SINGLE_LABELS
from nli.single_premises import labels_of_premises, premise_rule_of
from nli.tokens import digest, is_english
from snapshots.files import caches
from snapshots.files.draft_folders import draft_file
from snapshots.files.reading import lines
from snapshots.models import Snapshot
from snapshots.statistics.tag_cache import tags_of_pairs
from snapshots.statistics.tags import KEY_WORDS, substring_tags
from snapshots.statistics.words import tokens

EDITION = 5  # counts up when a definition changes
Codes = npt.NDArray[np.int32]
LENGTHS = (5, 10, 15, 20, 30, 50)
ENTROPIES = (0.0, 0.5, 1.0, 1.5)
SHORT = 60  # a longer value of metadata is a text, and no property


@dataclass
class Values:
    """The values of one dimension. Row i of `codes` has the codes of pair i; -1 is none."""

    names: list[str]
    codes: Codes

    def ranks(self, order: Sequence[str] = ()) -> Codes:
        """Returns the place of each pair's first value among the values in this order, else A to Z; without one the last."""
        of_name = {name: place for place, name in enumerate(order or sorted(self.names))}
        return np.array([*(of_name[name] for name in self.names), len(of_name)], dtype=np.int32)[
            self.codes[:, 0]
        ]

    @classmethod
    def of(cls, values: Sequence[Sequence[str]]) -> "Values":
        """Encodes the values of each pair; a pair may have none or several."""
        codes: dict[str, int] = {}
        width = max((len(each) for each in values), default=0) or 1
        rows = np.full((len(values), width), -1, dtype=np.int32)
        for row, each in enumerate(values):
            for column, value in enumerate(each):
                rows[row, column] = codes.setdefault(value, len(codes))
        return cls(list(codes), rows)

    def of_pairs(self) -> list[tuple[str, ...]]:
        """Returns the values of each pair."""
        return [tuple(self.names[code] for code in row if code >= 0) for row in self.codes.tolist()]


@dataclass
class PairValues:
    """The pairs of a partition that have a gold label, in the order of the file."""

    ids: list[str]
    gold: list[str]
    hypotheses: npt.NDArray[np.uint64]
    dimensions: dict[str, Values] = field(default_factory=dict)


def pair_values(snapshot: Snapshot, partition: str, path: Path | None = None) -> PairValues:
    """Returns the values of a partition's pairs, from the cache if they are there.

    `path` is the partition's file, if it is not in the snapshot's folder. Empty if the snapshot has no such partition.
    """
    cached = cache_file(snapshot, partition)
    if not cached.exists():
        path = path or snapshot.folder / PARTITION_FILES[partition]
        if not path.exists():  # or it is on another machine, so nothing is cached
            return PairValues([], [], np.zeros(0, np.uint64))
        write_values(cached, _computed(snapshot, path))
    return read_values(cached)


def cache_file(snapshot: Snapshot, partition: str) -> Path:
    """Returns where the values are cached."""
    return caches.cache_file("pair_values", EDITION, snapshot.sha256, partition, ".npz")


def tag_values(snapshot: Snapshot, partition: str, pairs: PairValues) -> dict[str, Values]:
    """Returns the annotation tags of the pairs, in both readings.

    Without cached tags this loads spaCy and takes minutes. Raises NoTagger for other languages than English.
    """
    found = tags_of_pairs(snapshot, partition)
    by_word = [found.get(name, frozenset()) for name in pairs.ids]
    inside = pairs.dimensions.get("key_words")
    key_words = inside.of_pairs() if inside else [()] * len(by_word)
    by_substring = [
        (tags - KEY_WORDS.keys()) | {*more} for tags, more in zip(by_word, key_words, strict=True)
    ]
    return {
        "tag": Values.of([sorted(tags) for tags in by_word]),
        "tag_substring": Values.of([sorted(tags) for tags in by_substring]),
    }


def own_values(path: Path) -> dict[str, list[str]]:
    """Reads the values of pairs from a CSV file with the columns pair id and value; a pair may have several lines.

    Raises ValueError.
    """
    given: dict[str, list[str]] = {}
    for item in csv_rows(path):
        if isinstance(item, BadLine):
            raise ValueError(f"{path}, line {item.line}: {item.reason}.")
        number, row = item
        if len(row) != 2:
            raise ValueError(f"{path}, line {number}: give two columns, pair id and value.")
        if row[1].strip():
            given.setdefault(row[0].strip(), []).append(row[1].strip())
    return given


def _computed(snapshot: Snapshot, path: Path) -> PairValues:
    manifest = snapshot.read_manifest()
    facts = manifest["corpus"] if manifest else None
    premises = premise_rule_of(facts) if facts else None
    language = snapshot.corpus.language
    ids, gold, hypotheses = [], [], []
    found: dict[str, list[tuple[str, ...]]] = {}
    for line in lines(path):
        if not has_gold(line):
            continue
        ids.append(line["pairID"])
        gold.append(line["gold_label"])
        hypotheses.append(digest(line["sentence2"]))
        for name, values in _values(line, language, premises):
            found.setdefault(name, []).append(values)
    dimensions = {name: Values.of(values) for name, values in found.items() if any(values)}
    return PairValues(ids, gold, np.array(hypotheses, dtype=np.uint64), dimensions)


def _values(
    line: Mapping[str, Any], language: str, premises: Rule | None
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yields each dimension with the values of one pair."""
    metadata = line.get("metadata") or {}
    premise = premises_of(line)
    yield "genre", _one(line["genre"])
    yield "premise_length", _one(bin_of(sum(len(tokens(each, language)) for each in premise), LENGTHS))
    yield "hypothesis_length", _one(bin_of(len(tokens(line["sentence2"], language)), LENGTHS))
    if is_english(language):
        yield "key_words", tuple(sorted(substring_tags(premise, line["sentence2"])))
    yield "author", _one(line["author"])
    yield "prompt_version", _one(line.get("prompt_version"))
    yield "arm", _one(line.get("arm"))
    for which, end in ((ALL, ""), (EXTRA, "_extra")):
        votes = sorted(votes_in(line, which).values(), reverse=True)
        if sum(votes) < 2:
            votes = []
        yield f"agreement{end}", _one("-".join(map(str, votes)))
        yield f"entropy{end}", _one(bin_of(entropy(tuple(votes)), ENTROPIES) if votes else "")
    yield "semantic_type", _one(metadata.get("corpus"))
    yield APPROACH, _one(metadata.get("creation-approach"))
    misc = metadata.get("misc")
    properties = misc.items() if isinstance(misc, Mapping) else [("misc", misc)]
    yield (
        "property",
        tuple(
            f"{key}: {value}"
            for key, value in properties
            if isinstance(value, str | int | float) and value != "" and len(str(value)) <= SHORT
        ),
    )
    judged = labels_of_premises(line.get(SINGLE_LABELS, ()), premises) if premises else None
    yield (
        "single_premises",
        () if judged is None else (str(sum(label == line["gold_label"] for label in judged)),),
    )


def _one(value: object) -> tuple[str, ...]:
    return (str(value),) if value not in (None, "") else ()


def bin_of(value: float, ends: Sequence[float]) -> str:
    """Returns the bin of a value: `0`, `<= 5`, `> 50`, so that bins sort by their ends."""
    place = bisect_left(ends, value)
    return f"> {ends[-1]:g}" if place == len(ends) else "0" if not ends[place] else f"<= {ends[place]:g}"


def binned(values: npt.NDArray[np.float64], ends: Sequence[float]) -> Values:
    """Returns the bin of each value, as `bin_of` does."""
    names = [bin_of(end, ends) for end in (*ends, float("inf"))]
    return Values(names, np.searchsorted(ends, values).astype(np.int32)[:, None])


def write_values(target: Path, found: PairValues) -> None:
    """Writes values as arrays, in a file that is whole or absent."""
    names = {name: values.names for name, values in found.dimensions.items()}
    head = json.dumps({"ids": found.ids, "gold": found.gold, "names": names}).encode()
    arrays = {f"codes_{name}": values.codes for name, values in found.dimensions.items()}
    with draft_file(target) as draft:
        np.savez(
            draft,
            head=np.frombuffer(head, dtype=np.uint8),
            hypotheses=found.hypotheses,
            **arrays,  # type: ignore[arg-type]
        )


def read_values(path: Path) -> PairValues:
    """Reads what `write_values` wrote. Raises FileNotFoundError."""
    with np.load(path) as arrays:
        head = json.loads(arrays["head"].tobytes())
        dimensions = {name: Values(names, arrays[f"codes_{name}"]) for name, names in head["names"].items()}
        return PairValues(head["ids"], head["gold"], arrays["hypotheses"], dimensions)
