"""HypothesisOnly: what can be predicted without the premise (Hypothesis Only paper, 3; DNC paper, appendix C)."""

from typing import ClassVar

from torch import Tensor

from modeling.baselines.batches import Batch
from modeling.baselines.networks.layers import BiLSTM, ReadingNetwork, tanh_classifier
from modeling.baselines.networks.recurrence import steps_of
from modeling.baselines.settings import HypothesisOnlySettings


class HypothesisOnly(ReadingNetwork):
    """InferSent's encoder on the hypothesis (a BiLSTM, the maximum of each unit over the words), one hidden layer."""

    reads: ClassVar[tuple[str, ...]] = ("hypothesis",)

    def __init__(self, settings: HypothesisOnlySettings, words: int, dimensions: int, labels: int) -> None:
        super().__init__(words, dimensions, settings.train_vectors)
        self.encoder = BiLSTM(dimensions, settings.states)
        self.classifier = tanh_classifier(2 * settings.states, settings.hidden, settings.dropout, labels)

    def forward(self, batch: Batch) -> Tensor:
        """Return the logits (batch, labels)."""
        steps = steps_of(batch.sentences)
        states = self.encoder(*self.distinct_words(steps), steps)
        logits: Tensor = self.classifier(steps.spread(states, float("-inf")).amax(dim=1))
        return logits
