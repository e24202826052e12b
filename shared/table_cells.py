"""Rows of tables as HTML, for tables of thousands of cells: a template takes a hundred times as long for each."""

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

from django.utils.safestring import SafeString, mark_safe


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
    return "".join(_cell(cell, with_heads and place == 0) for place, cell in enumerate(row))


def _cell(cell: Cell, is_head: bool) -> str:
    tag, start = ("th", '<th scope="row"') if is_head else ("td", "<td")
    css = f' class="{escape(cell.css)}"' if cell.css else ""
    text = escape(cell.text)
    if cell.href:
        text = f'<a href="{escape(cell.href)}">{text or "none"}</a>'
    return f"{start}{css}>{text}</{tag}>"
