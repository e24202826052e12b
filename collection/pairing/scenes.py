"""Reads files of scenes: JSON Lines, `{"id": "...", "captions": [five sentences]}`, also compressed with gzip.

A scene may name its `partition`; then all of its file must.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from collection.formats import records
from collection.formats.lines import BadLine, json_records
from collection.formats.records import Unreadable
from collection.premise_ids import digest_of, normalise

CAPTIONS = 5
MAX_SCENE_ID = 80  # it is part of `Hypothesis.construction`
MAX_CAPTION = 1000  # characters
KEYS = frozenset({"id", "captions", "partition"})


@dataclass(frozen=True, slots=True)
class Scene:
    """One scene, described by five people. `line` is its line in the file."""

    line: int
    id: str
    captions: tuple[str, ...]
    partition: str = ""

    @property
    def premise(self) -> tuple[str, ...]:
        return self.captions[:-1]


def read_scenes(path: Path) -> Iterator[Scene | BadLine]:
    """Yields the scenes of a file in their order. An invalid line comes as a BadLine."""
    ids: dict[str, int] = {}
    premises: dict[str, int] = {}
    first: Scene | None = None
    for item in json_records(path):
        if isinstance(item, BadLine):
            yield item
            continue
        line, record = item
        try:
            scene = _scene(line, record)
            if scene.id in ids:
                raise Unreadable(f'the id "{scene.id}" is in line {ids[scene.id]} already')
            first = first or scene
            if bool(scene.partition) != bool(first.partition):
                does, other = ("names", "none") if scene.partition else ("does not name", "one")
                raise Unreadable(f"it {does} its partition, and line {first.line} names {other}")
            digest = digest_of(scene.premise)
            if digest in premises:
                raise Unreadable(f"its first captions are those of line {premises[digest]}")
        except Unreadable as problem:
            yield BadLine(line, str(problem))
        else:
            ids[scene.id] = premises[digest] = line
            yield scene


def _scene(line: int, record: dict[str, Any]) -> Scene:
    name = records.optional_name(record, "id", MAX_SCENE_ID)
    if not name:
        raise Unreadable('there is no "id"')
    if not isinstance(record.get("captions"), list):
        raise Unreadable('there is no list "captions"')
    captions = records.sentences(record, "captions") if record["captions"] else ()
    if len(captions) != CAPTIONS:
        raise Unreadable(f"a scene has {CAPTIONS} captions, but this one has {len(captions)}")
    for number, caption in enumerate(captions, start=1):
        records.storable(f"caption {number}", caption, MAX_CAPTION)
    if unread := record.keys() - KEYS:
        raise Unreadable(f"the key {', '.join(sorted(map(records.printable, unread)))} is unknown; remove it")
    return Scene(line, name, tuple(map(normalise, captions)), records.partition(record, "partition"))
