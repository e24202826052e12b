"""Define what the networks share: their interface, their word vectors, and the layers that several of them use."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from modeling.baselines.batches import Batch, Sentences
from modeling.baselines.networks.recurrence import Steps, read_both_ways
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
    """A network with word vectors: `vectors.weight` (words, dimensions), whose padding row stays zero.

    For predictions it can know further words (unseen.py), which are not part of its weights.
    """

    wider: Tensor | None = None  # its own words and the further ones, while it knows further words

    def __init__(self, words: int, dimensions: int, train_vectors: bool) -> None:
        super().__init__()
        self.vectors = nn.Embedding(words, dimensions, padding_idx=PADDING)
        self.vectors.weight.requires_grad_(train_vectors)

    def set_vectors(self, table: Tensor) -> None:
        """Sets the vectors to `table` (words, dimensions), with zeros in the row of padding."""
        with torch.no_grad():
            self.vectors.weight.copy_(table)
            self.vectors.weight[PADDING].zero_()

    @contextmanager
    def knowing(self, further: Tensor) -> Iterator[None]:
        """Know, in this context, further words after its own, with the vectors `further` (words, dimensions)."""
        self.wider = torch.cat((self.vectors.weight.detach(), further))
        try:
            yield
        finally:
            self.wider = None

    @property
    def table(self) -> Tensor:
        """Returns the vectors (words, dimensions) of all words that it knows now."""
        return self.vectors.weight if self.wider is None else self.wider

    def look_up(self, tokens: Tensor) -> Tensor:
        """Returns the words' vectors (..., dimensions), zeros for padding."""
        return nn.functional.embedding(tokens, self.table, PADDING)

    def words_of(self, sentences: Sentences) -> Tensor:
        """Returns the word vectors (batch, longest, dimensions), zeros for padding."""
        return self.look_up(sentences.tokens)

    def distinct_words(self, steps: Steps) -> tuple[Tensor, Tensor | None]:
        """Returns the vectors (distinct, dimensions) of the words that occur, and which of them each word is (words,);
        None where each has its own.
        """
        if (
            steps.tokens.device.type != "cpu"
        ):  # finding the distinct words would make a GPU wait; one large product costs less
            return self.look_up(steps.tokens), None
        distinct, which = steps.tokens.unique(return_inverse=True)
        return self.look_up(distinct), which

    def sum_of_words(self, sentences: Sentences) -> Tensor:
        """Returns (batch, dimensions): the sum of each sentence's word vectors, zeros for an empty sentence.

        Leaves padding out instead of adding zeros: quicker, and padding cannot change even the last bit.
        """
        return nn.functional.embedding_bag(sentences.tokens, self.table, mode="sum", padding_idx=PADDING)


class BiLSTM(nn.Module):
    """A bidirectional LSTM over sentences that stand step by step: (words, inputs) -> (words, 2 * states)."""

    def __init__(self, inputs: int, states: int) -> None:
        super().__init__()
        self.left_to_right = nn.LSTM(inputs, states, batch_first=True)
        self.right_to_left = nn.LSTM(inputs, states, batch_first=True)

    def forward(self, inputs: Tensor, which: Tensor | None, steps: Steps) -> Tensor:
        """Returns the states word by word; `which`: the index in `inputs` of each word, if words share inputs."""
        return read_both_ways(inputs, which, steps, self.left_to_right, self.right_to_left)


class PackedLSTM(nn.Module):
    """An LSTM that ends with the last word of each sentence: (batch, longest, inputs -> states)."""

    def __init__(self, inputs: int, states: int) -> None:
        super().__init__()
        self.lstm = nn.LSTM(inputs, states, batch_first=True)

    def forward(self, inputs: Tensor, lengths: Tensor, cell: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Returns the outputs word by word, zeros at padding, and the cell after each last word (batch, states).

        Starts with `cell` (batch, states) and output zero. An empty sentence is one zero vector.
        """
        inputs = inputs.to(self.lstm.get_parameter("weight_hh_l0").dtype)
        begin = inputs.new_zeros(1, len(inputs), self.lstm.hidden_size)
        words = pack_padded_sequence(inputs, lengths.clamp(min=1), batch_first=True, enforce_sorted=False)
        with single(inputs):
            outputs, (_, cells) = self.lstm(words, (begin, begin if cell is None else cell[None]))
        return pad_packed_sequence(outputs, batch_first=True, total_length=inputs.shape[1])[0], cells[0]


class ConditionalReader(nn.Module):
    """One LSTM reads the premise; another the hypothesis, beginning with the first one's last cell state
    (MPE paper, 6; Rocktaeschel et al., 2016, 2.2). Dropout on inputs and outputs.
    """

    def __init__(self, inputs: int, states: int, dropout: float) -> None:
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.premise = PackedLSTM(inputs, states)
        self.hypothesis = PackedLSTM(inputs, states)

    def forward(
        self, premise: Tensor, premise_lengths: Tensor, hypothesis: Tensor, hypothesis_lengths: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Returns the outputs (batch, longest, states) for each word of premise and hypothesis."""
        of_premise, cell = self.premise(self.dropout(premise), premise_lengths)
        of_hypothesis, _ = self.hypothesis(self.dropout(hypothesis), hypothesis_lengths, cell)
        return self.dropout(of_premise), self.dropout(of_hypothesis)


def single(inputs: Tensor) -> torch.autocast:
    """Returns a context without autocast: in small recurrences, converting numbers costs more than it saves."""
    return torch.autocast(inputs.device.type, enabled=False)


def places_of_words(inputs: Tensor, lengths: Tensor) -> Tensor:
    """Returns (batch, longest): true for words, false for padding. An empty sentence has one word, a zero vector."""
    places = torch.arange(inputs.shape[1], device=inputs.device)
    return places < lengths.clamp(min=1).to(inputs.device)[:, None]


def last_of(states: Tensor, lengths: Tensor) -> Tensor:
    """Returns (batch, size): the entry of `states` (batch, longest, size) at each sentence's last word."""
    last = lengths.clamp(min=1).to(states.device) - 1
    return states[torch.arange(len(states), device=states.device), last]


def lengths_of(batch: Batch) -> Tensor:
    """Returns (sentences,) on the CPU: the lengths of the first side's sentences, then those of the next."""
    return torch.cat([one.lengths for one in batch.sentences])


def mean_of(states: Tensor, lengths: Tensor) -> Tensor:
    """Returns (batch, size): the mean over each sentence's words of `states` (batch, longest, size), which are zero
    elsewhere.
    """
    return states.sum(dim=1) / lengths.clamp(min=1).to(states.device)[:, None]


def matching_features(premise: Tensor, hypothesis: Tensor) -> Tensor:
    """Returns [u; v; u - v; u * v] (batch, 4 * size) of two sentence vectors (batch, size) (MultiNLI, 3)."""
    return torch.cat((premise, hypothesis, premise - hypothesis, premise * hypothesis), dim=1)


def tanh_classifier(inputs: int, hidden: int, dropout: float, labels: int) -> nn.Sequential:
    """Makes one tanh layer with dropout, then the logits of a softmax: (batch, inputs) -> (batch, labels)."""
    return nn.Sequential(nn.Linear(inputs, hidden), nn.Tanh(), nn.Dropout(dropout), nn.Linear(hidden, labels))


def three_tanh_layers(inputs: int, hidden: int, labels: int) -> nn.Sequential:
    """Makes SNLI's classifier (SNLI paper, Figure 3): (batch, inputs) -> (batch, labels)."""
    return nn.Sequential(
        nn.Linear(inputs, hidden), nn.Tanh(),
        nn.Linear(hidden, hidden), nn.Tanh(),
        nn.Linear(hidden, hidden), nn.Tanh(),
        nn.Linear(hidden, labels),
    )  # fmt: skip
