"""Values of a list's filters with the numbers that they would show: links beside the list. One mechanism for all lists.

Rows are counted once, in groups of rows that are equal in all filters; from these any choice of filters has its numbers.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol


class Counted(Protocol):
    """Rows that are equal in all filters: an attribute for each filter (a value, or a tuple of values that all fit)."""

    @property
    def number(self) -> int: ...


# What a filter accepts: a value, or any of several; all if it is empty.
Wish = str | frozenset[Any]


@dataclass(frozen=True)
class Value:
    """A value of a filter. link: the address that chooses it, or lets it go if it is chosen."""

    value: str
    number: int
    is_chosen: bool
    link: str


@dataclass(frozen=True)
class Facet:
    name: str
    values: list[Value]


def total(groups: Iterable[Counted], wanted: Mapping[str, Wish]) -> int:
    """Returns the number of rows that pass the filters; an empty value accepts all."""
    return sum(group.number for group in groups if _passes(group, wanted))


def numbers_by_value(
    groups: Collection[Counted], wanted: Mapping[str, Wish], name: str, order: Sequence[Any] = ()
) -> list[tuple[Any, int]]:
    """Counts the rows for each value of the filter `name`, under the other filters. The chosen value of `name` is ignored.

    order: the values in the order of the result; without it, the most frequent comes first.
    """
    others, counts = {key: value for key, value in wanted.items() if key != name}, Counter[Any]()
    for group in groups:
        if _passes(group, others):
            for each in _values(group, name):
                counts[each] += group.number
    if order:
        return [(value, counts[value]) for value in order if counts[value]]
    return sorted(
        ((value, number) for value, number in counts.items() if value), key=lambda each: (-each[1], each[0])
    )


def facets(
    numbers: Mapping[str, Sequence[tuple[str, int]]],
    names: Mapping[str, str],
    wanted: Mapping[str, Any],
    address: Callable[[str, str], str],
    words: Mapping[str, Mapping[str, str]],
) -> list[Facet]:
    """Makes the links; a filter with one value says nothing and has none.

    names: of the filters, as people read them. address: returns the address with another value of a filter. words:
    filter -> value -> what people read instead.
    """
    found = []
    for name, values in numbers.items():
        if len(values) > 1:
            links = []
            for value, number in values:
                is_chosen = wanted.get(name, "") == value
                shown = words.get(name, {}).get(value, value)
                links.append(Value(shown, number, is_chosen, address(name, "" if is_chosen else value)))
            found.append(Facet(names[name], links))
    return found


def _passes(group: Counted, wanted: Mapping[str, Wish]) -> bool:
    return all(_fits(_values(group, name), wish) for name, wish in wanted.items() if wish)


def _fits(values: tuple[Any, ...], wish: Wish) -> bool:
    return not wish.isdisjoint(values) if isinstance(wish, frozenset) else wish in values


def _values(group: Counted, name: str) -> tuple[Any, ...]:
    value = getattr(group, name)
    return value if isinstance(value, tuple) else (value,)
