"""How long counts tell how far they are."""

from collections.abc import Callable

# Told of the part that is done, from 0 to 1. Whoever is told may stop the count by an exception.
Progress = Callable[[float], None]


class NothingToCount(Exception):
    """There is nothing that could be counted. The text says what is needed."""


def untold(part: float) -> None:
    """For counts that nobody waits for."""
