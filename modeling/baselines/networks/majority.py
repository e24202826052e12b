"""Majority: the commonest label of the training partition, for each pair."""

from typing import ClassVar

import torch
from torch import Tensor

from modeling.baselines.batches import Batch, EncodedPairs, Integers
from modeling.baselines.networks.fitted import FittedNetwork
from modeling.baselines.settings import MajoritySettings


class Majority(FittedNetwork):
    """Predicts the shares of the labels in training; of equally common labels, the first wins."""

    reads: ClassVar[tuple[str, ...]] = ()
    counts: Tensor

    def __init__(self, settings: MajoritySettings, words: int, dimensions: int, labels: int) -> None:
        super().__init__()
        self.register_buffer("counts", torch.zeros(labels))

    def fit(self, pairs: EncodedPairs, rows: Integers) -> str:
        """Counts the labels."""
        self.counts.copy_(torch.bincount(torch.from_numpy(pairs.labels[rows]), minlength=len(self.counts)))
        return ""

    def forward(self, batch: Batch) -> Tensor:
        """Returns the logits (batch, labels) whose softmax are the shares; minus infinity for a label without pairs."""
        return self.counts.log().expand(len(batch), -1)
