"""Look up how WordNet relates two words: as synonyms, broader and narrower words, opposites, sisters."""

from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from modeling.baselines.errors import BaselineError
from modeling.baselines.features.measures import CONTENT_TAGS
from modeling.baselines.features.tagged import Word, Words
from nli.wordnet_files import NoWordNet, synsets, wordnet_folder, wordnet_lines

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
