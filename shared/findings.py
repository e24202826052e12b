"""Findings: what a headline may say about a table. It is made of the whole table, never of the rows that are drawn.

Who stands out is said only of parts with FEWEST_PAIRS or more, and only if their interval is apart from those of all others.
Superlatives are written nowhere else (tests/architecture/test_findings.py).
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shared.intervals import FEWEST_PAIRS, MIDDLE, wilson
from shared.numbers import percent

WEEK = 7  # the mean of so many days is the pace of a forecast
FEWEST_DAYS, FEWEST_DONE = (
    3,
    30,
)  # before a forecast: fewer days of work, or fewer texts or labels, tell nothing
TOO_EARLY = "too early to tell"
LISTED = 3  # names of equals in a sentence

Written = Callable[[float], str]
Ends = tuple[float | None, float | None]


@dataclass(frozen=True)
class Part:
    """One of the parts that a finding compares: its name, its value over `number` pairs, and the value's interval."""

    name: str
    value: float
    number: int
    low: float | None
    high: float | None

    @classmethod
    def share(cls, name: str, value: float, number: int) -> "Part":
        """Makes a part of a share, with Wilson's interval."""
        return cls(name, value, number, *wilson(value, number))

    def is_above(self, other: "Part") -> bool:
        """Returns whether the value is above the other's and their intervals are apart."""
        return None not in (self.low, other.high) and self.low > other.high  # type: ignore[operator]


def compared(
    what: str, parts: Iterable[Part], by: str, written: Written = percent, unit: str = "pairs"
) -> str:
    """Returns a sentence, without its period, on where `what` is highest and lowest; "" without two such parts.

    by: what the parts are, "genre". written: formats a value. unit: what `number` of a part counts.
    """
    every = list(parts)
    known = sorted((part for part in every if part.number >= FEWEST_PAIRS), key=lambda part: part.value)
    if len(every) == 1:
        over = f"{every[0].number:,} {unit.removesuffix('s') if every[0].number == 1 else unit}"
        return f"{what} is {written(every[0].value)} for {every[0].name}, over {over}"
    if len(known) < 2:
        return ""
    among = "" if len(known) == len(every) else f", among those with {FEWEST_PAIRS} {unit} or more"
    least, most = known[0], known[-1]
    ends = f"{written(least.value)} to {written(most.value)}"
    found = [
        f"{word} for {part.name} ({written(part.value)})"
        for word, part, stands in (
            ("highest", most, all(most.is_above(part) for part in known[:-1])),
            ("lowest", least, all(part.is_above(least) for part in known[1:])),
        )
        if stands
    ]
    if found:
        said = f"is {' and '.join(found)}"
    elif written(least.value) == written(most.value):
        said = f"is {written(most.value)} in each {by}"
    elif any(part.low is None or part.high is None for part in known):
        said = f"is {ends}, without intervals"
    elif any(high.is_above(low) for high in known for low in known):
        said = f"is {ends} by {by}"
    else:
        said = f"is {ends}: no {by} stands out"
    return f"{what} {said}{among}"


def span(values: Mapping[str, float], written: Written) -> str:
    """Returns "0.31 (run 4) to 0.52 (run 7)" of values without intervals, "0.31" where they are one."""
    least, most = min(values, key=values.__getitem__), max(values, key=values.__getitem__)
    if written(values[least]) == written(values[most]):
        return written(values[most])
    return f"{written(values[least])} ({least}) to {written(values[most])} ({most})"


def mostly(numbers: Mapping[str, int], where: str = "of") -> str:
    """Returns where most of these, or the largest share, are: "most of them of travel (60)"; "" if that tells nothing."""
    names, number = _first(numbers)
    if len(numbers) < 2 or len(names) > 1 or sum(numbers.values()) < FEWEST_PAIRS:
        return ""
    is_most = 2 * number > sum(numbers.values())
    return f"{'most of them' if is_most else 'the largest share'} {where} {names[0]} ({number:,})"


def most_frequent(
    what: str, numbers: Mapping[str, float], whole: float, written: Written | None = None
) -> str:
    """Returns "the most frequent label is neutral (40.0%)" of numbers out of `whole`; "" if there are none.

    Those that are not apart from the most frequent stand beside it, "no tag stands out" where many are; of fewer than
    FEWEST_PAIRS in all nothing is said.
    """
    most = max(numbers.values(), default=0)
    if not most or whole < FEWEST_PAIRS:
        return ""
    names = sorted((name for name in numbers if _is_beside(numbers[name], most)), key=lambda n: -numbers[n])
    said = [
        f"{name} ({written(numbers[name]) if written else percent(numbers[name] / whole)})" for name in names
    ]
    if len(names) == 1:
        return f"the most frequent {what} is {said[0]}"
    if len(names) > LISTED:
        return f"no {what} stands out as the most frequent"
    return f"the most frequent {what}s are {listed(said)}"


def _is_beside(number: float, most: float) -> bool:
    """Returns whether two numbers out of one whole may be equal but for chance, at 95% (the sign test's score)."""
    return most - number <= MIDDLE * math.sqrt(most + number)


def _first(values: Mapping[str, Any]) -> tuple[list[str], Any]:
    """Returns the names of the largest value, all of them if several have it, and that value."""
    most = max(values.values(), default=0)
    return [name for name, value in values.items() if value == most], most


def peak(numbers: Mapping[str, float], a: str, since: str, written: Written) -> str:
    """Returns "up to 12 a day (on 3 Nov 2026)", without the day if there are several such days. a: "day", or "" for none."""
    names, number = _first(numbers)
    return f"up to {written(number)}{a and f' a {a}'}" + (f" ({since} {names[0]})" if len(names) == 1 else "")


def beside_before(now: Part, then: Part, written: Written) -> str:
    """Returns "below the 0.72 of the week before", or that it is not clearly apart; "" where either has too few pairs."""
    if min(now.number, then.number) < FEWEST_PAIRS:
        return ""
    side = "below" if then.is_above(now) else "above" if now.is_above(then) else "not clearly apart from"
    return f"{side} the {written(then.value)} of {then.name}"


def listed(names: Sequence[str]) -> str:
    """Returns "A, B and C"."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def beside(share: float, number: int, bar: float, name: str, ends: Ends = (None, None)) -> str:
    """Returns "3.2 points above the bar", or that the share over `number` pairs is not clearly apart from the bar.

    ends: of its interval, where that is not Wilson's.
    """
    points = 100 * (share - bar)
    if is_apart(share, number, bar, ends):
        return f"{abs(points):.1f} points {'below' if points < 0 else 'above'} {name}"
    return f"not clearly apart from {name}"


def is_apart(share: float, number: int, bar: float, ends: Ends = (None, None)) -> bool:
    """Returns whether the interval of a share over enough pairs, Wilson's without `ends`, leaves out the bar."""
    low, high = wilson(share, number) if None in ends else ends
    return number >= FEWEST_PAIRS and low is not None and high is not None and not low <= bar <= high


def in_place(sentence: str) -> str:
    """Returns the sentence with a capital letter and a period."""
    return f"{sentence[:1].upper()}{sentence[1:]}."


def pace(done: int, days: int) -> float:
    """Returns the mean number a day. done: in the last week; days: since the first day of this work, that day included."""
    return done / max(1, min(days, WEEK))


def is_early(days: int, whole: int) -> bool:
    """Returns whether a forecast is too early: after so many days since the first, with `whole` texts or labels in all."""
    return whole > 0 and (days < FEWEST_DAYS or whole < FEWEST_DONE)


def named_rows(rows: Sequence[Mapping[str, Any]], name: str, value: str, number: str) -> list[Part]:
    """Makes parts of a table's rows that have a value, whose interval stands in `low` and `high`."""
    return [
        Part(str(row[name]), row[value], row[number] or 0, row.get("low"), row.get("high"))
        for row in rows
        if row[value] is not None
    ]
