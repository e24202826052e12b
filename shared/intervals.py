"""Intervals of shares. This module imports no Django."""

import math
from collections.abc import Sequence

FEWEST_PAIRS = 30  # a value over fewer pairs is drawn faint and named by no finding: its interval is wide
MIDDLE = 1.96  # standard errors on each side: the middle 95%


def wilson(share: float | None, number: float) -> tuple[float | None, float | None]:
    """Returns the 95% score interval of a share (Wilson 1927); (None, None) if there is nothing to divide by."""
    if share is None or not number:
        return None, None
    z = MIDDLE * MIDDLE
    centre = (share + z / (2 * number)) / (1 + z / number)
    reach = MIDDLE * math.sqrt(share * (1 - share) / number + z / (4 * number * number)) / (1 + z / number)
    # Rounding would leave none and all outside.
    return min(share, max(0.0, centre - reach)), max(share, min(1.0, centre + reach))


def of_median(values: Sequence[float]) -> tuple[float | None, float | None]:
    """Returns the 95% interval of a median, from the ranks of the sorted values; (None, None) of fewer than six."""
    reach = MIDDLE * math.sqrt(len(values)) / 2
    low, high = math.floor(len(values) / 2 - reach), math.ceil(len(values) / 2 + reach)
    return (values[low], values[high]) if low >= 0 and high < len(values) else (None, None)
