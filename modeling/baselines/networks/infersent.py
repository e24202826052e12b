"""InferSent: a BiLSTM with max-pooling on both sentences (DNC paper, section 4 and appendix C)."""

import torch
from torch import Tensor

from modeling.baselines.batches import Batch
from modeling.baselines.networks.layers import BiLSTM, ReadingNetwork, tanh_classifier
from modeling.baselines.networks.recurrence import steps_of
from modeling.baselines.settings import InferSentSettings


class InferSent(ReadingNetwork):
    """The maximum of each unit over the words; [u; v; |u - v|; u * v]; one hidden layer. Several premises are one text."""

    def __init__(self, settings: InferSentSettings, words: int, dimensions: int, labels: int) -> None:
        super().__init__(words, dimensions, settings.train_vectors)
        self.encoder = BiLSTM(dimensions, settings.states)
        self.classifier = tanh_classifier(8 * settings.states, settings.hidden, settings.dropout, labels)

    def forward(self, batch: Batch) -> Tensor:
        """Return the logits (batch, labels)."""
        steps = steps_of(batch.sentences)
        states = self.encoder(*self.distinct_words(steps), steps)
        u, v = steps.spread(states, float("-inf")).amax(dim=1).chunk(2)
        logits: Tensor = self.classifier(torch.cat((u, v, (u - v).abs(), u * v), dim=1))
        return logits
