"""Clocks and percentiles."""

import time
from collections.abc import Callable, Sequence
from typing import TypeVar

Result = TypeVar("Result")


def timed(work: Callable[[], Result]) -> tuple[Result, float]:
    """Returns the result of `work` and the seconds that it took."""
    start = time.perf_counter()
    result = work()
    return result, time.perf_counter() - start


def percentile(values: Sequence[float], share: float) -> float:
    """Returns the value that `share` of the values do not exceed (nearest rank); 0 if there are none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0
