"""Reading files line by line: compressed or not, good bytes or bad, never more than a line in memory.

Three readers give the records of a file: plain lines, JSON Lines and tab-separated text. What cannot be
read comes out as a `BadLine` in its place, and the reading goes on.
"""

import gzip
import hashlib
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

MAX_LINE_BYTES = 2_000_000
GZIP_MAGIC = b"\x1f\x8b"
BOM = b"\xef\xbb\xbf"

type_names = {dict: "an object", list: "a list", str: "a string", bool: "true or false", type(None): "null"}


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that cannot go in, and why. Lines count from 1."""

    line: int
    reason: str


Line = tuple[int, str]
Record = tuple[int, dict[str, Any]]


def open_bytes(path: Path) -> BinaryIO:
    """The file's content; gzip is known by its first bytes, not by the file's name."""
    with path.open("rb") as file:
        is_compressed = file.read(2) == GZIP_MAGIC
    return gzip.open(path, "rb") if is_compressed else path.open("rb")  # type: ignore[return-value]


def sha256_of(path: Path) -> str:
    """The digest of the file as it lies there, compressed or not."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_lines(path: Path) -> Iterator[Line | BadLine]:
    """Each line with its number, without its line end; UTF-8, with or without a byte order mark."""
    number = 0
    with open_bytes(path) as file:
        while True:
            number += 1
            try:
                raw = file.readline(MAX_LINE_BYTES)
                too_long = len(raw) == MAX_LINE_BYTES and not raw.endswith(b"\n") and _rest_of_line(file) > 0
            except (EOFError, OSError, zlib.error) as problem:
                yield BadLine(
                    number, f"the file breaks off here or is damaged ({problem}); get a fresh copy of it"
                )
                return
            if not raw:
                return
            if number == 1:
                raw = raw.removeprefix(BOM)
            yield (
                BadLine(number, f"the line is longer than {MAX_LINE_BYTES:,} bytes")
                if too_long
                else _decoded(number, raw)
            )


def _rest_of_line(file: BinaryIO) -> int:
    """Reads on to the end of an over-long line, piece by piece; how many bytes that were."""
    length = 0
    while piece := file.readline(MAX_LINE_BYTES):
        length += len(piece)
        if piece.endswith(b"\n"):
            break
    return length


def _decoded(number: int, raw: bytes) -> Line | BadLine:
    try:
        return number, raw.decode("utf-8").rstrip("\r\n")
    except UnicodeDecodeError as problem:
        byte = raw[problem.start]
        return BadLine(
            number, f"byte {problem.start + 1} (0x{byte:02x}) is not UTF-8; save the file as UTF-8"
        )


def json_records(path: Path) -> Iterator[Record | BadLine]:
    """JSON Lines: an object a line. Empty lines are passed over."""
    for item in read_lines(path):
        if isinstance(item, BadLine):
            yield item
        elif item[1].strip():
            yield _json_record(*item)


def _json_record(number: int, line: str) -> Record | BadLine:
    try:
        value = json.loads(line)
    except json.JSONDecodeError as problem:
        return BadLine(number, f"not valid JSON: {problem.msg}, at character {problem.colno}")
    except (ValueError, RecursionError) as problem:
        return BadLine(number, f"not valid JSON: {problem}")
    if not isinstance(value, dict):
        return BadLine(
            number, f"a line must hold a JSON object, not {type_names.get(type(value), 'a number')}"
        )
    return number, value


def tsv_records(path: Path) -> Iterator[Record | BadLine]:
    """Tab-separated text; its first line names the columns. A cell holds no tab; quotes mean nothing."""
    columns: list[str] | None = None
    for item in read_lines(path):
        if isinstance(item, BadLine):
            yield item
            if columns is None:
                return  # without its header a table says nothing
        elif columns is None:
            columns = item[1].split("\t")
            if len(set(columns)) < len(columns):
                yield BadLine(item[0], "two columns of the header have the same name")
                return
        elif item[1].strip():
            yield _tsv_record(*item, columns)


def _tsv_record(number: int, line: str, columns: list[str]) -> Record | BadLine:
    cells = line.split("\t")
    if len(cells) != len(columns):
        return BadLine(number, f"the header names {len(columns)} columns, but this line has {len(cells)}")
    return number, dict(zip(columns, cells, strict=True))
