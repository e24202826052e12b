"""Pairs -> index tensors. Pairs of like length share a batch, so that little of it is padding."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from modeling.baselines.data import Pair
from modeling.baselines.vocabulary import PADDING, Vocabulary, tokenise

Integers = npt.NDArray[np.int64]

POOL_BATCHES = 50  # how many batches are sorted together: more means less padding, fewer means more chance


@dataclass(frozen=True)
class Sentences:
    """`tokens` (batch, longest) on the device, shorter ones padded; `lengths` (batch,) on the CPU.

    An empty sentence has length 0 and a row of padding; `longest` is at least 1. `pair` (sentences,) says
    which of the batch's pairs a sentence belongs to; it counts up where each pair has one.
    """

    tokens: Tensor
    lengths: Tensor
    pair: Tensor


@dataclass(frozen=True)
class Batch:
    """`sentences` as the network reads them (both, one or none), and gold `labels` (batch,)."""

    sentences: tuple[Sentences, ...]
    labels: Tensor

    def __len__(self) -> int:
        return len(self.labels)

    def cells(self) -> tuple[int, int]:
        """(cells of padding, all cells): what was computed for nothing, of what."""
        every = sum(one.tokens.numel() for one in self.sentences)
        return every - sum(int(one.lengths.sum()) for one in self.sentences), every


class Tokeniser:
    """Tokenises each distinct sentence once: SNLI's premises come three times each."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, ...], list[str]] = {}

    def __call__(self, sentences: tuple[str, ...]) -> list[str]:
        """The tokens of several sentences, each tokenised by itself for the sake of its full stop."""
        if sentences not in self._known:
            self._known[sentences] = [token for sentence in sentences for token in tokenise(sentence)]
        return self._known[sentences]


Texts = list[list[list[str]]]  # of each pair one text or several, each of them tokens

# What is a text: all premises together, each premise by itself, the hypothesis.
SIDES: dict[str, Callable[[Pair], tuple[tuple[str, ...], ...]]] = {
    "premise": lambda pair: (pair.premise,),
    "premises": lambda pair: tuple((sentence,) for sentence in pair.premise),
    "hypothesis": lambda pair: ((pair.hypothesis,),),
}


def tokenise_side(side: str, pairs: Iterable[Pair]) -> Texts:
    """The tokens of one side ("premise", "premises" or "hypothesis") of every pair, by text."""
    tokeniser = Tokeniser()
    return [[tokeniser(text) for text in SIDES[side](pair)] for pair in pairs]


class Encoded:
    """One side of many pairs as indices, end to end in one array: small, and quick to cut batches from."""

    def __init__(self, texts: Texts, vocabulary: Vocabulary) -> None:
        each = [tokens for one in texts for tokens in one]
        self._counts: Integers = np.array([len(one) for one in texts], dtype=np.int64)
        self._first = starts_of(self._counts)
        self._lengths: Integers = np.array([len(tokens) for tokens in each], dtype=np.int64)
        self._starts = starts_of(self._lengths)
        # One more cell at the end, so that the start of an empty last sentence is a place that exists.
        size = int(self._lengths.sum())
        self._flat = np.full(size + 1, PADDING, dtype=np.int64)
        self._flat[:size] = np.fromiter(
            (index for one in each for index in vocabulary.encode(one)), np.int64, size
        )
        # What a batch is padded to: the longest text of each pair (pairs,).
        self.lengths: Integers = (
            np.maximum.reduceat(self._lengths, self._first) if len(texts) else self._lengths
        )

    def cut(self, rows: Integers, device: torch.device) -> Sentences:
        """The texts of the pairs `rows`, padded to the longest of them."""
        counts = self._counts[rows]
        pair = np.repeat(np.arange(len(rows)), counts)
        chosen = self._first[rows][pair] + np.arange(len(pair)) - starts_of(counts)[pair]
        lengths = self._lengths[chosen]
        steps = np.arange(max(1, int(lengths.max())))
        inside = steps < lengths[:, None]
        places = np.where(inside, self._starts[chosen][:, None] + steps, len(self._flat) - 1)
        return Sentences(
            torch.from_numpy(self._flat[places]).to(device),
            torch.from_numpy(lengths),
            torch.from_numpy(pair).to(device),
        )


def starts_of(counts: Integers) -> Integers:
    """Where each of several runs of these lengths begins when they lie end to end."""
    return np.concatenate(([0], np.cumsum(counts)[:-1])).astype(np.int64) if len(counts) else counts


@dataclass(frozen=True)
class EncodedPairs:
    """The sides that a network reads, and the gold labels (pairs,)."""

    sides: tuple[Encoded, ...]
    labels: Integers

    def __len__(self) -> int:
        return len(self.labels)

    def cut(self, rows: Integers, device: torch.device) -> Batch:
        """The pairs of `rows` as one batch on `device`."""
        labels = torch.from_numpy(self.labels[rows]).to(device)
        return Batch(tuple(side.cut(rows, device) for side in self.sides), labels)

    def by_length(self, rows: Integers) -> Integers:
        """`rows`, short pairs first (by the first side, then by the next); equal ones keep their order."""
        if not self.sides:
            return rows
        # lexsort takes its last key first.
        return rows[np.lexsort([side.lengths[rows] for side in reversed(self.sides)])]


def encode_pairs(pairs: Sequence[Pair], reads: Sequence[str], vocabulary: Vocabulary) -> EncodedPairs:
    """The sides named in `reads`, and the labels, of `pairs`."""
    sides = tuple(Encoded(tokenise_side(side, pairs), vocabulary) for side in reads)
    return EncodedPairs(sides, labels_of(pairs))


def labels_of(pairs: Sequence[Pair]) -> Integers:
    """The gold labels (pairs,) as indices."""
    return np.array([pair.label for pair in pairs], dtype=np.int64)


def training_batches(pairs: EncodedPairs, batch_size: int, seed: int, epoch: int) -> list[Integers]:
    """The rows of each batch of one epoch, each pair once: shuffled, then sorted by length in pools.

    Depends on nothing but its arguments, so that a resumed run needs only the epoch and the position in it.
    """
    chance = np.random.Generator(np.random.PCG64([seed, epoch]))
    order = chance.permutation(len(pairs)).astype(np.int64)
    pool = batch_size * POOL_BATCHES
    batches = [
        batch
        for start in range(0, len(order), pool)
        for batch in in_batches(pairs.by_length(order[start : start + pool]), batch_size)
    ]
    return [batches[place] for place in chance.permutation(len(batches))]


def in_batches(rows: Integers, batch_size: int) -> Iterator[Integers]:
    """`rows` in order, `batch_size` at a time; the last batch may be smaller."""
    return (rows[start : start + batch_size] for start in range(0, len(rows), batch_size))
