"""Reads tables: tab-separated and comma-separated text, with a header or without.

A row that cannot be read becomes a `BadLine`, and reading goes on with the line after its first: a quote that is never
closed costs one line, not all that it swallows.
"""

import csv
import zlib
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from collection.formats.lines import (
    BOM,
    MENDED,
    QUOTES_STAY,
    UTF_16,
    WINDOW,
    BadLine,
    Line,
    Record,
    Row,
    is_parquet,
    json_array_records,
    json_records,
    open_bytes,
    read_lines,
)

LONGEST_CELL = 10_000  # characters of a cell that holds line ends
SEPARATOR = "sep="  # the first line of a table for Excel, before its separator
CLEARLY = 20  # cells in CSV's quoting for each one that is not

Cells = tuple[int, list[str]]


def tsv_records(
    path: Path,
    mend: Callable[[str], str] = str,
    encoding: str = "utf-8",
    header: Sequence[str] | None = None,
) -> Iterator[Record | BadLine]:
    """Reads tab-separated text; its first line names the columns. Quotes have no meaning.

    `mend` repairs a line of a published file that is known to be faulty. `header`: for a file without one.
    """

    mended = set()

    def rows() -> Iterator[Cells | BadLine]:
        for item in read_lines(path, encoding):
            if isinstance(item, BadLine):
                yield item
            elif item[0] == 1 and header is None:
                yield 1, item[1].split("\t")
            else:
                text = mend(item[1])
                if text != item[1]:
                    mended.add(item[0])
                yield item[0], text.split("\t") if text.strip() else []

    for item in _table(rows(), header):
        if not isinstance(item, BadLine) and item[0] in mended:
            item = item[0], Row(item[1])
            item[1].told[MENDED] += 1
        yield item


def csv_records(path: Path, header: Sequence[str] | None = None) -> Iterator[Record | BadLine]:
    """Reads comma-separated text with a header. A cell in double quotes may hold commas and line ends."""
    return _table(csv_rows(path), header)


def table_records(path: Path, header: Sequence[str] | None = None) -> Iterator[Record | BadLine]:
    """Reads tab-separated text; in a file that quotes its cells as CSV does, quotes are read so.

    In any other file quotes stay, and each row that looks quoted is told.
    """
    quoted, against = _csv_quoting(path)
    if len(quoted) > CLEARLY * against:
        yield from _table(csv_rows(path, "\t"), header)
        return
    for item in tsv_records(path, header=header):
        if not isinstance(item, BadLine) and item[0] in quoted:
            item = item[0], Row(item[1])
            item[1].told[QUOTES_STAY] += 1
        yield item


def _table(
    rows: Iterator[Cells | BadLine], header: Sequence[str] | None = None
) -> Iterator[Record | BadLine]:
    """Yields a record for each row that is not empty. The first row names the columns, if `header` does not.

    An empty `header` names them 1, 2, 3 and so on.
    """
    columns = list(header) if header else None
    for item in rows:
        if isinstance(item, BadLine):
            yield item
            if columns is None and header is None:
                return  # without its header a table cannot be read
            continue
        if columns is None:
            columns = numbered(item[1]) if header is None else [str(n + 1) for n in range(len(item[1]))]
            if header is None or item[1] == columns:
                continue
        if item[1]:
            yield _row(*item, columns)


def csv_rows(path: Path, delimiter: str = "") -> Iterator[Cells | BadLine]:
    """Reads the rows of a file, each with the number of its first line.

    delimiter: by default a comma; a semicolon where the first line has no comma, and what Excel's `sep=` names.
    """
    lines, width = _Lines(read_lines(path)), 0
    reader = csv.reader(lines, delimiter=delimiter or lines.separator(), strict=True)
    while True:
        lines.taken.clear()
        wrong = ""
        try:
            cells = next(reader, None)
        except csv.Error as problem:
            wrong, cells = f"not valid CSV ({problem}); look for a quote that is never closed", []
        taken = lines.taken
        if cells is None:
            return
        if len(taken) > 1 and not wrong:
            if width and len(cells) != width:
                wrong = (
                    f"a quote that begins here makes {len(taken):,} lines one row, with {len(cells)} columns"
                )
            elif max(map(len, cells)) > LONGEST_CELL:
                wrong = f"a quote that begins here makes {len(taken):,} lines one row, with a cell too long"
        if wrong:
            yield BadLine(_number(taken[0]), wrong)
            lines.again.extendleft(reversed(taken[1:]))
            continue
        bad = [item for item in taken if isinstance(item, BadLine)]
        yield from bad
        if not bad:
            width = width or len(cells)
            yield _number(taken[0]), cells


def _number(item: Line | BadLine) -> int:
    return item.line if isinstance(item, BadLine) else item[0]


class _Lines:
    """Lines for a CSV reader, an empty one for each that cannot be read.

    taken: the lines since the row began. again: lines to be read anew.
    """

    def __init__(self, lines: Iterator[Line | BadLine]) -> None:
        self.lines = lines
        self.again: deque[Line | BadLine] = deque()
        self.taken: list[Line | BadLine] = []

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        item = self.again.popleft() if self.again else next(self.lines)
        self.taken.append(item)
        return "\n" if isinstance(item, BadLine) else item[1] + "\n"

    def separator(self) -> str:
        """Returns what separates the cells, by the first line; takes a line that says nothing else away."""
        first = next(self.lines, None)
        text = first[1] if isinstance(first, tuple) else ""
        if text.startswith(SEPARATOR) and len(text) == len(SEPARATOR) + 1:
            return text[-1]
        if first is not None:
            self.again.append(first)
        return ";" if ";" in text and "," not in text else ","


def _csv_quoting(path: Path) -> tuple[set[int], int]:
    """Returns the numbers of the lines that speak for CSV's quoting in a tab-separated file, and how many speak against it.

    Doubled quotes or a tab inside a quoted cell, or a header all in quotes, speak for it; a quote that begins a cell and
    does not end it speaks against it.
    """
    shown, against = set(), 0
    for item in read_lines(path):
        if isinstance(item, BadLine) or not (item[1].startswith('"') or '\t"' in item[1]):
            continue
        plain = item[1].split("\t")
        try:
            cells = next(csv.reader([item[1]], delimiter="\t", strict=True))
        except csv.Error:
            against += 1
            continue
        is_header = item[0] == 1 and plain == [f'"{cell}"' for cell in cells]
        if (
            is_header
            or len(plain) != len(cells)
            or any(one not in (cell, f'"{cell}"') for one, cell in zip(plain, cells, strict=True))
        ):
            shown.add(item[0])
    return shown, against


def numbered(names: Sequence[str]) -> list[str]:
    """Returns the names of columns. Repeated names are numbered, `name~1`, `name~2`, so that a map can name each."""
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
    """Returns the kind of file by its beginning: jsonl, json, xml, tsv or csv. An empty or damaged file is jsonl."""
    if is_parquet(path):
        return "jsonl"  # the same rows
    with open_bytes(path) as file:
        try:
            head = file.read(WINDOW)
        except (EOFError, OSError, zlib.error):
            return "jsonl"
    text = head.decode("utf-16" if head.startswith(UTF_16) else "utf-8", errors="replace")
    text = text.removeprefix(BOM).lstrip()
    if not text:
        return "jsonl"
    has_tab = "\t" in text.replace("\r", "\n").partition("\n")[0]
    return {"{": "jsonl", "[": "json", "<": "xml"}.get(text[0]) or ("tsv" if has_tab else "csv")


def any_records(path: Path) -> Iterator[Record | BadLine]:
    """Reads JSON Lines, a JSON array, Parquet, or a table, whichever the file is."""
    readers = {"jsonl": json_records, "json": json_array_records, "csv": csv_records}
    return readers.get(container_of(path), table_records)(path)


WITHOUT_HEADER = {
    "tsv": partial(table_records, header=()),
    "csv": partial(csv_records, header=()),
}
