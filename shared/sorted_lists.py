"""Lists of pages that a click on a heading sorts, and that come as CSV: one mechanism for all of them.

A page names its columns once. The address has the order (`sort`: the key of a column, after "-" for the largest first).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core.paginator import Paginator
from django.db.models import F, QuerySet
from django.http import HttpRequest

from shared.csv_files import csv_lines, csv_text
from shared.pages_by_key import portions_by_key
from shared.tables import Column

ROWS_AT_ONCE = 1000
# Parts of an address that belong to one order or one form of a list.
OF_ONE_ORDER = ("sort", "as", "page", "after", "before")


@dataclass(frozen=True)
class Head:
    """The head of a column: its name, the address that sorts by it, and its order now (ascending, descending or "")."""

    name: str
    address: str
    order: str
    is_number: bool


@dataclass(frozen=True)
class SortedList:
    """Rows in the order of the address (a list, or a page of many), with heads, and `csv`, the address of all as CSV."""

    heads: list[Head]
    rows: Any
    csv: str


def order_in(request: HttpRequest, columns: Sequence[Column], usual: str) -> str:
    """Returns the order that the address asks for: the key of a column, perhaps after "-"; else `usual`."""
    asked = request.GET.get("sort", "")
    return asked if asked.removeprefix("-") in {column.key for column in columns} else usual


def heads_of(request: HttpRequest, columns: Sequence[Column], by: str, place: str = "") -> list[Head]:
    """Returns the heads of the columns with names. `place`: the id on the page at which the list begins."""
    fragment = f"#{place}" if place else ""
    return [
        Head(
            column.name,
            address_with(request, sort=_next(column, by)) + fragment,
            "" if by.removeprefix("-") != column.key else "descending" if by.startswith("-") else "ascending",
            column.is_number,
        )
        for column in columns
        if column.on_page
    ]


def sorted_list(
    request: HttpRequest, rows: Iterable[Any], columns: Sequence[Column], usual: str = "", place: str = ""
) -> SortedList:
    """Sorts rows in memory as the address asks, else by `usual`, else as they come."""
    by = order_in(request, columns, usual)
    return SortedList(
        heads_of(request, columns, by, place),
        sorted_rows(rows, columns, by),
        address_with(request, **{"as": "csv"}),
    )


def sorted_page(
    request: HttpRequest, rows: QuerySet[Any], columns: Sequence[Column], usual: str, size: int, place: str
) -> SortedList:
    """Sorts rows in the database as the address asks, else by `usual`. The rows are the page that the address names."""
    by = order_in(request, columns, usual)
    return SortedList(
        heads_of(request, columns, by, place),
        Paginator(ordered(rows, columns, by), size).get_page(request.GET.get("page")),
        address_with(request, **{"as": "csv"}),
    )


def sorted_rows(rows: Iterable[Any], columns: Sequence[Column], by: str) -> list[Any]:
    """Sorts rows in memory; those without a value are last either way."""
    found = list(rows)
    column = next((each for each in columns if each.key == by.removeprefix("-")), None)
    if column is None:
        return found
    known = [row for row in found if column.value(row) is not None]
    known.sort(key=column.value, reverse=by.startswith("-"))
    return [*known, *(row for row in found if column.value(row) is None)]


def ordered(rows: QuerySet[Any], columns: Sequence[Column], by: str) -> QuerySet[Any]:
    """Sorts rows in the database; those without a value are last either way, and of equal ones the newest is first."""
    column = next(each for each in columns if each.key == by.removeprefix("-"))
    expression = F(column.field)
    first = expression.desc(nulls_last=True) if by.startswith("-") else expression.asc(nulls_last=True)
    return rows.order_by(first, "-pk")


def list_as_csv(rows: Iterable[Any], columns: Sequence[Column]) -> Iterator[str]:
    """Yields rows as lines of CSV, below the keys of the columns."""
    yield from csv_lines([[column.key for column in columns]])
    yield from csv_lines([_cell(column.value(row)) for column in columns] for row in rows)


def stored_as_csv(rows: QuerySet[Any], columns: Sequence[Column]) -> Iterator[str]:
    """Yields the rows of a query as CSV, ordered by key, portion by portion: no query stays open while somebody reads."""
    yield csv_text([[column.key for column in columns]])
    keys = rows.select_related(None).prefetch_related(None)
    for portion in portions_by_key(keys, ROWS_AT_ONCE):
        found = rows.filter(pk__in=[key for (key,) in portion]).order_by("pk")
        yield csv_text([_cell(column.value(row)) for column in columns] for row in found)


def address_with(request: HttpRequest, **values: str) -> str:
    """Returns the query of this address with `values` changed, and without the keys that only fit its present order."""
    query = request.GET.copy()
    for name in OF_ONE_ORDER:
        if not (name == "sort" and "as" in values):
            query.pop(name, None)
    for name, value in values.items():
        query[name] = value
    return f"?{query.urlencode()}"


def _next(column: Column, by: str) -> str:
    """Returns the order that a click on a head leads to."""
    if by.removeprefix("-") == column.key:
        return column.key if by.startswith("-") else f"-{column.key}"
    return f"-{column.key}" if column.is_number or column.largest_first else column.key


def _cell(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value
