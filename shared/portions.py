"""Divides items into portions, so that long work holds, writes and reports one of them at a time."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

T = TypeVar("T")


def portions(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yields the items in their order, in lists of `size`; the last one may be shorter."""
    rest = iter(items)
    while portion := list(islice(rest, size)):
        yield portion
