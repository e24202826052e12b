"""Turn pairs into tensors of indices. Pairs of similar length share a batch, so that little of it is padding."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from modeling.baselines.data import Pair
from modeling.baselines.features.lexicon import Features
from modeling.baselines.vocabulary import PADDING, Lexicon, Measuring, tokenise
from nli.lines import ALL

Integers = npt.NDArray[np.int64]

POOL_BATCHES = (
    50  # this number of batches is sorted together: more of them, less padding; fewer, a more random order
)


@dataclass(frozen=True)
class Sentences:
    """Sentences of a batch: `tokens` (batch, longest) on the device, padded; `lengths` (batch,) on the CPU.

    An empty sentence has length 0 and a row of padding; `longest` is at least 1. `pair` (sentences,) is the place in the
    batch of the pair that a sentence belongs to.
    """

    tokens: Tensor
    lengths: Tensor
    pair: Tensor


@dataclass(frozen=True)
class Batch:
    """One batch: the `sentences` of the sides that the network reads, and the gold `labels` (batch,).

    `targets` are what it learns: the labels, or distributions (batch, labels). Classifiers with features also have
    `measures` (batch, measures).
    """

    sentences: tuple[Sentences, ...]
    labels: Tensor
    targets: Tensor
    measures: Tensor | None = None

    def __len__(self) -> int:
        return len(self.labels)

    def cells(self) -> tuple[int, int]:
        """Counts (cells of padding, all cells)."""
        every = sum(one.tokens.numel() for one in self.sentences)
        return every - sum(int(one.lengths.sum()) for one in self.sentences), every


class Tokeniser:
    """Tokenise each distinct sentence once: SNLI has each premise three times."""

    def __init__(self, cut: Callable[[str], list[str]] = tokenise) -> None:
        self._cut = cut
        self._known: dict[tuple[str, ...], list[str]] = {}

    def __call__(self, sentences: tuple[str, ...]) -> list[str]:
        """Returns the tokens of several sentences. Each is tokenised by itself, so that its full stop is a token."""
        if sentences not in self._known:
            self._known[sentences] = [token for sentence in sentences for token in self._cut(sentence)]
        return self._known[sentences]


Texts = list[list[list[str]]]  # for each pair, one text or several; a text is its tokens

# The sides: all premises as one text, each premise as a text, the hypothesis.
SIDES: dict[str, Callable[[Pair], tuple[tuple[str, ...], ...]]] = {
    "premise": lambda pair: (pair.premise,),
    "premises": lambda pair: tuple((sentence,) for sentence in pair.premise),
    "hypothesis": lambda pair: ((pair.hypothesis,),),
}


def tokenise_side(side: str, pairs: Iterable[Pair], cut: Callable[[str], list[str]] = tokenise) -> Texts:
    """Returns the tokens of one side ("premise", "premises" or "hypothesis") of every pair, by text."""
    tokeniser = Tokeniser(cut)
    return [[tokeniser(text) for text in SIDES[side](pair)] for pair in pairs]


def texts_of(side: str, pairs: Sequence[Pair], lexicon: Lexicon) -> Texts:
    """Returns what the lexicon numbers on one side of each pair: words, pieces, or names of features."""
    if isinstance(lexicon, Features):
        return [[names] for names in lexicon.names(pairs)]
    return tokenise_side(side, pairs, lexicon.cut)


class Encoded:
    """One side of many pairs as indices, end to end in one array: small, and fast to cut batches from."""

    def __init__(self, texts: Texts, vocabulary: Lexicon) -> None:
        each = [tokens for one in texts for tokens in one]
        self._counts: Integers = np.array([len(one) for one in texts], dtype=np.int64)
        self._first = starts_of(self._counts)
        self._lengths: Integers = np.array([len(tokens) for tokens in each], dtype=np.int64)
        self._starts = starts_of(self._lengths)
        # One more cell at the end, so that an empty last sentence starts at a place that exists.
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
        """Returns the texts of the pairs `rows`, padded to the longest."""
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

    def end_to_end(self, rows: Integers) -> tuple[Integers, Integers]:
        """Returns the indices of the first text of each pair of `rows`, the starts of the texts, and the end of the last."""
        texts = self._first[rows]
        lengths = self._lengths[texts]
        ends = np.concatenate(([0], np.cumsum(lengths)))
        return self._flat[np.repeat(self._starts[texts] - ends[:-1], lengths) + np.arange(ends[-1])], ends


def starts_of(counts: Integers) -> Integers:
    """Returns the starts of stretches of these lengths that lie end to end."""
    return np.concatenate(([0], np.cumsum(counts)[:-1])).astype(np.int64) if len(counts) else counts


@dataclass(frozen=True)
class EncodedPairs:
    """Pairs as arrays.

    sides: the sentences that a network reads. labels (pairs,): the gold labels. distributions (pairs, labels): the
    annotators' labels, if they are the target. measures (pairs, measures): for classifiers with features. further
    (words, dimensions): vectors of words beyond the vocabulary, whose indices follow the vocabulary's.
    """

    sides: tuple[Encoded, ...]
    labels: Integers
    distributions: npt.NDArray[np.float32] | None = None
    measures: npt.NDArray[np.float32] | None = None
    further: npt.NDArray[np.float32] | None = None

    def __len__(self) -> int:
        return len(self.labels)

    def cut(self, rows: Integers, device: torch.device) -> Batch:
        """Returns the pairs of `rows` as one batch on `device`."""
        labels = torch.from_numpy(self.labels[rows]).to(device)
        soft = self.distributions
        targets = labels if soft is None else torch.from_numpy(soft[rows]).to(device)
        measures = None if self.measures is None else torch.from_numpy(self.measures[rows]).to(device)
        return Batch(tuple(side.cut(rows, device) for side in self.sides), labels, targets, measures)

    def by_length(self, rows: Integers) -> Integers:
        """Returns `rows`, short pairs first (by the first side, then by the next); equal ones keep their order."""
        if not self.sides:
            return rows
        # lexsort takes its last key first.
        return rows[np.lexsort([side.lengths[rows] for side in reversed(self.sides)])]


def encode_pairs(pairs: Sequence[Pair], reads: Sequence[str], vocabulary: Lexicon) -> EncodedPairs:
    """Encodes the sides named in `reads`, and the labels, of `pairs`."""
    return encode_texts([texts_of(side, pairs, vocabulary) for side in reads], pairs, vocabulary)


def encode_texts(
    sides: Sequence[Texts],
    pairs: Sequence[Pair],
    vocabulary: Lexicon,
    distributions: npt.NDArray[np.float32] | None = None,
) -> EncodedPairs:
    """Encodes sides that `texts_of` returned."""
    measures = vocabulary.measures(pairs) if isinstance(vocabulary, Measuring) else None
    encoded = tuple(Encoded(side, vocabulary) for side in sides)
    return EncodedPairs(encoded, labels_of(pairs), distributions, measures)


def labels_of(pairs: Sequence[Pair]) -> Integers:
    """Returns the gold labels (pairs,) as indices."""
    return np.array([pair.label for pair in pairs], dtype=np.int64)


def distributions_of(pairs: Sequence[Pair], labels: int, which: str = ALL) -> npt.NDArray[np.float32]:
    """Returns the distributions (pairs, labels) of a named set of labels; of a pair without any, the gold label."""
    rows = np.zeros((len(pairs), labels), dtype=np.float32)
    for row, pair in zip(rows, pairs, strict=True):
        votes = pair.votes_of(which)
        row[:] = np.array(votes) / sum(votes) if votes else np.eye(labels)[pair.label]
    return rows


@dataclass(frozen=True)
class Part:
    """The training pairs from `start` to `stop`, of which a `share` is drawn anew for each epoch."""

    start: int
    stop: int
    share: float = 1.0

    def drawn(self, seed: int, epoch: int) -> Integers:
        """Returns the rows of this epoch."""
        rows = np.arange(self.start, self.stop, dtype=np.int64)
        if self.share == 1:
            return rows
        chance = np.random.Generator(np.random.PCG64([seed, epoch, self.start]))
        return chance.permutation(rows)[: max(1, round(self.share * len(rows)))]


def training_batches(
    pairs: EncodedPairs, batch_size: int, seed: int, epoch: int, parts: Sequence[Part] = ()
) -> list[Integers]:
    """Yields the rows of each batch of one epoch, each drawn pair once: shuffled, then sorted by length in pools.

    Depends on nothing but its arguments, so that a resumed run needs only the epoch and the position in it.
    """
    chance = np.random.Generator(np.random.PCG64([seed, epoch]))
    drawn = [part.drawn(seed, epoch) for part in parts or (Part(0, len(pairs)),)]
    order = chance.permutation(np.concatenate(drawn))
    pool = batch_size * POOL_BATCHES
    batches = [
        batch
        for start in range(0, len(order), pool)
        for batch in in_batches(pairs.by_length(order[start : start + pool]), batch_size)
    ]
    return [batches[place] for place in chance.permutation(len(batches))]


def in_batches(rows: Integers, batch_size: int) -> Iterator[Integers]:
    """Yields `rows` in order, `batch_size` at a time; the last batch may be smaller."""
    return (rows[start : start + batch_size] for start in range(0, len(rows), batch_size))
