"""How alike the hypotheses of a group are: lengths, overlap with the premise, negation, n-grams, self-BLEU."""

import math
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from snapshots.statistics.corpus import overlap
from snapshots.statistics.tags import negates
from snapshots.statistics.words import is_word, stop_words

MOST, FEWEST = 1000, 100  # hypotheses of a group's sample
ORDERS = (1, 2, 3)
BLEU = 4
EPSILON = 0.1

DEFINITIONS = {
    "length": "The mean number of tokens of a hypothesis, punctuation counted.",
    "overlap": (
        "The mean share of a hypothesis's tokens, without stop words and punctuation and without regard to case, that occur"
        " in its premise."
    ),
    "negation": "Hypotheses with a negation: not, no, never, nobody …, or a word that ends in n’t; of English corpora only.",
    "sample": (
        "Hypotheses that were drawn for what follows, which depends on their number: as many of each group as the smallest"
        f" with {FEWEST} or more has, {MOST:,} at most. Words in small letters, without punctuation."
    ),
    "distinct": "Different words (pairs, triples of neighbouring words) among all of the sample (Li et al. 2016).",
    "self_bleu": (
        "The mean BLEU-4 of each hypothesis of the sample with all others as references (Zhu et al. 2018): 1 where each"
        f" has its like. An n-gram that no other has counts {EPSILON} (smoothing 1 of Chen and Cherry 2014)."
    ),
}


class Texts:
    """The hypotheses of a group, as they come: what is counted over all, and a sample of MOST, drawn by a fixed seed."""

    def __init__(self, language: str) -> None:
        self.language, self.dice = language, random.Random(0)
        self.number = self.length = self.negated = self.with_content = 0
        self.overlaps = 0.0
        self.sample: list[tuple[str, ...]] = []

    def add(self, hypothesis: Sequence[str], premise: set[str]) -> None:
        """Takes the tokens of a hypothesis, and those of its premise in small letters."""
        small = tuple(token.lower() for token in hypothesis)
        self.number += 1
        self.length += len(small)
        self.negated += any(map(negates, small))
        share = overlap(small, premise, stop_words(self.language))
        if share is not None:
            self.overlaps += share
            self.with_content += 1
        place = len(self.sample) if self.number <= MOST else self.dice.randrange(self.number)
        if place < MOST:  # each has the same chance (reservoir sampling)
            self.sample[place : place + 1] = [tuple(filter(is_word, small))]

    def figures(self, sample: int) -> dict[str, Any]:
        """Returns the figures; sample: how many hypotheses are looked at where their number matters."""
        drawn = self.sample if len(self.sample) <= sample else self.dice.sample(self.sample, sample)
        is_enough = len(drawn) == sample
        return {
            "length": self.length / self.number,
            "overlap": self.overlaps / self.with_content if self.with_content else None,
            "negation": self.negated / self.number if stop_words(self.language) else None,
            "sample": len(drawn) if is_enough else None,
            "distinct": [distinct(drawn, order) if is_enough else None for order in ORDERS],
            "self_bleu": self_bleu(drawn) if is_enough else None,
        }


def size_of_samples(groups: Iterable[Texts]) -> int:
    """Returns how many hypotheses of each group are drawn."""
    return min((min(each.number, MOST) for each in groups if each.number >= FEWEST), default=FEWEST)


def distinct(sentences: Sequence[Sequence[str]], order: int) -> float | None:
    found = Counter(gram for sentence in sentences for gram in _grams(sentence, order))
    return len(found) / found.total() if found else None


def self_bleu(sentences: Sequence[Sequence[str]]) -> float | None:
    """Returns the mean BLEU of each sentence against all others; None of fewer than two.

    What an n-gram may count is the most that another sentence has of it: the largest number, or the second largest for the
    only sentence that has the largest.
    """
    if len(sentences) < 2:
        return None
    logs = [0.0] * len(sentences)
    none_shared = set()
    for order in range(1, BLEU + 1):
        counts = [Counter(_grams(sentence, order)) for sentence in sentences]
        highest: dict[tuple[str, ...], tuple[int, int, int]] = {}  # (largest, second largest, whose it is)
        for place, of_one in enumerate(counts):
            for gram, times in of_one.items():
                first, second, who = highest.get(gram, (0, 0, -1))
                highest[gram] = (times, first, place) if times > first else (first, max(second, times), who)
        for place, of_one in enumerate(counts):
            shared = sum(
                min(times, highest[gram][1 if highest[gram][2] == place else 0])
                for gram, times in of_one.items()
            )
            if order == 1 and not shared:
                none_shared.add(place)
            logs[place] += math.log((shared or EPSILON) / max(of_one.total(), 1)) / BLEU
    lengths = Counter(map(len, sentences))
    return sum(
        0.0 if place in none_shared else math.exp(logs[place]) * _brevity(len(sentence), lengths)
        for place, sentence in enumerate(sentences)
    ) / len(sentences)


def _brevity(length: int, lengths: Counter[int]) -> float:
    """Returns the brevity penalty beside the closest length of the others."""
    others = (each for each, times in lengths.items() if each != length or times > 1)
    closest = min(others, key=lambda each: (abs(each - length), each))
    return 1.0 if length >= closest else math.exp(1 - closest / length)


def _grams(sentence: Sequence[str], order: int) -> Iterable[tuple[str, ...]]:
    return zip(*(sentence[start:] for start in range(order)), strict=False)
