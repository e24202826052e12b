"""Compares shares of pairs that come in clusters: writers, or premises. This module imports no Django.

Pairs of one writer are alike, so it is writers that are drawn and dealt anew, with all their pairs. Clusters with the same
numbers are drawn together, by a multinomial or hypergeometric draw, which is the same as drawing them one by one.

A cluster is a row: its pairs and the sum of their scores in one group, then in the other. numpy is loaded where it computes.
"""

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import Any, NamedTuple

from shared.intervals import MIDDLE, wilson

REPLICATES = 2000
FEWEST = 5  # of fewer clusters in a group nothing is told about others
NOTHING = 1e-12
Numbers = Any  # an array of numpy
Group = tuple[Numbers, Numbers]  # the cluster of each pair, and its score, mostly 1 or 0


class Share(NamedTuple):
    """A share over pairs, with its 95% interval over clusters; without an interval where there are too few."""

    share: float
    low: float | None
    high: float | None
    clusters: int


class Difference(NamedTuple):
    """The share of one group less that of another, with its 95% interval and its p value; None for too few clusters.

    clusters: of each group. in_both: how many of them have pairs in both.
    """

    effect: float
    low: float | None
    high: float | None
    p: float | None
    clusters: tuple[int, int]
    in_both: int


def share_of(group: Group, seed: int = 0) -> Share:
    """Returns the mean score with its interval: 2,000 draws of clusters, studentized (Davison and Hinkley 1997, 5.2).

    If fewer than five pairs are right, or wrong, it is Wilson's of as many as there are clusters: draws tell nothing there.
    """
    import numpy as np

    rows = _rows(group)
    mean = float(np.mean(group[1]))
    if len(rows) < FEWEST:
        return Share(mean, None, None, len(rows))
    if min(mean, 1 - mean) * len(group[1]) < FEWEST:
        return Share(mean, *wilson(mean, len(rows)), len(rows))
    low, high = _interval(_moments(rows).sum(0), _drawn(np.random.default_rng(seed), rows))
    return Share(mean, max(low, 0.0), min(high, 1.0), len(rows))


def difference(one: Group, other: Group, seed: int = 0) -> Difference:
    """Compares two groups by a permutation test over clusters.

    Clusters that are in one group only are dealt anew among the two; of those in both, the two parts are swapped or not,
    by a coin. p: in how many of 2,000 deals, the one found among them (Phipson and Smyth 2010), the difference is as many
    standard errors from 0 (so groups may differ in size and spread: Janssen 1997). Scores are dealt: what gave them must not
    depend on who is in which group.
    """
    import numpy as np

    dice = np.random.default_rng(seed)
    rows = _rows(one, other)
    first, second = rows[:, 0] > 0, rows[:, 2] > 0
    both, numbers = first & second, (int(first.sum()), int(second.sum()))
    sums = _moments(rows).sum(0)
    effect, error = (float(each) for each in _apart(sums))
    if min(numbers) < FEWEST:
        return Difference(effect, None, None, None, numbers, int(both.sum()))
    parts = (rows[first & ~both], rows[second & ~both], rows[both])
    interval = _interval(sums, sum(_drawn(dice, part) for part in parts))
    anew, errors = _apart(_dealt(dice, *parts[:2]) + _swapped(dice, parts[2]))
    as_far = int((abs(anew) / errors >= abs(effect) / error - NOTHING).sum())
    return Difference(effect, *interval, (1 + as_far) / (1 + REPLICATES), numbers, int(both.sum()))


def holm(values: Sequence[float | None]) -> list[float | None]:
    """Returns p values corrected for their number (Holm 1979). None stays None and is not counted."""
    known = sorted((value, place) for place, value in enumerate(values) if value is not None)
    found: list[float | None] = [None] * len(values)
    highest = 0.0
    for rank, (value, place) in enumerate(known):
        highest = max(highest, min(1.0, value * (len(known) - rank)))
        found[place] = highest
    return found


def power(effect: float, *, share: float, writers: int, pairs: int, spread: float) -> float:
    """Returns how likely a difference is found at 5% between two groups of so many writers, by the normal approximation.

    share: in the middle between the groups. pairs: of each writer. spread: the standard deviation of the writers' own shares
    within a group.
    """
    variance = 2 * (spread**2 + (share * (1 - share) - spread**2) / pairs) / writers
    far, usual = abs(effect) / math.sqrt(variance), NormalDist()
    return usual.cdf(far - MIDDLE) + usual.cdf(-far - MIDDLE)


def _rows(*groups: Group) -> Numbers:
    """Returns the row of each cluster of one or two groups."""
    import numpy as np

    names, places = np.unique(np.concatenate([of for of, _ in groups]), return_inverse=True)
    rows, start = np.zeros((len(names), 4)), 0
    for side, (of, scores) in enumerate(groups):
        here = places[start : start + len(of)]
        start += len(of)
        rows[:, 2 * side] = np.bincount(here, minlength=len(names))
        rows[:, 2 * side + 1] = np.bincount(here, scores, len(names))
    return rows


def _moments(rows: Numbers) -> Numbers:
    """Returns each row with its products: their sums give a difference of shares, and its standard error."""
    import numpy as np

    return np.hstack([rows, (rows[:, :, None] * rows[:, None, :]).reshape(len(rows), 16)])


def _apart(sums: Numbers) -> tuple[Numbers, Numbers]:
    """Returns the difference of the shares, and its standard error over clusters (linearized), of sums of moments.

    The error is at least as if one pair of each group were another: a draw in which all are right is not certain.
    """
    import numpy as np

    n, s = sums[..., [0, 2]], sums[..., [1, 3]]
    weight = np.divide([1, -1], n, out=np.zeros_like(n), where=n > 0)
    shares = s * abs(weight)
    linear = np.stack([-shares * weight, weight], axis=-1).reshape(*sums.shape[:-1], 4)
    products = sums[..., 4:].reshape(*sums.shape[:-1], 4, 4)
    squared = np.einsum("...i,...ij,...j->...", linear, products, linear)
    return shares[..., 0] - shares[..., 1], np.sqrt(np.maximum(squared, (weight**2).sum(-1)))


def _interval(sums: Numbers, drawn: Numbers) -> tuple[float, float]:
    import numpy as np

    value, error = _apart(sums)
    values, errors = _apart(drawn)
    most, least = np.percentile((values - value) / errors, [97.5, 2.5])
    return float(value - most * error), float(value - least * error)


def _drawn(dice: Any, rows: Numbers) -> Numbers:
    """Returns the sums of moments of each replicate: as many rows, drawn with replacement."""
    import numpy as np

    alike, times = np.unique(rows, axis=0, return_counts=True)
    if not len(rows):
        return np.zeros((REPLICATES, 20))
    return dice.multinomial(len(rows), times / len(rows), size=REPLICATES) @ _moments(alike)


def _dealt(dice: Any, one: Numbers, other: Numbers) -> Numbers:
    """Returns the sums of moments when rows of one group only are dealt anew among the two."""
    import numpy as np

    if not len(one) or not len(other):
        return _moments(np.vstack([one, other])).sum(0)
    alike, times = np.unique(np.vstack([one, np.roll(other, 2, axis=1)]), axis=0, return_counts=True)
    first = dice.multivariate_hypergeometric(times, len(one), size=REPLICATES, method="marginals")
    return first @ _moments(alike) + (times - first) @ _moments(np.roll(alike, 2, axis=1))


def _swapped(dice: Any, rows: Numbers) -> Numbers:
    """Returns the sums of moments when the halves of each row are swapped or not, as a coin says."""
    import numpy as np

    alike, times = np.unique(rows, axis=0, return_counts=True)
    swaps = dice.binomial(times, 0.5, size=(REPLICATES, len(times)))
    return (times - swaps) @ _moments(alike) + swaps @ _moments(np.roll(alike, 2, axis=1))
