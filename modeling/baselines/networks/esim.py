"""ESIM: enhanced sequential inference (MultiNLI paper, section 3; Chen et al., 2017, section 3)."""

import torch
from torch import Tensor, nn

from modeling.baselines.batches import Batch
from modeling.baselines.networks.layers import (
    BiLSTM,
    ReadingNetwork,
    mean_of,
    places_of_words,
    tanh_classifier,
)
from modeling.baselines.settings import ESIMSettings


class ESIM(ReadingNetwork):
    """Encode both sentences; align each word softly with the other sentence's; compare; read again; pool.

    Without the TreeLSTM, as in the MultiNLI paper. Differences from it: vectors have the dimensions of the
    source; the vocabulary holds only words of the training partition; Adam's rate is its default 0.001, as
    the paper says (Chen et al. took 0.0004); weights begin as torch makes them, and there is no word on them in
    the paper; batches of 32 and a patience of three epochs, on which it is silent. Multiple premises are read
    as one text.
    """

    def __init__(self, settings: ESIMSettings, words: int, dimensions: int, labels: int) -> None:
        super().__init__(words, dimensions, settings.train_vectors)
        states = settings.states
        self.dropout = nn.Dropout(settings.dropout)
        self.encoder = BiLSTM(dimensions, states)
        self.projection = nn.Linear(8 * states, states)
        self.composer = BiLSTM(states, states)
        self.classifier = tanh_classifier(8 * states, settings.hidden, settings.dropout, labels)

    def forward(self, batch: Batch) -> Tensor:
        """Logits (batch, labels)."""
        premise, hypothesis = (
            self.encoder(self.dropout(self.words_of(one)), one.lengths, outside=0.0)
            for one in batch.sentences
        )
        lengths = [one.lengths for one in batch.sentences]
        premise_meets, hypothesis_meets = align(premise, hypothesis, *lengths)
        pooled = torch.cat(
            (
                self.compose(premise, premise_meets, lengths[0]),
                self.compose(hypothesis, hypothesis_meets, lengths[1]),
            ),
            dim=1,
        )
        logits: Tensor = self.classifier(self.dropout(pooled))
        return logits

    def compose(self, words: Tensor, meets: Tensor, lengths: Tensor) -> Tensor:
        """(batch, 4 * states): mean and maximum of what a second BiLSTM makes of the comparison."""
        compared = torch.cat((words, meets, words - meets, words * meets), dim=2)
        inputs = self.dropout(torch.relu(self.projection(compared)))
        states = self.composer(inputs, lengths, outside=0.0)
        outside = ~places_of_words(states, lengths)[:, :, None]
        highest = states.masked_fill(outside, float("-inf")).amax(dim=1)
        return torch.cat((mean_of(states, lengths), highest), dim=1)


def align(
    premise: Tensor, hypothesis: Tensor, premise_lengths: Tensor, hypothesis_lengths: Tensor
) -> tuple[Tensor, Tensor]:
    """For each word of one sentence the mean of the other's words, weighted by how well they fit.

    (batch, longest, size) each, in the shapes of `premise` and `hypothesis`.
    """
    fit = premise @ hypothesis.transpose(1, 2)
    no_premise = ~places_of_words(premise, premise_lengths)[:, :, None]
    no_hypothesis = ~places_of_words(hypothesis, hypothesis_lengths)[:, None, :]
    over_hypothesis = fit.masked_fill(no_hypothesis, float("-inf")).softmax(dim=2)
    over_premise = fit.masked_fill(no_premise, float("-inf")).softmax(dim=1)
    return over_hypothesis @ hypothesis, over_premise.transpose(1, 2) @ premise
