"""Defines how a long computation reports its progress."""

from collections.abc import Callable

# Called with the part that is done, from 0 to 1. The callee may stop the computation by an exception.
Progress = Callable[[float], None]


class NothingToCount(Exception):
    """There is nothing to count. The text says what is needed."""


def ignore_progress(part: float) -> None:
    """Does nothing: for computations that nobody waits for."""
