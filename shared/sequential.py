"""Looks at a study while it goes on: the level of each look, so that all of them together keep the error rate.

Group sequential tests with error spending (Lan and DeMets 1983): how much of the error rate may be spent depends on how much
of the planned data is there, so neither the times nor the number of looks need be fixed before. This module imports no
Django; numpy and scipy are loaded where it computes.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from statistics import NormalDist
from typing import Any, NamedTuple

LEVEL = 0.05  # of all looks together, on both sides
SMALLEST_STEP = 0.01  # of the planned data: what came since the last look is too little for another
FURTHEST = 8.0  # standard errors: no look tells more
NODES = 400  # of the integration
USUAL = NormalDist()


def _obrien_fleming(share: float, level: float) -> float:
    return 4 * USUAL.cdf(USUAL.inv_cdf(level / 4) / math.sqrt(share))


def _pocock(share: float, level: float) -> float:
    return level * math.log(1 + (math.e - 1) * share)


# Name -> how much of a level may be spent on both sides when this share of the planned data is there.
SPENDING: Mapping[str, Callable[[float, float], float]] = {
    "obrien-fleming": _obrien_fleming,
    "pocock": _pocock,
}


class Comparison(NamedTuple):
    """One of the comparisons of a study. p: two-sided, at this look; None where there is too little for a test.

    shares: of the planned data, at each look so far, this one last. is_last: no more data will come. is_told: whether an
    earlier look told a difference.
    """

    shares: tuple[float, ...]
    p: float | None
    is_last: bool = False
    is_told: bool = False


class Verdict(NamedTuple):
    """What a look says of a comparison. level: what p is held against; None where nothing was tested."""

    level: float | None
    is_told: bool


@lru_cache(maxsize=1024)
def levels(
    shares: tuple[float, ...], spending: str, *, is_last: bool = False, total: float = LEVEL
) -> tuple[float, ...]:
    """Returns the two-sided level of each look.

    shares: of the planned data, growing; more than 1 where more came than was planned. is_last: the last look spends all
    that is left, though less came than was planned.

    Recursive integration of the density of the score (Armitage, McPherson and Rowe 1969; Jennison and Turnbull 2000,
    chapter 19), whose increments are independent and as large as those of the shares.
    """
    import numpy as np
    from scipy.optimize import brentq

    spend, found, spent, before = SPENDING[spending], [], 0.0, 0.0
    on, weights = np.polynomial.legendre.leggauss(NODES)
    places, density = np.zeros(1), np.ones(1)  # of the score, with the weights of the integration
    for place, share in enumerate(shares, start=1):
        step, root = math.sqrt(share - before), math.sqrt(share)
        is_end = is_last and place == len(shares)
        allowed = max((total if is_end else spend(min(share, 1.0), total)) - spent, 0.0)
        further = partial(_further, root=root, step=step, places=places, density=density)
        bound = FURTHEST
        if allowed > further(FURTHEST):
            bound = brentq(lambda at, find, given: find(at) - given, 0.0, FURTHEST, (further, allowed))
        found.append(2 * USUAL.cdf(-bound) if bound < FURTHEST else 0.0)
        spent += allowed
        reached = on * bound * root
        kernel = np.exp(-(((reached[:, None] - places) / step) ** 2) / 2) / (step * math.sqrt(2 * math.pi))
        places, density, before = reached, (kernel @ density) * weights * bound * root, share
    return tuple(found)


def _further(bound: float, root: float, step: float, places: Any, density: Any) -> float:
    """Returns how likely the score gets further than so many standard errors at this look, and did not before."""
    from scipy.special import ndtr

    tails = ndtr((-bound * root - places) / step) + ndtr((places - bound * root) / step)
    return float(tails @ density)


def look(comparisons: Sequence[Comparison], spending: str, number: int) -> list[Verdict]:
    """Returns what this look says of each comparison: Holm's correction, and error spending for each.

    number: of comparisons that were planned. Each gets the same part of the level; where one is told, its part goes to the
    others (Ye et al. 2013; as a graph, Maurer and Bretz 2013). What is told stays told.
    """
    told, untold = [each.is_told for each in comparisons], -1
    limits: list[float | None] = []
    while untold != (untold := max(number, len(comparisons)) - sum(told)):
        total = LEVEL / max(untold, 1)
        limits = [
            None if each.p is None else levels(each.shares, spending, is_last=each.is_last, total=total)[-1]
            for each in comparisons
        ]
        told = [
            was or (limit is not None and each.p is not None and each.p <= limit)
            for was, limit, each in zip(told, limits, comparisons, strict=True)
        ]
    return [Verdict(limit, is_told) for limit, is_told in zip(limits, told, strict=True)]
