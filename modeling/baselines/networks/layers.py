"""What the networks share: the shape of a network, its word vectors, and the parts that more than one is
built from.
"""

from typing import ClassVar

import torch
from torch import Tensor, nn

from modeling.baselines.batches import Batch, Sentences
from modeling.baselines.vocabulary import PADDING


class Network(nn.Module):
    """A baseline: `forward` gives logits (batch, labels). Made from (settings, words, dimensions, labels)."""

    reads: ClassVar[tuple[str, ...]] = (
        "premise",
        "hypothesis",
    )  # the sides in `batch.sentences`, in this order

    def forward(self, batch: Batch) -> Tensor:
        raise NotImplementedError


class ReadingNetwork(Network):
    """A network with word vectors: `vectors.weight` (words, dimensions), whose padding row stays zero."""

    def __init__(self, words: int, dimensions: int, train_vectors: bool) -> None:
        super().__init__()
        self.vectors = nn.Embedding(words, dimensions, padding_idx=PADDING)
        self.vectors.weight.requires_grad_(train_vectors)

    def set_vectors(self, table: Tensor) -> None:
        """Copies `table` (words, dimensions) in; the padding row is set to zero."""
        with torch.no_grad():
            self.vectors.weight.copy_(table)
            self.vectors.weight[PADDING].zero_()

    def sum_of_vectors(self, sentences: Sentences) -> Tensor:
        """(batch, dimensions): the sum of each sentence's word vectors, zeros for an empty one.

        Leaves padding out instead of adding zeros: quicker, and padding cannot change even the last bit.
        """
        return nn.functional.embedding_bag(
            sentences.tokens, self.vectors.weight, mode="sum", padding_idx=PADDING
        )


class BiLSTM(nn.Module):
    """A bidirectional LSTM that padding cannot reach: (batch, longest, inputs -> 2 * states).

    Made of two LSTMs. The backward one reads each sentence turned round within its own length, so that both
    meet padding only after the last word. Packed sequences do the same, but took two to three times as long
    on a CPU.
    """

    def __init__(self, inputs: int, states: int) -> None:
        super().__init__()
        self.left_to_right = nn.LSTM(inputs, states, batch_first=True)
        self.right_to_left = nn.LSTM(inputs, states, batch_first=True)

    def forward(self, inputs: Tensor, lengths: Tensor, outside: float) -> Tensor:
        """The states, word by word; `outside` where a sentence has ended. An empty one is one zero vector."""
        last = lengths.clamp(min=1).to(inputs.device)[:, None] - 1
        place = torch.arange(inputs.shape[1], device=inputs.device).expand(inputs.shape[:2])
        ended = (place > last)[:, :, None]
        mirrored = torch.where(place > last, place, last - place)[:, :, None]
        forward, _ = self.left_to_right(inputs)
        backward, _ = self.right_to_left(inputs.gather(1, mirrored.expand(inputs.shape)))
        backward = backward.gather(1, mirrored.expand(backward.shape))
        return torch.cat((forward, backward), dim=2).masked_fill(ended, outside)


def matching_features(premise: Tensor, hypothesis: Tensor) -> Tensor:
    """[u; v; u - v; u * v] (batch, 4 * size) of two sentence vectors (batch, size) (MultiNLI, 3)."""
    return torch.cat((premise, hypothesis, premise - hypothesis, premise * hypothesis), dim=1)


def tanh_classifier(inputs: int, hidden: int, dropout: float, labels: int) -> nn.Sequential:
    """One tanh layer with dropout, then the logits of a softmax: (batch, inputs) -> (batch, labels)."""
    return nn.Sequential(nn.Linear(inputs, hidden), nn.Tanh(), nn.Dropout(dropout), nn.Linear(hidden, labels))
