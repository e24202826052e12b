"""How many bits the premise adds to each pair: pointwise V-information (Ethayarajh et al., 2022, Definition 4.1).

Ethayarajh, Choi and Swayamdipta, "Understanding Dataset Difficulty with V-Usable Information", ICML 2022. The paper
compares a model that reads the input with one that reads nothing. Here the model that reads both sentences is compared
with its twin that reads the hypothesis alone. What both know cancels out: what is left is what the premise adds.
"""

import math
from collections.abc import Sequence

# Predictions have six decimals: a probability that is written as 0 is below half of the last one.
SMALLEST = 5e-7


def pvi(with_premise: Sequence[float], without_premise: Sequence[float]) -> list[float]:
    """Compute log2 p(gold | premise, hypothesis) - log2 p(gold | hypothesis) of each pair, in bits.

    Both arguments hold the probability of the gold label of each pair, in the same order: of the full model and of its
    hypothesis-only twin. Above 0, the premise helped; below 0, it misled. The mean over pairs is the information that
    the premises hold for this model (V-information).
    """
    return [
        math.log2(max(full, SMALLEST)) - math.log2(max(twin, SMALLEST))
        for full, twin in zip(with_premise, without_premise, strict=True)
    ]
