"""Pages of a long list, each beginning after a value of the column that sorts it: the last costs as much as the first."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet


@dataclass(frozen=True)
class Page:
    """The rows of a page. `after`, `before`: arguments for the next and the previous page; None if there is none."""

    rows: list[Any]
    after: Any
    before: Any


def page_by_key(
    queryset: QuerySet[Any], order: str, size: int, *, after: Any = None, before: Any = None
) -> Page:
    """Returns one page of the rows, ordered by a column whose values differ ("pk", or "-pk" for the last first).

    after: rows beyond this value; before: the rows that end just before it. It is one query; with an index on the
    column, it reads no more than the page.
    """
    column, is_down = order.removeprefix("-"), order.startswith("-")
    is_back = before is not None
    edge = before if is_back else after
    if edge is not None:
        side = "lt" if is_down != is_back else "gt"
        queryset = queryset.filter(**{f"{column}__{side}": edge})
    is_reversed = is_down != is_back
    found = list(queryset.order_by(f"-{column}" if is_reversed else column)[: size + 1])
    has_more, rows = len(found) > size, found[:size]
    if is_back:
        rows.reverse()
    if not rows:
        return Page([], None, None)
    first, last = getattr(rows[0], column), getattr(rows[-1], column)
    has_before = has_more if is_back else after is not None
    has_after = before is not None if is_back else has_more
    return Page(rows, last if has_after else None, first if has_before else None)


def counted_up_to(queryset: QuerySet[Any], most: int) -> tuple[int, bool]:
    """Returns the number of rows, at most `most`, and whether there are more."""
    number = queryset.order_by().values("pk")[: most + 1].count()
    return min(number, most), number > most


def portions_by_key(queryset: QuerySet[Any], size: int, *columns: str) -> Iterator[list[tuple[Any, ...]]]:
    """Yields all rows as tuples of the key and `columns`, ordered by key, at most `size` at a time.

    Each portion is a query of its own: memory holds one, and no query stays open while somebody reads.
    """
    rows, after = queryset.order_by("pk").values_list("pk", *columns), 0
    while portion := list(rows.filter(pk__gt=after)[:size]):
        yield portion
        after = portion[-1][0]
