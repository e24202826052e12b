"""Formats the raw values of a table for a page."""

from collections.abc import Iterator, Sequence

from django import template

from shared.numbers import written
from snapshots.statistics.paper_tables import Cell, Column, Table

register = template.Library()
ABSENT = "–"


@register.filter
def with_columns(row: Sequence[Cell], table: Table) -> Iterator[tuple[Column, Cell]]:
    """Yields each value with its column."""
    return zip(table.columns, row, strict=True)


@register.filter
def shown(value: Cell, kind: str) -> str:
    return written(value, kind) or ABSENT
