"""SumOfWords: the simplest of SNLI's three sentence models, and the frame of all three (SNLI paper, 3.3)."""

import torch
from torch import Tensor, nn

from modeling.baselines.batches import Batch
from modeling.baselines.networks.layers import ReadingNetwork, places_of_words, three_tanh_layers
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
