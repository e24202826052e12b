"""HypothesisOnly: what can be predicted without the premise (Hypothesis Only paper, 3; DNC paper, appendix C)."""

from typing import ClassVar

from torch import Tensor

from modeling.baselines.networks.infersent import InferSent


class HypothesisOnly(InferSent):
    """InferSent's encoder on the hypothesis (a BiLSTM, the maximum of each unit over the words), one hidden layer."""

    reads: ClassVar[tuple[str, ...]] = ("hypothesis",)
    parts = 1

    def joined(self, sentences: Tensor) -> Tensor:
        return sentences
