"""HypothesisOnly: what can be told without the premise (Hypothesis Only paper, 3; DNC paper, appendix C)."""

from typing import ClassVar

from torch import Tensor

from modeling.baselines.batches import Batch
from modeling.baselines.networks.layers import BiLSTM, ReadingNetwork, tanh_classifier
from modeling.baselines.networks.recurrence import steps_of
from modeling.baselines.settings import HypothesisOnlySettings


class HypothesisOnly(ReadingNetwork):
    """InferSent's encoder on the hypothesis (a BiLSTM, each unit's maximum over the words), one hidden layer.

    As in the papers: SGD at 0.1, times 0.99 after each epoch, divided by 5 when dev accuracy falls, stopped below
    1e-5 or after 20 epochs; vectors are frozen, and a word without one gets the source's for unknown words. Clip
    and the 512 hidden units are InferSent's. Differences: no marks stand around a sentence; a source without a
    vector for unknown words gives its mean; vectors have 50 dimensions instead of 300, so 128 states a direction
    instead of 2048 and batches of 4 instead of 64 (settings.py says why); the hidden layer is a tanh layer;
    weights begin as torch makes them, on which the papers are silent.
    """

    reads: ClassVar[tuple[str, ...]] = ("hypothesis",)

    def __init__(self, settings: HypothesisOnlySettings, words: int, dimensions: int, labels: int) -> None:
        super().__init__(words, dimensions, settings.train_vectors)
        self.encoder = BiLSTM(dimensions, settings.states)
        self.classifier = tanh_classifier(2 * settings.states, settings.hidden, settings.dropout, labels)

    def forward(self, batch: Batch) -> Tensor:
        """Logits (batch, labels)."""
        steps = steps_of(batch.sentences)
        states = self.encoder(*self.distinct_words(steps), steps)
        logits: Tensor = self.classifier(steps.spread(states, float("-inf")).amax(dim=1))
        return logits
