"""Splits sentences into words, and measures how many of them a premise shares (MPE, section 4.1 and Table 1)."""

import re
from collections.abc import Iterable

from collection.pairing.lists import STOP_WORDS

WORD = re.compile(r"[a-z0-9]+(?:['’-][a-z0-9]+)*")


def words(sentence: str) -> list[str]:
    """Returns lower-case words and numbers in order; a hyphen or apostrophe inside a word belongs to it."""
    return WORD.findall(sentence.lower())


def content_words(sentence: str) -> list[str]:
    """Returns the words that are no stop words."""
    return [word for word in words(sentence) if word not in STOP_WORDS]


def word_overlap(premise: Iterable[str], hypothesis: str) -> float:
    """Returns the share, 0 to 1, of the hypothesis's content words that occur in at least one premise sentence.

    Repeated words count each time. Raises ValueError for a hypothesis without content words.
    """
    asked = content_words(hypothesis)
    if not asked:
        raise ValueError(f'"{hypothesis}" has no content words')
    there = {word for sentence in premise for word in words(sentence)}
    return sum(word in there for word in asked) / len(asked)
