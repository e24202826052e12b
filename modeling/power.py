"""Compute how many pairs a paired test needs to show a difference between two systems."""

import math
from statistics import NormalDist

LEVEL, POWER = 0.05, 0.8


def pairs_needed(
    difference: float, discordant: float, level: float = LEVEL, power: float = POWER
) -> int | None:
    """Return how many pairs McNemar's test needs to show this difference with this power, at this two-sided level.

    difference: between the two accuracies, 0 to 1. discordant: the share of pairs that exactly one of the two systems gets
    right, which is never less than the difference. Returns None if there is no difference.
    Connor, "Sample size for testing differences in proportions for the paired-sample design", Biometrics 43 (1987),
    formula 1.
    """
    gap = abs(difference)
    if not 0 < gap <= discordant <= 1:
        return None
    normal = NormalDist()
    quantiles = normal.inv_cdf(1 - level / 2), normal.inv_cdf(power)
    root = quantiles[0] * math.sqrt(discordant) + quantiles[1] * math.sqrt(max(discordant - gap**2, 0.0))
    return math.ceil((root / gap) ** 2)


def smallest_difference(pairs: int, discordant: float) -> float | None:
    """Compute the smallest difference that this many pairs are likely to show; None if even the largest needs more."""
    low, high = 0.0, discordant
    if not discordant or (pairs_needed(high, discordant) or math.inf) > pairs:
        return None
    for _ in range(50):
        middle = (low + high) / 2
        if (pairs_needed(middle, discordant) or math.inf) > pairs:
            low = middle
        else:
            high = middle
    return high
