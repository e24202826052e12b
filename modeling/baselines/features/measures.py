"""Measure how similar a hypothesis is to its premise (SNLI paper, sections 3.1 and 3.2)."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from modeling.baselines.features.tagged import Word, Words

LONGEST_NGRAM = 4
CONTENT_TAGS = ("N", "V", "J", "R")  # how Penn tags of nouns, verbs, adjectives and adverbs begin
BLEUS, LENGTHS, OVERLAPS = LONGEST_NGRAM, 1, 4  # how many numbers each of the three kinds has
SHARES = 9


def bleus(premise: Words, hypothesis: Words) -> list[float]:
    """Computes BLEU of the hypothesis with the premise as its reference, up to n-grams of 1, 2, 3 and 4 words; 0 to 1.

    Not smoothed: 0 from the first length of which they share no n-gram (Papineni et al., 2002, section 2.3).
    """
    hypothesis_words, premise_words = [word.text for word in hypothesis], [word.text for word in premise]
    if not hypothesis_words:
        return [0.0] * LONGEST_NGRAM
    brevity = min(0.0, 1 - len(premise_words) / len(hypothesis_words))
    scores, logarithms = [], 0.0
    for length in range(1, LONGEST_NGRAM + 1):
        mine, theirs = Counter(ngrams(hypothesis_words, length)), Counter(ngrams(premise_words, length))
        shared = (mine & theirs).total()
        logarithms = logarithms + math.log(shared / mine.total()) if shared else -math.inf
        scores.append(math.exp(brevity + logarithms / length))
    return scores


def ngrams(words: Sequence[str], length: int) -> Iterable[tuple[str, ...]]:
    """Returns all sequences of this number of words."""
    return zip(*(words[start:] for start in range(length)), strict=False)


def length_difference(premise: Words, hypothesis: Words) -> list[float]:
    """Counts the words that the hypothesis has more than the premise."""
    return [float(len(hypothesis) - len(premise))]


def overlaps(premise: Words, hypothesis: Words) -> list[float]:
    """Counts the words in common, and computes their share of the possible number; the same for content words only."""
    numbers: list[float] = []
    for ours, theirs in ((hypothesis, premise), (content(hypothesis), content(premise))):
        shared = shared_words([word.text for word in ours], [word.text for word in theirs])
        numbers += [float(shared), shared / max(1, min(len(ours), len(theirs)))]
    return numbers


def overlap_shares(premise: Words, hypothesis: Words) -> list[float]:
    """Computes, for words, lemmas, and lemmas of content words: the share of the hypothesis that the premise has, the share
    of the premise that the hypothesis has, and their product.
    """
    numbers: list[float] = []
    for ours, theirs in (
        ([word.text for word in hypothesis], [word.text for word in premise]),
        ([word.lemma for word in hypothesis], [word.lemma for word in premise]),
        ([word.lemma for word in content(hypothesis)], [word.lemma for word in content(premise)]),
    ):
        numbers += shared_shares(ours, theirs)
    return numbers


def shared_shares(ours: Sequence[str], theirs: Sequence[str]) -> list[float]:
    """Computes which share of ours they have, which share of theirs we have, and their product."""
    shared = shared_words(ours, theirs)
    of_ours, of_theirs = shared / max(1, len(ours)), shared / max(1, len(theirs))
    return [of_ours, of_theirs, of_ours * of_theirs]


def content(words: Words) -> list[Word]:
    """Returns the nouns, verbs, adjectives and adverbs."""
    return [word for word in words if word.tag.startswith(CONTENT_TAGS)]


def shared_words(ours: Sequence[str], theirs: Sequence[str]) -> int:
    """Counts the words in common; a word that both have twice counts twice."""
    return (Counter(ours) & Counter(theirs)).total()
