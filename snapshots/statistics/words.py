"""Cut sentences into words: Penn Treebank tokens, as in the papers; characters in languages without spaces.

Statistics use the rules of the Penn Treebank alone (NLTK's TreebankWordTokenizer), because the papers counted so: of MPE's
published 9,254 types they give 9,255. The baselines use NLTK's extension of these rules (NLTKWordTokenizer), which also
splits off typographic and single quotation marks, because word vectors have no entry for “Hello. The two differ in 2 of
17,284 sentences of SNLI's dev pairs (tests/replication/test_published_statistics.py).
"""

import re
from functools import cache, lru_cache
from typing import Any

from collection.pairing.lists import STOP_WORDS as ENGLISH
from nli.tokens import is_english, light_nltk, tokeniser

TOKEN = (
    "a Penn Treebank token; in languages that put no spaces between words, such as Chinese, Japanese and Thai, a "
    "character. Letters and digits of other scripts stay together there."
)

# Sentences of letters, digits, single hyphens, spaces, commas after words and one mark at the end. Four of five
# sentences are like that, and need none of the tokenizer's thirty patterns.
_WORD = r"[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*"
_PLAIN = re.compile(rf"{_WORD}(?:,? {_WORD})*[.?!]?", re.ASCII)
_CONTRACTED = re.compile(r"\b(?:cannot|gimme|gonna|gotta|lemme|wanna)\b", re.IGNORECASE)

# The parts that Penn Treebank tokens make of contractions, and function words that the list of the pairing lacks. The
# choice of the list changes an overlap by less than one point.
STOP_WORDS = ENGLISH | {
    *("'s", "'m", "'re", "'ve", "'d", "'ll", "n't", "ca", "wo"),
    *("could", "would", "shall", "may", "might", "must", "done", "us", "mine", "whose"),
}


@cache
def _tokenizer() -> Any:
    with light_nltk():  # not at the top: no web process needs it
        from nltk.tokenize import TreebankWordTokenizer

    return TreebankWordTokenizer()


@lru_cache(maxsize=2048)
def tokens(sentence: str, language: str = "en") -> tuple[str, ...]:
    """Returns the tokens of a sentence, with punctuation. Cached, because premises repeat."""
    return tuple(tokeniser(language, _penn)(sentence))


def _penn(sentence: str) -> tuple[str, ...]:
    if _PLAIN.fullmatch(sentence) and not _CONTRACTED.search(sentence):
        body, mark = (sentence[:-1], (sentence[-1],)) if sentence[-1] in ".?!" else (sentence, ())
        return (*body.replace(",", " ,").split(), *mark)
    return tuple(_tokenizer().tokenize(sentence))


def stop_words(language: str) -> frozenset[str]:
    """Returns the words that the overlap excludes; only English has such a list."""
    return STOP_WORDS if is_english(language) else frozenset()


def is_word(token: str) -> bool:
    """Returns whether a token has a letter or a digit; others are punctuation."""
    return any(character.isalnum() for character in token)
