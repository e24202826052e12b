"""InferSent: a BiLSTM with max-pooling on both sentences (DNC paper, section 4 and appendix C)."""

import torch
from torch import Tensor

from modeling.baselines.batches import Batch, Sentences
from modeling.baselines.networks.layers import BiLSTM, ReadingNetwork, tanh_classifier
from modeling.baselines.settings import InferSentSettings


class InferSent(ReadingNetwork):
    """Each unit's maximum over the words; [u; v; |u - v|; u * v]; one hidden layer.

    Rate, decay, shrink, stop_below, epochs and frozen vectors are the papers'; 2048 states, 512 hidden units,
    batches of 64 and clip are those of Conneau et al. (2017), whose procedure the paper follows. Differences:
    a word that training does not have is unknown; no marks stand around a sentence; a source without a
    vector for unknown words gives its mean; the hidden layer is a tanh layer. Multiple premises are read as
    one text.
    """

    def __init__(self, settings: InferSentSettings, words: int, dimensions: int, labels: int) -> None:
        super().__init__(words, dimensions, settings.train_vectors)
        self.encoder = BiLSTM(dimensions, settings.states)
        self.classifier = tanh_classifier(8 * settings.states, settings.hidden, settings.dropout, labels)

    def forward(self, batch: Batch) -> Tensor:
        """Logits (batch, labels)."""
        u, v = map(self.encode, batch.sentences)
        logits: Tensor = self.classifier(torch.cat((u, v, (u - v).abs(), u * v), dim=1))
        return logits

    def encode(self, sentences: Sentences) -> Tensor:
        """(batch, 2 * states): each unit's maximum over the words."""
        states: Tensor = self.encoder(self.words_of(sentences), sentences.lengths, outside=float("-inf"))
        return states.amax(dim=1)
