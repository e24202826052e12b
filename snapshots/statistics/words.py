"""What counts as a word: Penn Treebank tokens, as in the papers; characters where a language has no spaces."""

import re
from functools import cache, lru_cache
from typing import Any

from collection.pairing.lists import STOP_WORDS as ENGLISH
from nli.tokens import is_english, light_nltk, tokeniser

TOKEN = (
    "a Penn Treebank token; in languages that put no spaces between words, such as Chinese, Japanese and Thai, a "
    "character. Letters and digits of other scripts stay together there."
)

# Letters, digits, single hyphens and blanks, commas after words, one mark at the end. Such sentences, four of five,
# need none of the tokenizer's thirty patterns.
_WORD = r"[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*"
_PLAIN = re.compile(rf"{_WORD}(?:,? {_WORD})*[.?!]?", re.ASCII)
_CONTRACTED = re.compile(r"\b(?:cannot|gimme|gonna|gotta|lemme|wanna)\b", re.IGNORECASE)

# What Penn Treebank tokens leave of contractions, and closed classes that the list of the pairing lacks. What the
# list holds moves an overlap by less than one point.
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
    """The tokens of one sentence, punctuation among them. The last ones are kept: premises repeat."""
    return tuple(tokeniser(language, _penn)(sentence))


def _penn(sentence: str) -> tuple[str, ...]:
    if _PLAIN.fullmatch(sentence) and not _CONTRACTED.search(sentence):
        body, mark = (sentence[:-1], (sentence[-1],)) if sentence[-1] in ".?!" else (sentence, ())
        return (*body.replace(",", " ,").split(), *mark)
    return tuple(_tokenizer().tokenize(sentence))


def stop_words(language: str) -> frozenset[str]:
    """The words that an overlap leaves out; none but for English."""
    return STOP_WORDS if is_english(language) else frozenset()


def is_word(token: str) -> bool:
    """Anything with a letter or a digit; the rest is punctuation."""
    return any(character.isalnum() for character in token)
