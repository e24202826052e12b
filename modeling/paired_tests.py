"""Compare two systems on the same pairs by an exact test of their difference, and say how many pairs such a test needs."""

import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

Counts = Sequence[int] | npt.NDArray[np.int64]  # of runs that answer a pair correctly, pair by pair
LARGE = 10**8  # products of two lengths; a second's work
LEVEL, POWER = 0.05, 0.8


def mean_and_spread(values: Sequence[float]) -> tuple[float, float | None]:
    """Computes the mean and the sample standard deviation; the latter is None for a single value."""
    mean = sum(values) / len(values)
    if len(values) < 2:
        return mean, None
    return mean, math.sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1))


def paired_p(first: Counts, second: Counts) -> float:
    """Computes the two-sided p-value of the sign-flip (permutation) test over pairs.

    Each argument holds, for each pair, the number of runs (seeds) of one system that answer it correctly. Both systems
    must have the same number of runs and the same order of pairs. Under the null hypothesis the two scores of a pair can
    be swapped. The whole distribution of the summed difference is computed. With one run each this is McNemar's exact
    test.
    """
    if len(first) != len(second):
        raise ValueError(f"One system has {len(first)} pairs, the other {len(second)}.")
    return sign_flip_p(np.subtract(first, second))


def sign_flip_p(differences: Counts) -> float:
    """Computes the probability that random signs give a sum at least as far from zero as that of `differences`."""
    sizes, counts = np.unique(np.abs(differences), return_counts=True)
    sums = np.ones(1)
    for size, count in zip(sizes.tolist(), counts.tolist(), strict=True):
        if size:
            sums = convolved(sums, signed(size, count))
    reach = len(sums) // 2
    far = np.abs(np.arange(-reach, reach + 1)) >= abs(int(np.sum(differences)))
    return min(1.0, float(sums[far].sum()))


def signed(size: int, count: int) -> npt.NDArray[np.float64]:
    """Computes the probabilities of -size * count, ..., size * count, the sum of `count` terms of size or -size."""
    chances = np.zeros(2 * size * count + 1)
    # By logarithms: the whole numbers of a hundred thousand pairs would take hours.
    steps = np.arange(1, count + 1)
    logarithms = np.concatenate(([0.0], np.cumsum(np.log((count - steps + 1) / steps))))
    chances[:: 2 * size] = np.exp(logarithms - count * math.log(2))
    return chances


def convolved(one: npt.NDArray[np.float64], other: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Computes the probabilities of the sum of two independent numbers; long ones by Fourier transform, to about 1e-15."""
    if len(one) * len(other) < LARGE:
        return np.convolve(one, other)
    length = len(one) + len(other) - 1
    padded = 1 << length.bit_length()  # the transform of other lengths takes several times as long
    spectrum = np.fft.rfft(one, padded) * np.fft.rfft(other, padded)
    return np.clip(np.fft.irfft(spectrum, padded)[:length], 0.0, None)


def pairs_needed(
    difference: float, discordant: float, level: float = LEVEL, power: float = POWER
) -> int | None:
    """Returns how many pairs McNemar's test needs to show this difference with this power, at this two-sided level.

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
    """Computes the smallest difference that this many pairs are likely to show; None if even the largest needs more."""
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
