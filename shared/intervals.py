"""Intervals of shares. This module imports no Django."""

import math

MIDDLE = 1.96  # standard errors on each side: the middle 95%


def wilson(share: float | None, number: float) -> tuple[float | None, float | None]:
    """Returns the 95% score interval of a share (Wilson 1927); (None, None) if there is nothing to divide by."""
    if share is None or not number:
        return None, None
    z = MIDDLE * MIDDLE
    centre = (share + z / (2 * number)) / (1 + z / number)
    reach = MIDDLE * math.sqrt(share * (1 - share) / number + z / (4 * number * number)) / (1 + z / number)
    return max(0.0, centre - reach), min(1.0, centre + reach)
