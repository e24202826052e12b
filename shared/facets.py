"""Counts the rows for each value of a list's filters, which shared/lists.py shows beside the list.

Rows are counted once, in groups of rows that are equal in all filters; from these any choice of filters has its numbers.
A number, such as a length or a share, is a filter by classes, drawn as a small histogram whose bars choose a class.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from types import SimpleNamespace
from typing import Any, Protocol

from django.db.models import Count, F, Q, QuerySet
from django.db.models.functions import Least, Length

from shared.numbers import percent
from shared.pages_by_key import counted_up_to
from shared.tables import Column, Table, with_values


class Counted(Protocol):
    """Rows that are equal in all filters: an attribute for each filter (a value, or a tuple of values that all fit)."""

    @property
    def number(self) -> int: ...


# What a filter accepts: a value, or any of several; all if it is empty.
Wish = str | frozenset[Any]


def several(wish: str | Collection[str]) -> tuple[str, ...]:
    """Returns the values that a filter accepts, of which a row has to have one; none stands for all."""
    return tuple(filter(None, (wish,) if isinstance(wish, str) else wish))


# Filter -> its values, each with the number of rows.
Numbers = dict[str, list[tuple[Any, int]]]


def counted(
    groups: Collection[Counted], wanted: Mapping[str, Wish], orders: Mapping[str, Sequence[Any]]
) -> tuple[Numbers, int]:
    """Returns (the values of each filter with their numbers under the other filters; the number of rows that pass all).

    An empty wish accepts all. orders: as of `numbers_by_value`, for filters that are no number.
    """
    orders = {**CLASSES, **orders}
    values = {name: numbers_by_value(groups, wanted, name, orders.get(name, ())) for name in wanted}
    return values, sum(group.number for group in groups if passes(group, wanted))


MOST_IN_FACETS = 100_000  # rows that are counted during a request


def facets_of(
    rows: QuerySet[Any],
    columns: Mapping[str, Any],
    chosen: Mapping[str, Wish],
    orders: Mapping[str, Sequence[Any]] = {},
) -> tuple[Numbers, tuple[int, bool]] | None:
    """Returns (the numbers beside the values of filters, the total as `counted_up_to` does); None where rows are too many.

    rows: those that pass all other filters. columns: filter -> path or expression. chosen, orders: as of `counted`.
    """
    if counted_up_to(rows, MOST_IN_FACETS)[1]:
        return None
    expressions = {f"of_{name}": F(each) if isinstance(each, str) else each for name, each in columns.items()}
    found = rows.order_by().values(**expressions).annotate(number=Count("pk"))
    groups = [
        SimpleNamespace(**{name.removeprefix("of_"): value for name, value in row.items()}) for row in found
    ]
    numbers, total = counted(groups, chosen, orders)
    return numbers, (total, False)


def numbers_by_value(
    groups: Collection[Counted], wanted: Mapping[str, Wish], name: str, order: Sequence[Any] = ()
) -> list[tuple[Any, int]]:
    """Counts the rows for each value of the filter `name`, under the other filters. The chosen value of `name` is ignored.

    order: the values in the order of the result; without it, the most frequent comes first.
    """
    others, counts = {key: value for key, value in wanted.items() if key != name}, Counter[Any]()
    for group in groups:
        if passes(group, others):
            for each in _values(group, name):
                counts[each] += group.number
    if order:
        return [(value, counts[value]) for value in order if counts[value]]
    return sorted(
        ((value, number) for value, number in counts.items() if value), key=lambda each: (-each[1], each[0])
    )


def passes(group: Counted, wanted: Mapping[str, Wish]) -> bool:
    return all(_fits(_values(group, name), wish) for name, wish in wanted.items() if wish)


def _fits(values: tuple[Any, ...], wish: Wish) -> bool:
    return not wish.isdisjoint(values) if isinstance(wish, frozenset) else wish in values


def _values(group: Counted, name: str) -> tuple[Any, ...]:
    value = getattr(group, name)
    return value if isinstance(value, tuple) else (value,)


WIDTH = 10  # characters of a class of lengths
LENGTHS = 13  # classes; the last holds all longer texts, too
AGREEMENTS = 5  # classes of the share that the most frequent label has

# Classes of lengths and of agreement, the lowest first.
CLASSES: dict[str, range] = {"length": range(LENGTHS), "agreement": range(1, AGREEMENTS + 1)}

# Returns the address of the list with other values of some filters.
Address = Callable[[dict[str, Any]], str]


def length_class(path: str) -> Least:
    """Returns the class of a text's length, from 0 on, in SQL."""
    return Least(Length(path) / WIDTH, LENGTHS - 1)


def classes_between(shortest: int, longest: int) -> frozenset[int] | None:
    """Returns the classes of lengths between two limits (0: no limit), empty for all; None if a limit cuts through one."""
    first, end = shortest // WIDTH, (longest + 1) // WIDTH if longest else LENGTHS
    is_cut = shortest % WIDTH or (longest and (longest + 1) % WIDTH) or end > LENGTHS - bool(longest)
    if is_cut or first >= end:
        return None
    return frozenset(range(first, end)) if shortest or longest else frozenset()


def length_chart(
    numbers: Sequence[tuple[int, int]], shortest: int, longest: int, address: Address
) -> Table | None:
    """Returns the chart of (class of length, pairs); None if all pairs are in one class."""
    known, chosen = dict(numbers), classes_between(shortest, longest)
    if len(known) < 2:
        return None
    rows: list[dict[str, Any]] = []
    for place in range(min(known), max(known) + 1):
        low = place * WIDTH
        high = low + WIDTH if place < LENGTHS - 1 else None
        limits: dict[str, Any] = {"shortest": low or "", "longest": high - 1 if high else ""}
        is_chosen = (limits["shortest"] or 0, limits["longest"] or 0) == (shortest, longest)
        rows.append(
            {
                "class": f"{low} to {high - 1}" if high else f"{low} or more",
                "pairs": known.get(place, 0),
                "low": low,
                "high": high,
                "href": address(dict.fromkeys(limits, "") if is_chosen else limits),
                "is_out": bool(chosen) and place not in (chosen or ()),
            }
        )
    whole, below = sum(known.values()), 0
    middle = next(row for row in rows if 2 * (below := below + row["pairs"]) >= whole)
    finding = f"have up to {middle['high'] - 1}" if middle["high"] else f"have {middle['low']} or more"
    return _histogram(
        "length",
        f"At least half of the hypotheses {finding} characters.",
        "characters of the hypothesis",
        rows,
    )


def agreement_class(part: int) -> Q:
    """Returns a condition on `votes` and `most`: the share of the most frequent label is in this class, from 1 on.

    A class holds its upper end: with five votes, three are in the third.
    """
    return Q(
        votes__gt=0,
        most__gt=F("votes") * (part - 1) / AGREEMENTS,
        most__lte=F("votes") * part / AGREEMENTS,
    )


def agreement_of(most: int, votes: int) -> int:
    """Returns the class that `agreement_class` selects in SQL; 0 without votes."""
    return -(-most * AGREEMENTS // votes) if votes else 0


def chosen_agreement(share: int) -> int:
    """Returns the class that an address chooses by its upper end in percent; 0: none."""
    return share * AGREEMENTS // 100


def histograms(
    numbers: Numbers, shortest: int, longest: int, agreement: int, address: Address
) -> list[Table]:
    """Returns the charts of lengths and of agreement. numbers: as `counted` has them. agreement: a class; 0: any."""
    return with_values(
        [
            length_chart(numbers.get("length", []), shortest, longest, address),
            agreement_chart(numbers.get("agreement", []), agreement, address),
        ]
    )


def agreement_chart(numbers: Sequence[tuple[int, int]], chosen: int, address: Address) -> Table | None:
    """Returns the chart of (class of agreement, pairs). chosen: a class; 0: none."""
    of_class = dict(numbers)
    alike, whole = of_class.get(AGREEMENTS, 0), sum(of_class.values())
    title = f"More than 80% of the labels are the same in {alike:,} of {whole:,} pairs."
    shown = [of_class.get(part, 0) for part in range(1, AGREEMENTS + 1)]
    name = "share of the most frequent label"
    return share_chart("agreement", title, name, shown, chosen * 100 // AGREEMENTS, address)


def share_chart(
    key: str, title: str, name: str, numbers: Sequence[int], chosen: int, address: Address
) -> Table | None:
    """Returns the chart of the pairs in classes of a share that are equally wide; None if all are in one class.

    numbers: of each class, the lowest first; a class holds its upper end. chosen: that end, in percent; 0: none.
    """
    if sum(map(bool, numbers)) < 2:
        return None
    width = 100 // len(numbers)
    rows = []
    for place, number in enumerate(numbers, 1):
        low, high = (place - 1) / len(numbers), place / len(numbers)
        is_chosen = chosen == width * place
        rows.append(
            {
                "class": f"above {percent(low)}, to {percent(high)}",
                "pairs": number,
                "low": low,
                "high": high,
                "href": address({key: "" if is_chosen else width * place}),
                "is_out": bool(chosen) and not is_chosen,
            }
        )
    return _histogram(key, title, name, rows, "share")


def _histogram(key: str, title: str, name: str, rows: list[dict[str, Any]], kind: str = "count") -> Table:
    return Table(
        key,
        "histogram",
        title,
        [
            Column("class", name),
            Column("pairs", "pairs", "count"),
            Column("low", "from", kind),
            Column("high", "to", kind),
        ],
        rows,
        {"low": "low", "high": "high", "y": "pairs", "x_name": name, "is_small": True, "width": WIDTH},
    )
