"""Reads files line by line, compressed or not, valid or not, with at most one line in memory.

Six readers yield the records of a file: plain lines, JSON Lines, tab-separated and comma-separated text, JSON arrays, and
XML. A line that cannot be read becomes a `BadLine` in its place, and reading continues.
"""

import csv
import gzip
import hashlib
import json
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from io import TextIOWrapper
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from lxml import etree

MAX_LINE = 2_000_000  # characters
LONGEST_WORD = 20  # of JSON outside texts, such as -Infinity, or an escape with two parts
WINDOW = 100_000  # characters of an array that are read at a time
GZIP_MAGIC = b"\x1f\x8b"
BOM = "\ufeff"
JSON = json.JSONDecoder()
NO_TEXT = re.compile("[\udc80-\udcff]")

type_names = {dict: "an object", list: "a list", str: "a string", bool: "true or false", type(None): "null"}


@dataclass(frozen=True, slots=True)
class BadLine:
    """An invalid line with its number (from 1) and the reason. `keys`: its fields or columns, if they are known."""

    line: int
    reason: str
    keys: tuple[str, ...] = field(default=(), compare=False)


Line = tuple[int, str]
Record = tuple[int, dict[str, Any]]


def open_bytes(path: Path) -> BinaryIO:
    """Opens a file, plain or gzip. The first bytes decide, not the name."""
    with path.open("rb") as file:
        is_compressed = file.read(2) == GZIP_MAGIC
    return gzip.open(path, "rb") if is_compressed else path.open("rb")  # type: ignore[return-value]


def sha256_of(path: Path) -> str:
    """Returns the digest of the file as it is, without unpacking it."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_lines(path: Path, encoding: str = "utf-8") -> Iterator[Line | BadLine]:
    """Yields each line with its number, without line end and byte order mark."""
    number = 0
    # Invalid bytes become lone surrogates, which occur in no text; `_checked` finds them.
    with TextIOWrapper(open_bytes(path), encoding, errors="surrogateescape", newline="\n") as file:
        while True:
            number += 1
            try:
                line = file.readline(MAX_LINE)
                too_long = len(line) == MAX_LINE and not line.endswith("\n") and _rest_of_line(file) > 0
            except UnicodeDecodeError as problem:  # this encoding cannot go on after an error
                yield BadLine(number, f"not {encoding.upper()} from here on ({problem.reason})")
                return
            except (EOFError, OSError, zlib.error) as problem:
                yield BadLine(number, _damaged(problem))
                return
            if not line:
                return
            if number == 1:
                line = line.removeprefix(BOM)
            yield (
                BadLine(number, f"the line is longer than {MAX_LINE:,} characters")
                if too_long
                else _checked(number, line.rstrip("\r\n"), encoding)
            )


def _rest_of_line(file: TextIO) -> int:
    """Skips the rest of an over-long line piece by piece. Returns how many characters."""
    length = 0
    while piece := file.readline(MAX_LINE):
        length += len(piece)
        if piece.endswith("\n"):
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
    """Reads JSON Lines. Skips empty lines."""
    for item in read_lines(path, encoding):
        if isinstance(item, BadLine):
            yield item
        elif item[1].strip():
            yield json_object(*item)


def json_object(number: int, text: str) -> Record | BadLine:
    """Parses one JSON object that begins on the line `number`."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as problem:
        return _invalid_json(number, problem)
    return _object(number, value)


def _invalid_json(first: int, problem: Exception, then: str = "") -> BadLine:
    """Describes an error of a JSON text that begins on the line `first`."""
    if isinstance(problem, json.JSONDecodeError):
        what = f"{problem.msg}, at character {problem.colno}"
        return BadLine(first + problem.lineno - 1, f"not valid JSON{then}: {what}")
    return BadLine(first, f"not valid JSON{then}: {problem}")


def _object(number: int, value: Any) -> Record | BadLine:
    if not isinstance(value, dict):
        return BadLine(
            number, f"a line must hold a JSON object, not {type_names.get(type(value), 'a number')}"
        )
    return number, value


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
    with TextIOWrapper(open_bytes(path), "utf-8-sig", errors="surrogateescape", newline="\n") as file:
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
        """Returns the JSON value that begins here, and its text. Raises ValueError, RecursionError."""
        while True:
            try:
                value, end = JSON.raw_decode(self.text, self.place)
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
    while text[place : place + 1] in {" ", "\t", "\n", "\r"}:
        place += 1
    return place


def tsv_records(
    path: Path,
    mend: Callable[[str], str] = str,
    encoding: str = "utf-8",
    header: Sequence[str] | None = None,
) -> Iterator[Record | BadLine]:
    """Reads tab-separated text; its first line names the columns. Quotes have no meaning.

    `mend` repairs a line of a published file that is known to be faulty. `header`: for a file without one.
    """

    def rows() -> Iterator[tuple[int, list[str]] | BadLine]:
        for item in read_lines(path, encoding):
            if isinstance(item, BadLine):
                yield item
            elif item[0] == 1 and not header:
                yield 1, item[1].split("\t")
            else:
                yield item[0], mend(item[1]).split("\t") if item[1].strip() else []

    return _table(rows(), header)


def csv_records(path: Path, encoding: str = "utf-8") -> Iterator[Record | BadLine]:
    """Reads comma-separated text with a header. A cell in double quotes may hold commas and line ends."""
    return _table(csv_rows(path, encoding))


def _table(
    rows: Iterator[tuple[int, list[str]] | BadLine], header: Sequence[str] | None = None
) -> Iterator[Record | BadLine]:
    """Yields a record for each row that is not empty; the first row names the columns, if `header` does not."""
    columns = list(header) if header else None
    for item in rows:
        if isinstance(item, BadLine):
            yield item
            if columns is None:
                return  # without its header a table cannot be read
        elif columns is None:
            columns = numbered(item[1])
        elif item[1]:
            yield _row(*item, columns)


def csv_rows(path: Path, encoding: str = "utf-8") -> Iterator[tuple[int, list[str]] | BadLine]:
    """Reads the rows of comma-separated text, each with the number of its first line."""
    bad: list[BadLine] = []
    reader = csv.reader(_texts(path, encoding, bad), strict=True)
    while True:
        before = reader.line_num
        try:
            cells = next(reader, None)
        except csv.Error as problem:
            yield BadLine(before + 1, f"not valid CSV ({problem}); is there a quote that is never closed?")
            continue
        yield from bad
        spoilt = bool(bad)
        bad.clear()
        if cells is None:
            return
        if not spoilt:
            yield before + 1, cells


def _texts(path: Path, encoding: str, bad: list[BadLine]) -> Iterator[str]:
    """Yields lines with their line ends. For an unreadable line yields an empty one, and adds it to `bad`."""
    for item in read_lines(path, encoding):
        if isinstance(item, BadLine):
            bad.append(item)
            yield "\n"
        else:
            yield item[1] + "\n"


def numbered(names: Sequence[str]) -> list[str]:
    """Return the names of columns. Repeated names are numbered, `name~1`, `name~2`, so that a map can name each."""
    count, seen = Counter(names), Counter[str]()
    found = []
    for name in names:
        seen[name] += 1
        found.append(f"{name}~{seen[name]}" if count[name] > 1 else name)
    return found


def _row(number: int, cells: list[str], columns: list[str]) -> Record | BadLine:
    if len(cells) != len(columns):
        return BadLine(number, f"the header names {len(columns)} columns, but this line has {len(cells)}")
    return number, dict(zip(columns, cells, strict=True))


def container_of(path: Path) -> str:
    """Return the kind of file by its beginning: jsonl, json, xml, tsv or csv. An empty or damaged file is jsonl."""
    with open_bytes(path) as file:
        try:
            text = file.read(WINDOW).decode(errors="replace").removeprefix(BOM).lstrip()
        except (EOFError, OSError, zlib.error):
            return "jsonl"
    if not text:
        return "jsonl"
    has_tab = "\t" in text.partition("\n")[0]
    return {"{": "jsonl", "[": "json", "<": "xml"}.get(text[0]) or ("tsv" if has_tab else "csv")


def any_records(path: Path) -> Iterator[Record | BadLine]:
    """Reads JSON Lines, a JSON array, or a table, whichever the file is."""
    readers = {"jsonl": json_records, "json": json_array_records, "csv": csv_records}
    return readers.get(container_of(path), tsv_records)(path)


Records = Callable[[Path], Iterator[Record | BadLine]]


def elements(tag: str) -> Records:
    """Return a reader of the elements of this name. A repeated inner element becomes a list of texts."""

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
    record: dict[str, Any] = dict(element.attrib)
    for child in element.iterchildren(tag=etree.Element):
        text = " ".join("".join(child.itertext(with_tail=False)).split())
        there = record.get(child.tag)
        if there is None:
            record[child.tag] = text
        else:
            record[child.tag] = [*(there if isinstance(there, list) else [there]), text]
    return line, record
