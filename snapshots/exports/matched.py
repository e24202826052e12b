"""Dev and test in two files as MultiNLI has them: genres that train has (matched), and those that it lacks (mismatched)."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from nli.lines import Line
from nli.manifest import Manifest
from snapshots.files.reading import partitions


@dataclass(frozen=True)
class Part:
    """A file of an export: its name without suffix, the partition's file, and the genres of its pairs (None: all)."""

    stem: str
    source: str
    genres: frozenset[str] | None = None

    def of(self, lines: Iterable[Line]) -> Iterator[Line]:
        """Yields the lines that belong to the file."""
        return (line for line in lines if self.genres is None or line["genre"] in self.genres)


def whole_partitions(manifest: Manifest) -> Iterator[Part]:
    for partition, name in partitions(manifest):
        yield Part(partition, name)


def by_matched_genres(manifest: Manifest) -> Iterator[Part]:
    """Yields two parts of a partition that has genres of both kinds; else the partition as one."""
    for part in whole_partitions(manifest):
        counts = manifest["partitions"][part.stem]
        kinds = {"matched": counts.get("matched"), "mismatched": counts.get("mismatched")}
        if not all(kinds.values()):
            yield part
            continue
        for kind, genres in kinds.items():
            yield Part(f"{part.stem}_{kind}", part.source, frozenset(genres or ()))
