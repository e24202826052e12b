"""The features of pairs: named ones, which get indices as words do, and measures, which are numbers."""

import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from modeling.baselines.data import Pair
from modeling.baselines.features.edits import WEIGHTS, edit_distances
from modeling.baselines.features.measures import (
    BLEUS,
    LENGTHS,
    OVERLAPS,
    SHARES,
    bleus,
    length_difference,
    overlap_shares,
    overlaps,
)
from modeling.baselines.features.tagged import Tagger, Word, Words
from modeling.baselines.features.wordnet import WORDNET, wordnet_shares
from modeling.baselines.settings import (
    EditDistanceSettings,
    FeatureSettings,
    LexicalizedSettings,
    WordNetClassifierSettings,
)
from modeling.baselines.vocabulary import Vocabulary

Bigram = tuple[Word, Word]


def hypothesis_ngrams(hypothesis: Words) -> Iterator[str]:
    """Returns every word and every two neighbours of the hypothesis."""
    for word in hypothesis:
        yield f"1 {word.text}"
    for first, second in bigrams(hypothesis):
        yield f"2 {first.text} {second.text}"


def cross_unigrams(premise: Words, hypothesis: Words) -> Iterator[str]:
    """Returns every word of the premise with every word of the hypothesis that has the same tag."""
    by_tag: dict[str, list[Word]] = defaultdict(list)
    for word in premise:
        by_tag[word.tag].append(word)
    for mine in hypothesis:
        for theirs in by_tag.get(mine.tag, ()):
            yield f"11 {theirs.text} {mine.text}"


def cross_bigrams(premise: Words, hypothesis: Words) -> Iterator[str]:
    """Returns every two neighbours of the premise with every two of the hypothesis, if their second words have one tag."""
    by_tag: dict[str, list[Bigram]] = defaultdict(list)
    for bigram in bigrams(premise):
        by_tag[bigram[1].tag].append(bigram)
    for first, second in bigrams(hypothesis):
        for before, after in by_tag.get(second.tag, ()):
            yield f"22 {before.text} {after.text} {first.text} {second.text}"


def bigrams(words: Words) -> Iterator[Bigram]:
    """Returns every two neighbours."""
    return pairwise(words)


@dataclass(frozen=True)
class Features(Vocabulary):
    """A vocabulary whose words are names of features, and the settings that say which features there are."""

    settings: FeatureSettings
    tagger: Tagger = field(default_factory=Tagger, compare=False)

    def names(self, pairs: Sequence[Pair]) -> list[list[str]]:
        """Returns the features of each pair, without repetition."""
        return [self.names_of(*words) for words in self.tagger.read(pairs)]

    def names_of(self, premise: Words, hypothesis: Words) -> list[str]:
        """Returns the names of the features of one pair."""
        names: dict[str, None] = {}
        if isinstance(self.settings, LexicalizedSettings):
            if self.settings.hypothesis_ngrams:
                names |= dict.fromkeys(hypothesis_ngrams(hypothesis))
            if self.settings.cross_unigrams:
                names |= dict.fromkeys(cross_unigrams(premise, hypothesis))
            if self.settings.cross_bigrams:
                names |= dict.fromkeys(cross_bigrams(premise, hypothesis))
        # Interned: half a million pairs have many features in common.
        return [sys.intern(name) for name in names]

    def measures(self, pairs: Sequence[Pair]) -> npt.NDArray[np.float32]:
        """Returns the measures (pairs, measures)."""
        rows = [self.measures_of(*words) for words in self.tagger.read(pairs)]
        return np.array(rows, dtype=np.float32).reshape(len(pairs), measures_in(self.settings))

    def measures_of(self, premise: Words, hypothesis: Words) -> list[float]:
        """Returns the measures of one pair."""
        settings = self.settings
        if isinstance(settings, EditDistanceSettings):
            return edit_distances(premise, hypothesis, settings.stop_words)
        if isinstance(settings, WordNetClassifierSettings):
            return [*overlap_shares(premise, hypothesis), *wordnet_shares(premise, hypothesis)]
        if not isinstance(settings, LexicalizedSettings):
            return overlap_shares(premise, hypothesis)
        return [
            *(bleus(premise, hypothesis) if settings.bleu else ()),
            *(length_difference(premise, hypothesis) if settings.length else ()),
            *(overlaps(premise, hypothesis) if settings.overlap else ()),
        ]


def measures_in(settings: FeatureSettings) -> int:
    """Returns the number of measures of a pair."""
    if isinstance(settings, EditDistanceSettings):
        return len(WEIGHTS)
    if isinstance(settings, LexicalizedSettings):
        return BLEUS * settings.bleu + LENGTHS * settings.length + OVERLAPS * settings.overlap
    return SHARES + WORDNET * isinstance(settings, WordNetClassifierSettings)
