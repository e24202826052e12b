"""Numbers that commands take and that columns hold."""

from argparse import ArgumentTypeError
from collections.abc import Callable

LARGEST_SEED = LARGEST = 2**31 - 1  # what the columns hold
LONGEST = 12  # digits that are looked at: Python refuses to read some thousands


def whole(least: int, most: int = LARGEST) -> Callable[[str], int]:
    """Returns a type for an option of a command: a whole number within these bounds."""

    def number(text: str) -> int:
        digits = text.removeprefix("-")
        if digits.isascii() and digits.isdigit() and len(digits) <= LONGEST and least <= int(text) <= most:
            return int(text)
        raise ArgumentTypeError(f"{text[:40]!r} is not a whole number from {least:,} to {most:,}")

    return number


def part(most: float) -> Callable[[str], float]:
    """Returns a type for an option of a command: a number from 0 to `most`."""

    def number(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = -1
        if 0 <= value <= most:  # false for nan
            return value
        raise ArgumentTypeError(f"{text[:40]!r} is not a number from 0 to {most:g}")

    return number


seed = whole(0)


def why_no_seed(number: int) -> str:
    """Returns why a number cannot be stored as a seed; empty if it can."""
    return (
        ""
        if 0 <= number <= LARGEST_SEED
        else f"{number} is not a seed: give a whole number from 0 to {LARGEST_SEED:,}."
    )
