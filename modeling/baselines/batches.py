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

    An empty sentence has length 0 and a row of padding; `longest` is at least 1.
    """

    tokens: Tensor
    lengths: Tensor


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


SIDES: dict[str, Callable[[Pair], tuple[str, ...]]] = {
    "premise": lambda pair: pair.premise,
    "hypothesis": lambda pair: (pair.hypothesis,),
}


def tokenise_side(side: str, pairs: Iterable[Pair]) -> list[list[str]]:
    """The tokens of one side ("premise" or "hypothesis") of every pair."""
    tokeniser = Tokeniser()
    return [tokeniser(SIDES[side](pair)) for pair in pairs]


class Encoded:
    """One side of many pairs as indices, end to end in one array: small, and quick to cut batches from."""

    def __init__(self, sentences: Sequence[Sequence[str]], vocabulary: Vocabulary) -> None:
        self.lengths: Integers = np.array([len(one) for one in sentences], dtype=np.int64)
        self._starts: Integers = np.concatenate(([0], np.cumsum(self.lengths)[:-1])).astype(np.int64)
        flat = [index for one in sentences for index in vocabulary.encode(one)]
        # One more cell at the end, so that the start of an empty last sentence is a place that exists.
        self._flat = np.array([*flat, PADDING], dtype=np.int64)

    def cut(self, rows: Integers, device: torch.device) -> Sentences:
        """The sentences of `rows`, padded to the longest of them."""
        lengths = self.lengths[rows]
        steps = np.arange(max(1, int(lengths.max())))
        inside = steps < lengths[:, None]
        places = np.where(inside, self._starts[rows][:, None] + steps, len(self._flat) - 1)
        return Sentences(torch.from_numpy(self._flat[places]).to(device), torch.from_numpy(lengths))


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
