"""ESIM: enhanced sequential inference (MultiNLI paper, section 3; Chen et al., 2017, section 3)."""

import torch
from torch import Tensor, nn

from modeling.baselines.batches import Batch
from modeling.baselines.networks.layers import (
    BiLSTM,
    ReadingNetwork,
    lengths_of,
    mean_of,
    places_of_words,
    tanh_classifier,
)
from modeling.baselines.networks.recurrence import steps_of
from modeling.baselines.settings import ESIMSettings


class ESIM(ReadingNetwork):
    """Encode both sentences, align each word softly with the words of the other, compare, read again, pool.

    Several premises are one text.
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
        """Returns the logits (batch, labels)."""
        steps = steps_of(batch.sentences)
        words = self.encoder(self.dropout(self.look_up(steps.tokens)), None, steps)
        premise, hypothesis = steps.spread(words, 0.0).chunk(2)
        meets = torch.cat(align(premise, hypothesis, *(one.lengths for one in batch.sentences)))
        inputs = self.dropout(torch.relu(self.compare(words, steps.gather(meets))))
        states = self.composer(inputs, None, steps)
        mean = mean_of(steps.spread(states, 0.0), lengths_of(batch))
        highest = steps.spread(states, float("-inf")).amax(dim=1)
        pooled = torch.cat((mean, highest), dim=1)
        logits: Tensor = self.classifier(self.dropout(torch.cat(pooled.chunk(2), dim=1)))
        return logits

    def compare(self, words: Tensor, meets: Tensor) -> Tensor:
        """Returns (words, states): the projection of [w; m; w - m; w * m], in three products instead of four."""
        of_word, of_met, of_difference, of_product = self.projection.weight.chunk(4, dim=1)
        return (
            nn.functional.linear(words, of_word + of_difference, self.projection.bias)
            + nn.functional.linear(meets, of_met - of_difference)
            + nn.functional.linear(words * meets, of_product)
        )


def align(
    premise: Tensor, hypothesis: Tensor, premise_lengths: Tensor, hypothesis_lengths: Tensor
) -> tuple[Tensor, Tensor]:
    """Computes, for each word of a sentence, the mean of the other's words, weighted by how well they fit.

    (batch, longest, size) each, in the shapes of `premise` and `hypothesis`.
    """
    fit = premise @ hypothesis.transpose(1, 2)
    no_premise = ~places_of_words(premise, premise_lengths)[:, :, None]
    no_hypothesis = ~places_of_words(hypothesis, hypothesis_lengths)[:, None, :]
    over_hypothesis = fit.masked_fill(no_hypothesis, float("-inf")).softmax(dim=2)
    over_premise = fit.masked_fill(no_premise, float("-inf")).softmax(dim=1)
    return over_hypothesis @ hypothesis, over_premise.transpose(1, 2) @ premise
