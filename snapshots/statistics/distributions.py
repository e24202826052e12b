"""Summaries of a distribution that is stored as counts of its values: exact, and easy to merge."""

import math
from collections import Counter
from collections.abc import Mapping
from typing import Any


def spread(counts: Mapping[float, int]) -> dict[str, Any]:
    """Returns the `number` of values, their `mean`, `sd` (of the population), `least` and `most`; None without a value."""
    number = sum(counts.values())
    if not number:
        return {"number": 0, "mean": None, "sd": None, "least": None, "most": None}
    mean = math.fsum(value * times for value, times in counts.items()) / number
    squares = math.fsum((value - mean) ** 2 * times for value, times in counts.items())
    return {
        "number": number,
        "mean": mean,
        "sd": math.sqrt(squares / number),
        "least": min(counts),
        "most": max(counts),
    }


def share(counts: Mapping[Any, int], *which: Any) -> float | None:
    """Returns the share of all counts that the values `which` have; None if nothing was counted."""
    total = sum(counts.values())
    return sum(counts.get(each, 0) for each in which) / total if total else None


def sorted_counts(counts: Counter[Any]) -> dict[str, int]:
    """Returns counts sorted by value, with texts as keys for JSON."""
    return {str(value): counts[value] for value in sorted(counts)}
