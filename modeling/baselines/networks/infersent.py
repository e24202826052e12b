"""InferSent: a BiLSTM with max-pooling on both sentences (DNC paper, section 4 and appendix C)."""

import torch
from torch import Tensor

from modeling.baselines.batches import Batch
from modeling.baselines.networks.layers import BiLSTM, ReadingNetwork, tanh_classifier
from modeling.baselines.networks.recurrence import steps_of
from modeling.baselines.settings import InferSentSettings


class InferSent(ReadingNetwork):
    """Each unit's maximum over the words; [u; v; |u - v|; u * v]; one hidden layer.

    As in the papers: SGD at 0.1, times 0.99 after each epoch, divided by 5 when dev accuracy falls, stopped below
    1e-5 or after 20 epochs; frozen vectors. 2048 states, 512 hidden units, batches of 64 and clip are those of
    Conneau et al. (2017), whose procedure the paper follows. Differences: no marks stand around a sentence; a
    source without a vector for unknown words gives its mean; the hidden layer is a tanh layer; |u - v| is Conneau
    et al.'s, the paper says the difference; weights begin as torch makes them. Multiple premises are read as one
    text.
    """

    def __init__(self, settings: InferSentSettings, words: int, dimensions: int, labels: int) -> None:
        super().__init__(words, dimensions, settings.train_vectors)
        self.encoder = BiLSTM(dimensions, settings.states)
        self.classifier = tanh_classifier(8 * settings.states, settings.hidden, settings.dropout, labels)

    def forward(self, batch: Batch) -> Tensor:
        """Logits (batch, labels)."""
        steps = steps_of(batch.sentences)
        states = self.encoder(*self.distinct_words(steps), steps)
        u, v = steps.spread(states, float("-inf")).amax(dim=1).chunk(2)
        logits: Tensor = self.classifier(torch.cat((u, v, (u - v).abs(), u * v), dim=1))
        return logits
