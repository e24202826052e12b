"""Compute the bits that the premise adds to each pair: pointwise V-information (Definition 4.1 of the paper).

Ethayarajh, Choi and Swayamdipta, "Understanding Dataset Difficulty with V-Usable Information", ICML 2022. The paper
compares a model that reads the input with one that reads nothing. Here the model that reads both sentences is compared
with its twin that reads the hypothesis alone. What both know cancels out; the rest is the contribution of the premise.
"""

import numpy as np
import numpy.typing as npt

# Predictions have six decimals: a probability that is written as 0 is below half of the last one.
SMALLEST = 5e-7


def pvi(with_premise: npt.ArrayLike, without_premise: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Compute log2 p(gold | premise, hypothesis) - log2 p(gold | hypothesis) of each pair, in bits.

    Both arguments hold the probability of the gold label of each pair, in the same order: of the full model and of its
    hypothesis-only twin. Above 0, the premise helped; below 0, it misled. The mean over pairs is the information that
    the premises hold for this model (V-information). Raises ValueError for lists of different lengths.
    """
    full, twin = (np.asarray(one, dtype=np.float64) for one in (with_premise, without_premise))
    if full.shape != twin.shape:
        raise ValueError("The two models must have predicted the same pairs.")
    bits: npt.NDArray[np.float64] = np.log2(np.maximum(full, SMALLEST)) - np.log2(np.maximum(twin, SMALLEST))
    return bits
