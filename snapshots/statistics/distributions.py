"""A distribution kept as counts of its values: exact, mergeable, and small where values repeat."""

import math
from collections import Counter
from collections.abc import Mapping
from typing import Any


def spread(counts: Mapping[float, int]) -> dict[str, Any]:
    """`number` of values, `mean`, `sd` (of the population), `least`, `most`; null where there is no value."""
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
    """The share of the values `which` among all; null where there is none."""
    total = sum(counts.values())
    return sum(counts.get(each, 0) for each in which) / total if total else None


def sorted_counts(counts: Counter[Any]) -> dict[str, int]:
    """Counts by value in its own order, with texts as keys, as JSON wants them."""
    return {str(value): counts[value] for value in sorted(counts)}
