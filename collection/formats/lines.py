"""Reads files line by line, compressed or not, valid or not, with at most one line in memory.

Readers yield the records of a file: plain lines, JSON Lines, JSON arrays and XML here, tables in `tables.py`. A line that
cannot be read becomes a `BadLine` in its place, and reading continues.
"""

import gzip
import hashlib
import json
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from io import TextIOWrapper
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from lxml import etree

MAX_LINE = 2_000_000  # characters
LONGEST_WORD = 20  # of JSON outside texts, such as -Infinity, or an escape with two parts
PARQUET_ROWS = 1000  # at a time
WINDOW = 100_000  # characters of an array that are read at a time
GZIP_MAGIC = b"\x1f\x8b"
PARQUET_MAGIC = b"PAR1"
UTF_16 = (b"\xff\xfe", b"\xfe\xff")  # byte order marks
PACKED = {
    b"PK\x03\x04": "a zip archive or an Excel file",
    b"BZh": "packed with bzip2",
    b"\xfd7zXZ": "packed with xz",
    b"7z\xbc\xaf": "a 7z archive",
    b"\x28\xb5\x2f\xfd": "packed with zstd",
}
BOM = "\ufeff"


class DoubledKey(ValueError):
    """An object has a key twice, of which only one value could be kept."""


def _each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [key for key, _ in pairs]
        raise DoubledKey(f"the key {max(names, key=names.count)!r} is there twice: keep one")
    return found


JSON, LENIENT = json.JSONDecoder(object_pairs_hook=_each_key_once), json.JSONDecoder()
NO_TEXT = re.compile("[\udc80-\udcff]")

type_names = {dict: "an object", list: "a list", str: "a string", bool: "true or false", type(None): "null"}


@dataclass(frozen=True, slots=True)
class BadLine:
    """An invalid line with its number (from 1) and the reason.

    keys: its fields or columns, if they are known. rows: of the file, that were gathered into it. kind: the reason
    without the line's own values. meant: a rule of the format refuses it. label: the one that the corpus
    lacks, where that is the reason; is_class: it is the pair's own, and no vote.
    """

    line: int
    reason: str
    keys: tuple[str, ...] = field(default=(), compare=False)
    rows: int = field(default=1, compare=False)
    kind: str = field(default="", compare=False)
    meant: bool = field(default=False, compare=False)
    label: str = field(default="", compare=False)
    is_class: bool = field(default=False, compare=False)


MENDED, QUOTES_STAY = "lines_mended", "quotes_stay"


class Row(dict[str, Any]):
    """A record that its reader changed, or gathered of several.

    told: how often what was done to it. rows: how many it was gathered from, 0 if it was not; more: how often keys of those
    after the first have a value; other: how often it is another one than the first's, which alone the record has.
    """

    def __init__(self, *given: Any, rows: int = 0, **fields: Any) -> None:
        super().__init__(*given, **fields)
        self.told, self.rows = Counter[str](), rows
        self.more, self.other = Counter[str](), Counter[str]()


Line = tuple[int, str]
Record = tuple[int, dict[str, Any]]


def open_bytes(path: Path) -> BinaryIO:
    """Opens a file, plain or gzip. The first bytes decide, not the name."""
    with path.open("rb") as file:
        is_compressed = file.read(2) == GZIP_MAGIC
    return gzip.open(path, "rb") if is_compressed else path.open("rb")  # type: ignore[return-value]


def packed(path: Path) -> str:
    """Returns why a file cannot be read before somebody unpacks it; empty for all others."""
    with path.open("rb") as file:
        head = file.read(8)
    kind = next((kind for magic, kind in PACKED.items() if head.startswith(magic)), "")
    return f"{path.name} is {kind}: unpack it, or save it as text (UTF-8) or with gzip" if kind else ""


def is_parquet(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) == PARQUET_MAGIC


def _open_text(path: Path, encoding: str) -> tuple[TextIOWrapper, str, str]:
    """Opens a file as text. Returns it with its encoding and its line end.

    A byte order mark of UTF-16 tells the encoding. CR alone ends the lines of a file without LF.
    """
    try:
        with open_bytes(path) as file:
            head = file.read(WINDOW)
    except (EOFError, OSError, zlib.error):  # whoever reads it meets this again
        head = b""
    if encoding == "utf-8" and head.startswith(UTF_16):
        encoding = "utf-16"
    end = "\r" if b"\r" in head and b"\n" not in head else "\n"
    # Invalid bytes become lone surrogates, which occur in no text; `_checked` finds them.
    return TextIOWrapper(open_bytes(path), encoding, errors="surrogateescape", newline=end), encoding, end


def sha256_of(path: Path) -> str:
    """Returns the digest of the file as it is, without unpacking it."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_lines(path: Path, encoding: str = "utf-8") -> Iterator[Line | BadLine]:
    """Yields each line with its number, without line end and byte order mark."""
    number = 0
    file, encoding, end = _open_text(path, encoding)
    with file:
        while True:
            number += 1
            try:
                line = file.readline(MAX_LINE)
                too_long = len(line) == MAX_LINE and not line.endswith(end) and _rest_of_line(file, end) > 0
            except UnicodeDecodeError as problem:  # this encoding cannot go on after an error
                yield BadLine(number, f"not {encoding.upper()} from here on ({problem.reason})")
                return
            except (EOFError, OSError, zlib.error) as problem:
                yield BadLine(number, _damaged(problem))
                return
            if not line:
                return
            line = line.removeprefix(BOM)  # also where files with one were put together
            yield (
                BadLine(number, f"the line is longer than {MAX_LINE:,} characters")
                if too_long
                else _checked(number, line.rstrip("\r\n"), encoding)
            )


def _rest_of_line(file: TextIO, end: str) -> int:
    """Skips the rest of an over-long line piece by piece. Returns how many characters."""
    length = 0
    while piece := file.readline(MAX_LINE):
        length += len(piece)
        if piece.endswith(end):
            break
    return length


def _checked(number: int, line: str, encoding: str) -> Line | BadLine:
    if line.isascii() or (bad := NO_TEXT.search(line)) is None:
        return number, line
    place = len(line[: bad.start()].encode(encoding)) + 1
    return BadLine(number, f"byte {place} {_no_text(bad[0], encoding.upper())}")


def _no_text(found: str, encoding: str) -> str:
    return f"(0x{ord(found) - 0xDC00:02x}) is not {encoding}; save the file as {encoding}"


def _damaged(problem: Exception) -> str:
    return f"the file breaks off here or is damaged ({problem}); get a fresh copy of it"


def json_records(path: Path, encoding: str = "utf-8") -> Iterator[Record | BadLine]:
    """Reads JSON Lines, or the same as Parquet. Skips empty lines."""
    if is_parquet(path):
        yield from parquet_records(path)
        return
    for item in read_lines(path, encoding):
        if isinstance(item, BadLine):
            yield item
        elif item[1].strip():
            yield json_object(*item)


def json_object(number: int, text: str) -> Record | BadLine:
    """Parses one JSON object that begins on the line `number`."""
    try:
        value = JSON.decode(text)
    except (ValueError, RecursionError) as problem:
        return _invalid_json(number, problem)
    return _object(number, value)


def _invalid_json(first: int, problem: Exception, then: str = "") -> BadLine:
    """Describes an error of a JSON text that begins on the line `first`."""
    if isinstance(problem, json.JSONDecodeError):
        what = f"{problem.msg}, at character {problem.colno}"
        return BadLine(first + problem.lineno - 1, f"not valid JSON{then}: {what}")
    if isinstance(problem, DoubledKey):
        return BadLine(first, str(problem))
    return BadLine(first, f"not valid JSON{then}: {problem}")


def _object(number: int, value: Any) -> Record | BadLine:
    if not isinstance(value, dict):
        return BadLine(
            number, f"a line must hold a JSON object, not {type_names.get(type(value), 'a number')}"
        )
    return number, value


def parquet_records(path: Path) -> Iterator[Record | BadLine]:
    """Reads the rows of a Parquet file; a class label of the Hub's files is read by its name."""
    from pyarrow import ArrowException, parquet  # here: a web process needs neither

    line = 0
    try:
        with parquet.ParquetFile(path) as file:
            about = json.loads((file.schema_arrow.metadata or {}).get(b"huggingface", b"{}"))
            features = about.get("info", {}).get("features", {})
            names = {key: each["names"] for key, each in features.items() if "names" in each}
            for batch in file.iter_batches(PARQUET_ROWS):
                for record in batch.to_pylist():
                    line += 1
                    named = {key: _class_name(record.get(key), each) for key, each in names.items()}
                    yield line, json.loads(json.dumps({**record, **named}, default=str))
    except (ArrowException, OSError, ValueError) as problem:
        yield BadLine(line + 1, _damaged(problem))


def _class_name(value: Any, names: list[str]) -> Any:
    return (names[value] if 0 <= value < len(names) else None) if type(value) is int else value


def whole_text(path: Path) -> str | BadLine:
    """Returns the text of a file, or its first line that cannot be read."""
    lines = []
    for item in read_lines(path):
        if isinstance(item, BadLine):
            return item
        lines.append(item[1])
    return "\n".join(lines)


def json_array_records(path: Path) -> Iterator[Record | BadLine]:
    """Reads a JSON array of objects, each with the number of the line on which it begins.

    Holds one object at a time, also where the array is one long line. Ends at the first syntax error.
    """
    file, _, _ = _open_text(path, "utf-8")
    with file:
        text = _Window(file)
        try:
            yield from _elements(text)
        except (EOFError, OSError, zlib.error) as problem:
            yield BadLine(text.line, _damaged(problem))


class _Window:
    """The part of a text that is being read. `line` and `column`, from 1, are those of its next character."""

    def __init__(self, file: TextIO) -> None:
        self.file, self.text, self.place, self.is_whole = file, "", 0, False
        self.line, self.column = 1, 1

    def grow(self) -> None:
        """Reads as many characters as are left, so that a long object is parsed again but a few times."""
        more = self.file.read(max(len(self.text) - self.place, WINDOW))
        self.text, self.place, self.is_whole = self.text[self.place :] + more, 0, not more

    def move(self, to: int) -> str:
        """Goes on to a later place. Returns the text up to there."""
        passed, self.place = self.text[self.place : to], to
        if ends := passed.count("\n"):
            self.line, self.column = self.line + ends, 1
        self.column += len(passed) - passed.rfind("\n") - 1
        return passed

    def next_character(self) -> str:
        """Skips white space. Returns the character there; empty at the end."""
        while True:
            self.move(_after_space(self.text, self.place))
            if self.place < len(self.text) or self.is_whole:
                return self.text[self.place : self.place + 1]
            self.grow()

    def value(self) -> tuple[Any, str]:
        """Returns the JSON value that begins here, or DoubledKey, and its text. Raises ValueError, RecursionError."""
        while True:
            try:
                try:
                    value, end = JSON.raw_decode(self.text, self.place)
                except DoubledKey as problem:
                    value, end = problem, LENIENT.raw_decode(self.text, self.place)[1]
                if end < len(self.text) or self.is_whole:  # else a number may go on
                    return value, self.move(end)
            except json.JSONDecodeError as problem:
                breaks_off = problem.pos + LONGEST_WORD > len(self.text) or "Unterminated" in problem.msg
                if self.is_whole or not breaks_off:
                    raise
            self.grow()


def _elements(text: _Window) -> Iterator[Record | BadLine]:
    if text.next_character() != "[":
        yield BadLine(1, "the file must hold a JSON array: it has to begin with [")
        return
    text.move(text.place + 1)
    if text.next_character() == "]":
        return
    while True:
        text.next_character()
        line, column = text.line, text.column
        try:
            value, written = text.value()
        except (ValueError, RecursionError) as problem:
            yield _invalid_json(line, _placed(problem, text, column), " from here on")
            return
        bad = NO_TEXT.search(written)
        if isinstance(value, DoubledKey):
            yield _invalid_json(line, value)
        else:
            yield BadLine(line, f"a byte {_no_text(bad[0], 'UTF-8')}") if bad else _object(line, value)
        end = text.next_character()
        if end == "]":
            return
        if end != ",":
            yield BadLine(line, "not valid JSON after this object: there must be a comma or ]")
            return
        text.move(text.place + 1)


def _placed(problem: Exception, text: _Window, column: int) -> Exception:
    """Returns the error with its line and column counted from the object's first character, not from the window's."""
    if not isinstance(problem, json.JSONDecodeError):
        return problem
    inside = text.text[text.place : problem.pos]
    found = json.JSONDecodeError(problem.msg, inside, len(inside))
    if "\n" not in inside:
        found.colno += column - 1
    return found


def _after_space(text: str, place: int) -> int:
    while text[place : place + 1] in {" ", "\t", "\n", "\r", BOM}:
        place += 1
    return place


Records = Callable[[Path], Iterator[Record | BadLine]]


def elements(tag: str) -> Records:
    """Returns a reader of the elements of this name. A repeated inner element becomes a list of texts."""

    def xml_records(path: Path) -> Iterator[Record | BadLine]:
        with open_bytes(path) as file:
            walk = etree.iterparse(
                file, tag=tag, resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
            )
            try:
                for _, element in walk:
                    yield _record(element)
                    element.clear()
                    while element.getprevious() is not None:  # frees memory
                        del element.getparent()[0]
            except etree.XMLSyntaxError as problem:
                line = problem.lineno or 1
                yield BadLine(line, f"not valid XML from here on: {problem.msg}")
            except (EOFError, OSError, zlib.error) as problem:
                yield BadLine(1, f"the file breaks off or is damaged ({problem}); get a fresh copy of it")

    return xml_records


def _record(element: Any) -> Record | BadLine:
    line = element.sourceline or 1
    if any(True for _ in element.iter(etree.Entity)):
        return BadLine(line, "the element holds an entity that the file defines; these are not expanded")
    record = Row(element.attrib)
    for child in element.iterchildren(tag=etree.Element):
        written = "".join(child.xpath(".//text()"))
        text = " ".join(written.split())
        record.told[MENDED] += text != written or len(child) > 0  # a tag inside, or a comment
        there = record.get(child.tag)
        if there is None:
            record[child.tag] = text
        else:
            record[child.tag] = [*(there if isinstance(there, list) else [there]), text]
    return line, record
