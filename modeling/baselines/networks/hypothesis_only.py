"""HypothesisOnly: what can be told without the premise (Hypothesis Only paper, 3; DNC paper, appendix C)."""

from typing import ClassVar

from torch import Tensor

from modeling.baselines.batches import Batch
from modeling.baselines.networks.layers import BiLSTM, ReadingNetwork, tanh_classifier
from modeling.baselines.settings import HypothesisOnlySettings


class HypothesisOnly(ReadingNetwork):
    """InferSent's encoder on the hypothesis (a BiLSTM, each unit's maximum over the words), one hidden layer.

    Learning rate, decay, shrink, stop_below and epochs are the papers', clip is InferSent's. Differences: a
    word that training does not have is unknown, there it is looked up; no marks stand around a sentence; a
    source without a vector for unknown words gives its mean; vectors have 50 dimensions instead of 300, so
    128 states a direction instead of 2048 and batches of 4 instead of 64 (settings.py says why).
    """

    reads: ClassVar[tuple[str, ...]] = ("hypothesis",)

    def __init__(self, settings: HypothesisOnlySettings, words: int, dimensions: int, labels: int) -> None:
        super().__init__(words, dimensions, settings.train_vectors)
        self.encoder = BiLSTM(dimensions, settings.states)
        self.classifier = tanh_classifier(2 * settings.states, settings.hidden, settings.dropout, labels)

    def forward(self, batch: Batch) -> Tensor:
        """Logits (batch, labels)."""
        (hypothesis,) = batch.sentences
        states = self.encoder(self.vectors(hypothesis.tokens), hypothesis.lengths, outside=float("-inf"))
        logits: Tensor = self.classifier(states.amax(dim=1))
        return logits
