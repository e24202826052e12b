"""EditDistance: how much must be edited to make the hypothesis of the premise (SNLI paper, section 3.1)."""

from typing import ClassVar

import numpy as np
import torch
from torch import Tensor

from modeling.baselines.batches import Batch, EncodedPairs, Integers
from modeling.baselines.features.edits import WEIGHTS
from modeling.baselines.networks.fitted import FittedNetwork, weighted_labels
from modeling.baselines.settings import EditDistanceSettings


class EditDistance(FittedNetwork):
    """Entailed if the distance is at most a threshold; two classes, entailed first.

    The weights of insertion, deletion and replacement, and the threshold, are those with the best accuracy in training. Stop
    words and punctuation marks are left out; case does not count. The result does not depend on the seed.
    """

    reads: ClassVar[tuple[str, ...]] = ()
    which: Tensor
    threshold: Tensor
    counts: Tensor

    def __init__(self, settings: EditDistanceSettings, words: int, dimensions: int, labels: int) -> None:
        super().__init__()
        self.register_buffer("which", torch.zeros((), dtype=torch.long))
        self.register_buffer("threshold", torch.zeros(()))
        self.register_buffer("counts", torch.ones(2, labels))

    def fit(self, pairs: EncodedPairs, rows: Integers) -> str:
        """Tries all weights, with each distance that occurs as threshold."""
        assert pairs.measures is not None
        places, labels, weights = weighted_labels(pairs, rows)
        distances = pairs.measures[rows][places]
        best = -1.0
        for which in range(len(WEIGHTS)):
            right, threshold = best_threshold(distances[:, which], labels == 0, weights)
            if right > best:
                best = right
                self.which.fill_(which)
                self.threshold.fill_(threshold)
        is_far = distances[:, int(self.which)] > self.threshold.numpy()
        counts = np.ones(self.counts.shape)
        np.add.at(counts, (is_far.astype(np.int64), labels), weights)
        self.counts.copy_(torch.from_numpy(counts))
        return ""

    def forward(self, batch: Batch) -> Tensor:
        """Returns the logits (batch, labels)."""
        assert batch.measures is not None
        is_far = batch.measures[:, self.which] > self.threshold
        return self.counts.log()[is_far.long()]


def best_threshold(
    distances: np.ndarray[tuple[int], np.dtype[np.float32]],
    is_entailed: np.ndarray[tuple[int], np.dtype[np.bool_]],
    weights: np.ndarray[tuple[int], np.dtype[np.float64]],
) -> tuple[float, float]:
    """Returns the weight of the pairs that the best threshold classifies correctly, and the threshold; -1 if all are far."""
    order = np.argsort(distances, kind="stable")
    near = distances[order]
    # The gain if this number of nearest pairs is classified as entailed, compared with none.
    gains = np.cumsum(np.where(is_entailed, weights, -weights)[order])
    # Pairs at the same distance are on the same side.
    gains[:-1][near[:-1] == near[1:]] = -np.inf
    none_entailed = float(weights[~is_entailed].sum())
    place = int(gains.argmax())
    if gains[place] <= 0:
        return none_entailed, -1.0
    return none_entailed + float(gains[place]), float(near[place])
