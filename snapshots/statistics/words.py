"""What counts as a word: Penn Treebank tokens, as in the papers."""

import re
from functools import cache, lru_cache
from typing import Any

# Letters, digits, single hyphens and blanks, commas after words, one mark at the end. Such sentences, four of five,
# need none of the tokenizer's thirty patterns.
_WORD = r"[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*"
_PLAIN = re.compile(rf"{_WORD}(?:,? {_WORD})*[.?!]?", re.ASCII)
_CONTRACTED = re.compile(r"\b(?:cannot|gimme|gonna|gotta|lemme|wanna)\b", re.IGNORECASE)

# Closed classes of English. What the list holds moves an overlap by less than one point.
STOP_WORDS = frozenset(
    word
    for line in (
        # articles, determiners, quantities
        "a an the this that these those all any both each few more most other some such no same own",
        # pronouns
        "i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself",
        "she her hers herself it its itself they them their theirs themselves who whom whose which what",
        # auxiliaries, and what tokens leave of them
        "am is are was were be been being have has had having do does did doing done can could will would",
        "shall should may might must 's 'm 're 've 'd 'll n't ca wo",
        # prepositions and conjunctions
        "of at by for with about against between into through during before after above below to from up",
        "down in out on off over under and but or nor if because as until while than",
        # adverbs without much of a meaning of their own
        "again further then once here there when where why how not only so too very just now",
    )
    for word in line.split()
)


@cache
def _tokenizer() -> Any:
    from nltk.tokenize import TreebankWordTokenizer  # not at the top: no web process needs it

    return TreebankWordTokenizer()


@lru_cache(maxsize=2048)
def tokens(sentence: str) -> tuple[str, ...]:
    """Penn Treebank tokens of one sentence, punctuation among them. The last ones are kept: premises repeat."""
    if _PLAIN.fullmatch(sentence) and not _CONTRACTED.search(sentence):
        body, mark = (sentence[:-1], (sentence[-1],)) if sentence[-1] in ".?!" else (sentence, ())
        return (*body.replace(",", " ,").split(), *mark)
    return tuple(_tokenizer().tokenize(sentence))


def stop_words(language: str) -> frozenset[str]:
    """The words that an overlap leaves out; none but for English."""
    return STOP_WORDS if language.split("-")[0].lower() == "en" else frozenset()


def is_word(token: str) -> bool:
    """Anything with a letter or a digit; the rest is punctuation."""
    return any(character.isalnum() for character in token)
