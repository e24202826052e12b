"""Features that name words (SNLI paper, section 3.2, features 4 to 6). A feature is a text: its kind, then its words."""

from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise

from modeling.baselines.features.tagged import Word, Words

Bigram = tuple[Word, Word]


def hypothesis_ngrams(hypothesis: Words) -> Iterator[str]:
    """Return every word and every two neighbours of the hypothesis."""
    for word in hypothesis:
        yield f"1 {word.text}"
    for first, second in bigrams(hypothesis):
        yield f"2 {first.text} {second.text}"


def cross_unigrams(premise: Words, hypothesis: Words) -> Iterator[str]:
    """Return every word of the premise with every word of the hypothesis that has the same tag."""
    by_tag: dict[str, list[Word]] = defaultdict(list)
    for word in premise:
        by_tag[word.tag].append(word)
    for mine in hypothesis:
        for theirs in by_tag.get(mine.tag, ()):
            yield f"11 {theirs.text} {mine.text}"


def cross_bigrams(premise: Words, hypothesis: Words) -> Iterator[str]:
    """Return every two neighbours of the premise with every two of the hypothesis, if their second words have one tag."""
    by_tag: dict[str, list[Bigram]] = defaultdict(list)
    for bigram in bigrams(premise):
        by_tag[bigram[1].tag].append(bigram)
    for first, second in bigrams(hypothesis):
        for before, after in by_tag.get(second.tag, ()):
            yield f"22 {before.text} {after.text} {first.text} {second.text}"


def bigrams(words: Words) -> Iterator[Bigram]:
    """Return every two neighbours."""
    return pairwise(words)
