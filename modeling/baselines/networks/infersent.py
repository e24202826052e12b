"""InferSent: a BiLSTM with max-pooling on both sentences (DNC paper, section 4 and appendix C).

HypothesisOnly: what can be predicted without the premise (Hypothesis Only paper, 3).
"""

from typing import ClassVar

import torch
from torch import Tensor

from modeling.baselines.batches import Batch
from modeling.baselines.networks.layers import BiLSTM, ReadingNetwork, tanh_classifier
from modeling.baselines.networks.recurrence import steps_of
from modeling.baselines.settings import MaxPoolingSettings


class InferSent(ReadingNetwork):
    """The maximum of each unit over the words; [u; v; |u - v|; u * v]; one hidden layer. Several premises are one text."""

    parts: ClassVar[int] = 4  # of the classifier's input, each as wide as a sentence

    def __init__(self, settings: MaxPoolingSettings, words: int, dimensions: int, labels: int) -> None:
        super().__init__(words, dimensions, settings.train_vectors)
        self.encoder = BiLSTM(dimensions, settings.states)
        inputs = 2 * settings.states * self.parts
        self.classifier = tanh_classifier(inputs, settings.hidden, settings.dropout, labels)

    def forward(self, batch: Batch) -> Tensor:
        """Returns the logits (batch, labels)."""
        steps = steps_of(batch.sentences)
        states = self.encoder(*self.distinct_words(steps), steps)
        logits: Tensor = self.classifier(self.joined(steps.spread(states, float("-inf")).amax(dim=1)))
        return logits

    def joined(self, sentences: Tensor) -> Tensor:
        """Returns the classifier's input from the sentences, all premises before all hypotheses."""
        u, v = sentences.chunk(2)
        return torch.cat((u, v, (u - v).abs(), u * v), dim=1)


class HypothesisOnly(InferSent):
    """InferSent's encoder on the hypothesis (a BiLSTM, the maximum of each unit over the words), one hidden layer."""

    reads: ClassVar[tuple[str, ...]] = ("hypothesis",)
    parts = 1

    def joined(self, sentences: Tensor) -> Tensor:
        return sentences
