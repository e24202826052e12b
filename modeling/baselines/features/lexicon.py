"""The features of pairs: named ones, which get indices as words do, and measures, which are numbers."""

import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from modeling.baselines.data import Pair
from modeling.baselines.errors import BaselineError
from modeling.baselines.features.edits import WEIGHTS, edit_distances
from modeling.baselines.features.measures import (
    BLEUS,
    CONTENT_TAGS,
    LENGTHS,
    OVERLAPS,
    SHARES,
    bleus,
    length_difference,
    overlap_shares,
    overlaps,
)
from modeling.baselines.features.tagged import Tagger, Word, Words
from modeling.baselines.features.trees import TREES, tree_shares
from modeling.baselines.features.verb_ocean import VERB_OCEAN, verb_ocean_shares
from modeling.baselines.settings import (
    EditDistanceSettings,
    FeatureSettings,
    LexicalizedSettings,
    WordNetClassifierSettings,
)
from modeling.baselines.vocabulary import Vocabulary
from nli.wordnet_files import NoWordNet, synsets, wordnet_folder, wordnet_lines

Bigram = tuple[Word, Word]


# The beginning of the Penn tags of a part of speech -> WordNet's letter for it.
PARTS = dict(zip(CONTENT_TAGS, ("noun", "verb", "adj", "adv"), strict=True))
SENSES = 3  # the commonest senses of a word: rarer ones would relate everything to everything
BROADER = ("@", "@i", "*")  # pointers: is a kind of, is an instance of, entails (for verbs)
OPPOSITE = "!"
WORDNET = 5  # how many measures a pair has

Sense = tuple[str, str]  # the letter of the part of speech, and the offset in its data file


class WordNet:
    """WordNet's senses, read once (about two seconds)."""

    def __init__(self, folder: Path) -> None:
        self._senses: dict[tuple[str, str], tuple[Sense, ...]] = {}
        self._broader: dict[Sense, tuple[Sense, ...]] = {}
        self._opposites: dict[Sense, tuple[Sense, ...]] = {}
        for part in PARTS.values():
            for line in wordnet_lines(folder / f"index.{part}"):
                lemma, letter, count, *rest = line.split()
                offsets = rest[-int(count) :][:SENSES]
                self._senses[lemma, part] = tuple((letter, offset) for offset in offsets)
            for each in synsets(folder / f"data.{part}"):
                sense = (_letter(each.letter), each.offset)
                targets = [(symbol, (_letter(letter), offset)) for symbol, offset, letter in each.pointers]
                self._broader[sense] = tuple(to for symbol, to in targets if symbol in BROADER)
                self._opposites[sense] = tuple(to for symbol, to in targets if symbol == OPPOSITE)

    def senses(self, word: Word) -> tuple[Sense, ...]:
        """Returns the commonest senses of a content word; none for a word that WordNet lacks."""
        part = next((name for tag, name in PARTS.items() if word.tag.startswith(tag)), "")
        return self._senses.get((word.lemma, part), ())

    @cache  # noqa: B019 one object a process
    def above(self, sense: Sense) -> frozenset[Sense]:
        """Returns all senses that this one is a kind of, or entails."""
        found: set[Sense] = set()
        level = {sense}
        while level:  # WordNet's verbs have a cycle: restrain, inhibit
            level = self.parents(level) - found
            found |= level
        return frozenset(found - {sense})

    def opposites(self, senses: Iterable[Sense]) -> set[Sense]:
        """Returns the senses that are opposite to any of these."""
        return {other for sense in senses for other in self._opposites.get(sense, ())}

    def parents(self, senses: Iterable[Sense]) -> set[Sense]:
        """Returns the senses that are directly above any of these."""
        return {other for sense in senses for other in self._broader.get(sense, ())}


def _letter(letter: str) -> str:
    """Returns the letter of the data file: satellite adjectives (s) are in that of adjectives (a)."""
    return "a" if letter == "s" else letter


@cache
def load_wordnet() -> WordNet:
    """Reads WordNet. Raises BaselineError if its files are missing."""
    try:
        return WordNet(wordnet_folder())
    except NoWordNet as missing:
        raise BaselineError(str(missing)) from None


def wordnet_shares(premise: Words, hypothesis: Words) -> list[float]:
    """Computes, of the content words of the hypothesis, the share that is in the premise, or has there
    a synonym or a narrower word (the premise entails it); a synonym; a broader word; an opposite; a sister (another word
    of the same kind), and none of the above.
    """
    wordnet = load_wordnet()
    ours, theirs = _content(hypothesis), _content(premise)
    lemmas = {word.lemma for word in theirs}
    given = {sense for word in theirs for sense in wordnet.senses(word)}
    above = frozenset[Sense]().union(*map(wordnet.above, given))
    opposite, parents = wordnet.opposites(given), wordnet.parents(given)
    counts = [0] * WORDNET
    for word in ours:
        senses = set(wordnet.senses(word))
        is_same = word.lemma in lemmas
        is_synonym = not is_same and bool(senses & given)
        is_broader = not is_same and not is_synonym and bool(senses & above)
        is_narrower = not (is_same or is_synonym or is_broader) and any(
            wordnet.above(one) & given for one in senses
        )
        is_opposite = bool(senses & opposite)
        is_sister = not (is_same or is_synonym or is_broader or is_narrower) and bool(
            wordnet.parents(senses) & parents
        )
        found = (is_same or is_synonym or is_broader, is_synonym, is_narrower, is_opposite, is_sister)
        counts = [count + has for count, has in zip(counts, found, strict=True)]
    return [count / max(1, len(ours)) for count in counts]


def _content(words: Words) -> Sequence[Word]:
    return [word for word in words if word.tag.startswith(CONTENT_TAGS)]


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
            ocean = Path(settings.verb_ocean) if settings.verb_ocean else None
            return [
                *overlap_shares(premise, hypothesis),
                *wordnet_shares(premise, hypothesis),
                *(tree_shares(premise, hypothesis) if settings.trees else ()),
                *(verb_ocean_shares(premise, hypothesis, ocean) if ocean else ()),
            ]
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
    if isinstance(settings, WordNetClassifierSettings):
        return SHARES + WORDNET + TREES * settings.trees + VERB_OCEAN * bool(settings.verb_ocean)
    return SHARES
