"""A table with its definitions, and how static/js/chart-kinds.js draws it: what a page shows, a file holds, REST returns.

The page shows the table under the picture, CSV has its raw values, and REST returns the same object as the page. So the
picture, the table and the download never differ.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import chain, repeat
from typing import Any

from django.utils.safestring import SafeString, mark_safe

from shared.intervals import FEWEST_PAIRS
from shared.numbers import written

Row = Mapping[str, Any]
PICTURES = ("dots", "bars", "heat", "lines", "histogram", "scatter", "strips", "ternary")
MOST_ROWS_OPEN = 30
TEXTS = (
    "text",
    "sentence",
    "day",
    "pair",
    "run",
    *("name", "page", "passage", "label", "votes", "link"),
)  # formats that are no numbers; pair and run are texts that a page links, the last six cells of shared/lists.py


@dataclass(frozen=True)
class Column:
    """A column of a table.

    key: its name in files. name: its heading, the key if empty. kind: how a value is written, see shared.numbers.written,
    or pair and run, which a page links. definition: what it means. source: where a paper has it. each: makes a column for
    each of these, such as each label of the data (or label -> its name); then key and name are patterns, as "{}, share".

    Of a sorted list (shared/sorted_lists.py): value: what CSV has of a row, by which a list in memory is sorted; None is
    last either way. field: by what the database sorts. largest_first: whether the first click shows the largest first,
    as with numbers and days. on_page: False if only CSV has it.
    """

    key: str
    name: str = ""
    kind: str = "text"
    definition: str = ""
    source: str = ""
    each: Callable[[Any], Iterable[str]] | None = None
    value: Callable[[Any], Any] = str
    field: str = ""
    largest_first: bool = False
    on_page: bool = True

    def __post_init__(self) -> None:
        if not self.name:
            object.__setattr__(self, "name", self.key)

    @property
    def is_number(self) -> bool:
        return self.kind not in TEXTS

    @property
    def names_row(self) -> bool:
        return self.kind in ("name", "page")

    def spread(self, data: Any) -> Iterator["Column"]:
        """Yields the columns that it makes of these data: itself, or one for each."""
        if self.each is None:
            yield self
        meaning = self.definition  # of the first; the others are alike
        found = self.each(data) if self.each else ()
        names = found if isinstance(found, Mapping) else {}
        for value in found:
            name = self.name.format(names.get(value, value))
            yield Column(self.key.format(value), name, self.kind, meaning, self.source)
            meaning = ""

    def as_json(self) -> dict[str, str]:
        return {"key": self.key, "name": self.name, "kind": self.kind, "definition": self.definition}


AFTER_WILSON = "The 95% interval of the share, after Wilson."


def interval(definition: str = "", kind: str = "share") -> list[Column]:
    """Returns the columns of an interval's ends, `low` and `high`."""
    return [Column("low", "from", kind, definition), Column("high", "to", kind)]


@dataclass(frozen=True)
class Table:
    """A table, and its picture if it has one.

    key: its name on the page and in addresses. kind: one of PICTURES, or "". title: the finding, as a sentence. columns: in
    order; the first names the row. rows: raw values by the keys of columns (shares from 0 to 1, None if there is no
    value); `href` is the address of the data behind a row, `hrefs` those of the data behind its cells (key ->
    address). draw: which columns the kind draws as what (x, y, low, high, n, size, series, ...) and its settings,
    as static/js/chart-kinds.js names them; `where` (key -> value): the rows that are drawn. lines: reference values, as
    {axis, value, name}. colours: key of a column, or value, -> name of a colour in the style sheets. note: further
    information for reading the picture. explained: (name of a row, its definition). notes: what else is to know.
    caption: what the table shows, whatever it finds, and where a paper has it.
    """

    key: str
    kind: str
    title: str
    columns: Sequence[Column]
    rows: Sequence[Row]
    draw: Mapping[str, Any] = field(default_factory=dict)
    lines: Sequence[Mapping[str, Any]] = ()
    colours: Mapping[str, str] = field(default_factory=dict)
    note: str = ""
    explained: Sequence[tuple[str, str]] = ()
    notes: Sequence[str] = ()
    caption: str = ""

    def as_json(self) -> dict[str, Any]:
        """Returns the table for REST and for the script.

        `faint`: the value is computed over fewer than thirty pairs.
        """
        n: str = self.draw.get("n", "")
        return {
            "key": self.key,
            "kind": self.kind,
            "title": self.title,
            "caption": self.caption,
            "note": self.note,
            "columns": [column.as_json() for column in self.columns],
            "rows": [{**row, "faint": bool(n) and (row[n] or 0) < FEWEST_PAIRS} for row in self.rows],
            "draw": dict(self.draw),
            "lines": [dict(line) for line in self.lines],
            "colours": dict(self.colours),
            "explained": [list(each) for each in self.explained],
            "notes": list(self.notes),
        }

    def cells(self) -> Iterator[list[Any]]:
        """Yields the raw values of each row."""
        return ([row.get(column.key) for column in self.columns] for row in self.rows)

    def texts(self) -> Iterator[list[str]]:
        """Yields each row as people read it."""
        kinds = [column.kind for column in self.columns]
        return ([written(*cell) for cell in zip(row, kinds, strict=True)] for row in self.cells())

    @property
    def is_long(self) -> bool:
        """Whether a page folds it."""
        return len(self.rows) > MOST_ROWS_OPEN

    @property
    def body(self) -> SafeString:
        """Returns the rows as HTML."""
        rows = (
            "".join(map(_as_html, self.columns, repeat(row), chain([True], repeat(False))))
            for row in self.rows
        )
        return mark_safe("\n".join(f"<tr>{row}</tr>" for row in rows))

    @property
    def definitions(self) -> list[tuple[str, str]]:
        """Returns (name, definition) of the columns and rows that have one."""
        return [
            *((column.name, column.definition) for column in self.columns if column.definition),
            *self.explained,
        ]


Value = str | int | float | None


def plain(
    key: str, caption: str, columns: Sequence[Column], rows: Iterable[Sequence[Value]], notes: Sequence[str]
) -> Table:
    """Returns a table without a picture. rows: in the order of the columns."""
    keys = [column.key for column in columns]
    return Table(
        key,
        "",
        caption,
        columns,
        [dict(zip(keys, row, strict=True)) for row in rows],
        notes=notes,
        caption=caption,
    )


def with_values(tables: Iterable[Table | None]) -> list[Table]:
    """Excludes tables without rows."""
    return [table for table in tables if table is not None and table.rows]


def _as_html(column: Column, row: Row, is_head: bool) -> str:
    tag, start = ("th", '<th scope="row"') if is_head else ("td", "<td")
    css = ' class="number"' if column.is_number else ' class="words"' if column.kind == "sentence" else ""
    text = escape(written(row.get(column.key), column.kind))
    behind = row.get("href") if is_head else row.get("hrefs", {}).get(column.key)
    if behind:
        text = f'<a href="{escape(behind)}">{text or "none"}</a>'
    return f"{start}{css}>{text}</{tag}>"
