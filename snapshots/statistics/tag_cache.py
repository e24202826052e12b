"""The annotation tags of each pair of a snapshot, for what is counted by tag. Worked out once a partition, and kept."""

import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings

from nli.lines import PARTITION_FILES
from snapshots.files.reading import lines
from snapshots.models import Snapshot
from snapshots.statistics import tags
from snapshots.statistics.job import check_tagger
from snapshots.statistics.pairs import pair_of
from snapshots.statistics.words import tokens

NAMES = tags.NAMES


def tags_of_pairs(snapshot: Snapshot, partition: str) -> dict[str, frozenset[str]]:
    """pairID -> the keys of its tags, key words matched as words; empty where the snapshot has no such partition.

    Kept under CACHE_ROOT; working a partition out takes spaCy about as long as its part of the tag statistics.
    Raises NoTagger for corpora that are not in English.
    """
    check_tagger(snapshot)
    kept = Path(settings.CACHE_ROOT) / "tags" / f"{snapshot.sha256}-{tags.EDITION}-{partition}.jsonl"
    if not kept.exists():
        _keep(snapshot, partition, kept)
    return {line["pairID"]: frozenset(line["tags"]) for line in lines(kept)}


def _keep(snapshot: Snapshot, partition: str, kept: Path) -> None:
    kept.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=kept.parent, prefix=".") as folder:
        draft = Path(folder) / kept.name
        with draft.open("w", encoding="utf-8") as stream:
            for name, found in _worked_out(snapshot, partition):
                stream.write(json.dumps({"pairID": name, "tags": sorted(found)}, ensure_ascii=False) + "\n")
        os.replace(draft, kept)


def _worked_out(snapshot: Snapshot, partition: str) -> Iterator[tuple[str, frozenset[str]]]:
    from snapshots.statistics.spacy_tagger import annotate  # spaCy: in workers and commands only

    names = {partition: name for name, partition in PARTITION_FILES.items()}
    path = snapshot.folder / names[partition]
    if not path.exists():
        return
    pairs = (pair_of(partition, line) for line in lines(path))
    for pair, premise, hypothesis in tags.annotated(pairs, annotate):
        yield pair.name, tags.tags_of(premise, hypothesis, len(tokens(pair.hypothesis)))
