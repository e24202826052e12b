"""Clocks and percentiles."""

import time
from collections.abc import Callable, Sequence
from typing import TypeVar

Result = TypeVar("Result")


def timed(work: Callable[[], Result]) -> tuple[Result, float]:
    """What `work` returned and the seconds it took."""
    start = time.perf_counter()
    result = work()
    return result, time.perf_counter() - start


def percentile(values: Sequence[float], share: float) -> float:
    """The value that `share` of the values do not exceed (nearest rank); 0 for no values."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0
