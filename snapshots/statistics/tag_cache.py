"""Find the annotation tags of each pair of a snapshot, and cache them by partition, for scores by tag."""

import json
from collections.abc import Iterator
from pathlib import Path

from nli.lines import PARTITION_FILES
from snapshots.files.caches import cache_file
from snapshots.files.draft_folders import draft_file
from snapshots.files.reading import lines
from snapshots.models import Snapshot
from snapshots.statistics import tags
from snapshots.statistics.job import check_tagger
from snapshots.statistics.pairs import pair_of
from snapshots.statistics.words import tokens

NAMES = tags.NAMES


def tags_of_pairs(snapshot: Snapshot, partition: str) -> dict[str, frozenset[str]]:
    """Returns pairID -> keys of the pair's tags, where key words match whole words; empty if there is no such partition.

    Cached under CACHE_ROOT. Computing a partition takes about as long as its part of the tag statistics.
    Raises NoTagger if the corpus is not in English.
    """
    check_tagger(snapshot)
    cached = cache_file("tags", tags.EDITION, snapshot.sha256, partition, ".jsonl")
    if not cached.exists():
        _write(snapshot, partition, cached)
    return {line["pairID"]: frozenset(line["tags"]) for line in lines(cached)}


def _write(snapshot: Snapshot, partition: str, cached: Path) -> None:
    with draft_file(cached) as draft, draft.open("w", encoding="utf-8") as stream:
        for name, found in _tags(snapshot, partition):
            stream.write(json.dumps({"pairID": name, "tags": sorted(found)}, ensure_ascii=False) + "\n")


def _tags(snapshot: Snapshot, partition: str) -> Iterator[tuple[str, frozenset[str]]]:
    from snapshots.statistics.spacy_tagger import annotate  # spaCy: in workers and commands only

    path = snapshot.folder / PARTITION_FILES[partition]
    if not path.exists():
        return
    pairs = (pair_of(partition, line) for line in lines(path))
    for pair, premise, hypothesis in tags.annotated(pairs, annotate):
        yield pair.name, tags.tags_of(premise, hypothesis, len(tokens(pair.hypothesis)))
