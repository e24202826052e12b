"""Pages of a long list, each beginning after a value of the column that sorts it: the last costs as much as the first."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import BooleanField, F, Func, OrderBy, QuerySet, Value
from django.db.models.functions import Coalesce


class Beyond(Func):
    """Says whether (column, key) comes after two values, as one comparison: an index on both finds the place."""

    output_field = BooleanField()

    def __init__(self, column: Any, value: Any, key: int, sign: str) -> None:
        super().__init__(column, F("pk"), Value(value), Value(key))
        self.sign = sign

    def as_sql(self, compiler: Any, connection: Any, *_: Any, **__: Any) -> Any:
        parts = [compiler.compile(each) for each in self.source_expressions]
        (column, key, value, of), values = zip(*parts, strict=True)
        return f"({column}, {key}) {self.sign} ({value}, {of})", [each for part in values for each in part]


@dataclass(frozen=True)
class Order:
    """An order of rows: a column, after "-" for the largest first. Rows that are equal in it follow their keys.

    expression: what the column is, if the table has no such one. With an index on it and the key every page costs as much as
    the first; without one the database looks through all rows, for each page.
    """

    by: str
    expression: Any = None

    @property
    def column(self) -> str:
        return self.by.removeprefix("-")

    @classmethod
    def among(cls, by: str, expressions: Mapping[str, Any]) -> "Order":
        """Returns the order by one of these columns, or by the table's own; a missing value is an empty text."""
        found = expressions.get(by.removeprefix("-"))
        return cls(by, found if found is None or not isinstance(found, str) else Coalesce(found, Value("")))

    def rows(self, queryset: QuerySet[Any], beyond: int | None, *, is_back: bool = False) -> QuerySet[Any]:
        """Returns the rows in this order that follow the row with the key `beyond`; None or 0: all.

        is_back: in the other direction. A row that is gone is at the beginning.
        """
        is_down = self.by.startswith("-") != is_back
        signs = {True: "-", False: ""}
        if self.column == "pk":
            rows = queryset.filter(**{f"pk__{'lt' if is_down else 'gt'}": beyond}) if beyond else queryset
            return rows.order_by(f"{signs[is_down]}pk")
        column = F(self.column) if self.expression is None else self.expression
        if beyond:
            # The row itself may not pass the filters any more.
            edge = queryset.model._base_manager.filter(pk=beyond).values_list(column)[:1]
            for (value,) in edge:
                queryset = queryset.filter(Beyond(column, value, beyond, "<" if is_down else ">"))
        first = OrderBy(column, descending=is_down)
        return queryset.order_by(first, f"{signs[is_down]}pk")


@dataclass(frozen=True)
class Page:
    """The rows of a page. `after`, `before`: keys for the next and the previous page; None if there is none."""

    rows: list[Any]
    after: int | None
    before: int | None


def page_by_key(
    queryset: QuerySet[Any], order: Order, size: int, *, after: int | None = None, before: int | None = None
) -> Page:
    """Returns one page of the rows: those that follow the row with the key `after`, or that end just before `before`."""
    is_back = bool(before)
    found = list(order.rows(queryset, before or after, is_back=is_back)[: size + 1])
    has_more, rows = len(found) > size, found[:size]
    if is_back:
        rows.reverse()
    if not rows:
        return Page([], None, None)
    has_before = has_more if is_back else bool(after)
    has_after = is_back or has_more
    return Page(rows, rows[-1].pk if has_after else None, rows[0].pk if has_before else None)


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
