"""Parsers of published files. No Django in here.

A format is one small function from a record to an `ImportedPair`, and one entry in `FORMATS`. The lines
of a file come out one by one, as pairs or as `BadLine`s with a reason.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from collection.formats.jsonl import read_jsonl, read_tsv
from collection.formats.lines import BadLine, Record, json_records, tsv_records
from collection.formats.records import ImportedPair, Unreadable
from collection.formats.snli import read_snli

__all__ = ["FORMATS", "BadLine", "ImportFormat", "ImportedPair"]


@dataclass(frozen=True)
class ImportFormat:
    """How to read a file, and what kind of corpus it makes.

    scheme, protocol: None where a file of this format may belong to any kind.
    genre: the genre of pairs whose line names none.
    """

    name: str
    about: str
    records: Callable[[Path], Iterator[Record | BadLine]]
    read_record: Callable[[int, dict[str, Any]], ImportedPair]
    scheme: str | None = None
    protocol: str | None = None
    genre: str = "all"

    def read(self, path: Path) -> Iterator[ImportedPair | BadLine]:
        """The pairs of a file in their order, one at a time; a line that says no pair comes as a BadLine."""
        for item in self.records(path):
            if isinstance(item, BadLine):
                yield item
                continue
            try:
                yield self.read_record(*item)
            except Unreadable as problem:
                yield BadLine(item[0], str(problem))


FORMATS: dict[str, ImportFormat] = {
    made.name: made
    for made in (
        ImportFormat(
            "snli",
            "SNLI, JSON Lines",
            json_records,
            read_snli,
            scheme="nli3",
            protocol="elicited",
            genre="captions",
        ),
        ImportFormat(
            "multinli", "MultiNLI, JSON Lines", json_records, read_snli, scheme="nli3", protocol="elicited"
        ),
        ImportFormat("jsonl", "premise, hypothesis, label, ... as JSON Lines", json_records, read_jsonl),
        ImportFormat("tsv", "the same fields, tab-separated, with a header", tsv_records, read_tsv),
    )
}
