"""SNLI's three sentence models, SumOfWords, RNN and LSTM, of which the simplest is the frame (SNLI paper, 3.3)."""

from typing import ClassVar

import torch
from torch import Tensor, nn

from modeling.baselines.batches import Batch
from modeling.baselines.networks.layers import (
    ReadingNetwork,
    last_of,
    places_of_words,
    single,
    three_tanh_layers,
)
from modeling.baselines.settings import SumOfWordsSettings


class SumOfWords(ReadingNetwork):
    """A tanh layer maps each word to 100 dimensions; their sum is the sentence; three tanh layers of 200.

    Several premises are one text.
    """

    def __init__(self, settings: SumOfWordsSettings, words: int, dimensions: int, labels: int) -> None:
        super().__init__(words, dimensions, settings.train_vectors)
        self.projection = nn.Sequential(nn.Linear(dimensions, settings.size), nn.Tanh())
        self.dropout = nn.Dropout(settings.dropout)
        self.classifier = three_tanh_layers(2 * settings.size, settings.hidden, labels)

    def forward(self, batch: Batch) -> Tensor:
        """Returns the logits (batch, labels)."""
        premise, hypothesis = (
            self.dropout(self.read(self.dropout(self.projection(self.words_of(one))), one.lengths))
            for one in batch.sentences
        )
        logits: Tensor = self.classifier(torch.cat((premise, hypothesis), dim=1))
        return logits

    def read(self, words: Tensor, lengths: Tensor) -> Tensor:
        """Returns one vector for each sentence (batch, size), from those of its words (batch, longest, size)."""
        return (words * places_of_words(words, lengths)[:, :, None]).sum(dim=1)


class RNN(SumOfWords):
    """The last state of a plain tanh recurrent network of 100 units."""

    reads_with: ClassVar[type[nn.RNN] | type[nn.LSTM]] = nn.RNN

    def __init__(self, settings: SumOfWordsSettings, words: int, dimensions: int, labels: int) -> None:
        super().__init__(settings, words, dimensions, labels)
        self.reader = self.reads_with(settings.size, settings.size, batch_first=True)

    def read(self, words: Tensor, lengths: Tensor) -> Tensor:
        """Returns (batch, size): the output at the last word."""
        with single(words):
            outputs, _ = self.reader(words.float())
        return last_of(outputs, lengths)


class LSTM(RNN):
    """The last output of an LSTM of 100 units."""

    reads_with = nn.LSTM
