"""Charts: a table with its definitions, and how static/js/chart-kinds.js draws it.

The page shows the table under the picture, CSV has its raw values, and REST returns the same object as the page. So the
picture, the table and the download never differ.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

from django.utils.safestring import SafeString, mark_safe

from shared.csv_tables import csv_text
from shared.intervals import FEWEST_PAIRS
from shared.numbers import written


@dataclass(frozen=True)
class Cell:
    """A cell: its text, its class, and the address of the data behind it; "" for none."""

    text: str
    css: str = ""
    href: str = ""


def as_rows(rows: Iterable[Iterable[Cell]], *, with_heads: bool = False) -> SafeString:
    """Returns the `tr` elements of a table's body, all texts escaped. with_heads: the first cell of a row is its head."""
    return mark_safe("\n".join(f"<tr>{_cells(row, with_heads)}</tr>" for row in rows))


def _cells(row: Iterable[Cell], with_heads: bool) -> str:
    return "".join(_as_html(cell, with_heads and place == 0) for place, cell in enumerate(row))


def _as_html(cell: Cell, is_head: bool) -> str:
    tag, start = ("th", '<th scope="row"') if is_head else ("td", "<td")
    css = f' class="{escape(cell.css)}"' if cell.css else ""
    text = escape(cell.text)
    if cell.href:
        text = f'<a href="{escape(cell.href)}">{text or "none"}</a>'
    return f"{start}{css}>{text}</{tag}>"


KINDS = ("dots", "bars", "heat", "lines", "histogram", "scatter", "strips", "ternary")


@dataclass(frozen=True)
class Column:
    """A column of a chart's table. kind: how a value is formatted, see shared.numbers.written."""

    key: str
    name: str
    kind: str = "text"
    definition: str = ""


AFTER_WILSON = "The 95% interval of the share, after Wilson."


def interval(definition: str = "", kind: str = "share") -> list[Column]:
    """Returns the columns of an interval's ends, `low` and `high`."""
    return [Column("low", "from", kind, definition), Column("high", "to", kind)]


@dataclass(frozen=True)
class Chart:
    """A table and its picture.

    key: its name on the page and in addresses. kind: one of KINDS. title: the finding, as a sentence. columns: in
    order; the first names the row. rows: raw values by the keys of columns (shares from 0 to 1, None if there is no
    value); `href` is the address of the data behind a row, `hrefs` those of the data behind its cells (key ->
    address). draw: which columns the kind draws as what (x, y, low, high, n, size, series, ...) and its settings,
    as static/js/chart-kinds.js names them. lines: reference values, as {axis, value, name}. colours: key of a
    column, or value, -> name of a colour in the style sheets. note: further information for reading the picture.
    explained: (name of a row, its definition).
    """

    key: str
    kind: str
    title: str
    columns: Sequence[Column]
    rows: Sequence[Mapping[str, Any]]
    draw: Mapping[str, Any]
    lines: Sequence[Mapping[str, Any]] = ()
    colours: Mapping[str, str] = field(default_factory=dict)
    note: str = ""
    explained: Sequence[tuple[str, str]] = ()

    def as_json(self) -> dict[str, Any]:
        """Returns the chart for REST and for the script.

        `faint`: the value is computed over fewer than thirty pairs.
        """
        n: str = self.draw.get("n", "")
        return {
            "key": self.key,
            "kind": self.kind,
            "title": self.title,
            "note": self.note,
            "columns": [vars(column) for column in self.columns],
            "rows": [{**row, "faint": bool(n) and (row[n] or 0) < FEWEST_PAIRS} for row in self.rows],
            "draw": dict(self.draw),
            "lines": [dict(line) for line in self.lines],
            "colours": dict(self.colours),
            "explained": [list(each) for each in self.explained],
        }

    def as_csv(self) -> str:
        """Returns the table with raw values; the header has the keys of the columns."""
        keys = [column.key for column in self.columns]
        return csv_text([keys, *([row.get(key) for key in keys] for row in self.rows)])

    @property
    def body(self) -> SafeString:
        """Returns the rows as HTML."""
        rows = ((_cell(column, row, index) for index, column in enumerate(self.columns)) for row in self.rows)
        return as_rows(rows, with_heads=True)

    @property
    def definitions(self) -> list[tuple[str, str]]:
        """Returns (name, definition) of the columns and rows that have one."""
        return [
            *((column.name, column.definition) for column in self.columns if column.definition),
            *self.explained,
        ]


def _cell(column: Column, row: Mapping[str, Any], index: int) -> Cell:
    behind = row.get("href", "") if index == 0 else row.get("hrefs", {}).get(column.key, "")
    css = "" if column.kind in ("text", "day") else "number"
    return Cell(written(row.get(column.key), column.kind), css, behind or "")


def with_values(charts: Iterable[Chart | None]) -> list[Chart]:
    """Excludes charts without data."""
    return [chart for chart in charts if chart is not None and chart.rows]
