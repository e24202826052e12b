"""Two systems on the same pairs: is the difference more than the luck of which pairs were drawn? Exact, no sampling."""

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt


def mean_and_spread(values: Sequence[float]) -> tuple[float, float | None]:
    """The mean and the sample standard deviation; None for the latter of a single value."""
    mean = sum(values) / len(values)
    if len(values) < 2:
        return mean, None
    return mean, math.sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1))


def paired_p(first: Sequence[int], second: Sequence[int]) -> float:
    """The two-sided p-value of the sign-flip (permutation) test on a pair's two scores.

    A score is in how many of its runs (seeds) a system has the pair right; both must have the same number of
    runs. Under the null hypothesis the two systems may be swapped for each pair. The distribution of the summed
    difference is computed whole. With one run each this is McNemar's exact test.
    """
    return sign_flip_p([one - other for one, other in zip(first, second, strict=True)])


def sign_flip_p(differences: Sequence[int]) -> float:
    """How often signs drawn by chance give a sum as far from zero as that of the `differences`, or farther."""
    sizes = Counter(abs(difference) for difference in differences if difference)
    sums = np.ones(1)
    for size, count in sizes.items():
        sums = np.convolve(sums, signed(size, count))
    reach = len(sums) // 2
    far = np.abs(np.arange(-reach, reach + 1)) >= abs(sum(differences))
    return min(1.0, float(sums[far].sum()))


def signed(size: int, count: int) -> npt.NDArray[np.float64]:
    """The probabilities of -size * count, ..., size * count as the sum of `count` terms of size or minus size."""
    chances = np.zeros(2 * size * count + 1)
    chances[:: 2 * size] = [math.comb(count, positive) / 2**count for positive in range(count + 1)]
    return chances
