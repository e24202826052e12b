"""Files of premises: plain text, JSON Lines or tab-separated text, told apart by the file's name.

    name.txt (or any other)   one premise a line
    name.jsonl                {"text" or "premise": a string or a list, "id", "document", "group"}
    name.tsv                  a column `sentence`, `premise` or `text`; `id`, `document`, `group` if there

Each of them also with `.gz` behind it.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from collection.filters import Candidate, candidate
from collection.formats import records
from collection.formats.lines import BadLine, json_records, read_lines, tsv_records
from collection.formats.records import MAX_GROUP, Unreadable

JSON_TEXT = ("text", "premise")
TSV_TEXT = ("sentence", "premise", "text")


def read_premises(path: Path) -> Iterator[Candidate | BadLine]:
    """The premises of a file in their order, one at a time."""
    kind = Path(path.name.removesuffix(".gz")).suffix.lower()
    if kind == ".jsonl":
        yield from _from_records(json_records(path), JSON_TEXT)
    elif kind == ".tsv":
        yield from _from_records(tsv_records(path), TSV_TEXT)
    else:
        yield from _from_lines(path)


def _from_lines(path: Path) -> Iterator[Candidate | BadLine]:
    for item in read_lines(path):
        if isinstance(item, BadLine):
            yield item
        elif item[1].strip():
            line, text = item
            try:
                yield candidate(line, [records.storable("the line", text).strip()])
            except Unreadable as problem:
                yield BadLine(line, str(problem))


def _from_records(
    found: Iterator[tuple[int, dict[str, Any]] | BadLine], names: tuple[str, ...]
) -> Iterator[Candidate | BadLine]:
    for item in found:
        if isinstance(item, BadLine):
            yield item
            continue
        line, record = item
        try:
            yield _candidate(line, record, names)
        except Unreadable as problem:
            yield BadLine(line, str(problem))


def _candidate(line: int, record: dict[str, Any], names: tuple[str, ...]) -> Candidate:
    key = next((name for name in names if name in record), None)
    if key is None:
        raise Unreadable("there is no " + " or ".join(f'"{name}"' for name in names))
    return candidate(
        line,
        records.sentences(record, key),
        public_id=records.optional_text(record, "id"),
        document=records.optional_text(record, "document", MAX_GROUP),
        group=records.optional_text(record, "group", MAX_GROUP),
    )
