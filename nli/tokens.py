"""Splits texts into tokens by the corpus's language, for statistics and baselines; digests find a text without storing it.

Most languages put spaces between words, and those are cut into Penn Treebank tokens. Where there are none, a
whole sentence would be one word; there each character is a token.
"""

import hashlib
import sys
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

# Primary tags of BCP 47: Chinese and its varieties, Japanese, Thai, Lao, Khmer, Burmese, Tibetan, Dzongkha, Shan.
WITHOUT_SPACES = frozenset(
    [
        "zh",
        "cmn",
        "yue",
        "wuu",
        "hak",
        "nan",
        "gan",
        "hsn",
        "lzh",
        "ja",
        "th",
        "lo",
        "km",
        "my",
        "bo",
        "dz",
        "shn",
    ]
)
# Blocks of scripts without spaces. Other letters among them ("5G", "WTO") stay together as words.
_BLOCKS = (
    (0x0E00, 0x0FFF),  # Thai, Lao, Tibetan
    (0x1000, 0x109F),  # Myanmar
    (0x1780, 0x17FF),  # Khmer
    (0x2E80, 0x2FDF),  # radicals
    (0x3005, 0x30FF),  # kana, and the marks that repeat or stand for a character
    (0x31F0, 0x31FF),
    (0x3400, 0x9FFF),  # Han
    (0xA9E0, 0xA9FF),
    (0xAA60, 0xAA7F),
    (0xF900, 0xFAFF),
    (0xFF66, 0xFF9F),  # kana of half width
    (0x1B000, 0x1B16F),
    (0x20000, 0x3FFFF),
)


def primary_tag(language: str) -> str:
    """Returns the primary language of a tag such as "zh-Hant" or "en_GB"."""
    return language.replace("_", "-").split("-")[0].strip().lower()


def is_english(language: str) -> bool:
    """Returns whether a language is English, for which the models, word lists and packaged vectors are."""
    return primary_tag(language) == "en"


def writes_without_spaces(language: str) -> bool:
    """Returns whether a language is written without spaces between words."""
    return primary_tag(language) in WITHOUT_SPACES


def tokeniser(language: str, words: Callable[[str], Sequence[str]]) -> Callable[[str], Sequence[str]]:
    """Returns the tokeniser of a language: characters if it is written without spaces, else `words`."""
    return characters if writes_without_spaces(language) else words


def characters(sentence: str) -> tuple[str, ...]:
    """Returns the characters of a sentence, each with its vowel signs and tone marks.

    Letters and digits of other scripts stay together; white space is no token.
    """
    found: list[str] = []
    joins = False  # may the next letter of another script join the last token?
    for character in sentence:
        if character.isspace():
            joins = False
            continue
        is_mark = unicodedata.category(character) in ("Mn", "Mc", "Me")
        is_other_letter = character.isalnum() and not _stands_alone(character)
        if found and ((is_mark and found[-1][0].isalnum()) or (joins and is_other_letter)):
            found[-1] += character
        else:
            found.append(character)
            joins = is_other_letter
    return tuple(found)


def _stands_alone(character: str) -> bool:
    code = ord(character)
    return any(first <= code <= last for first, last in _BLOCKS)


@contextmanager
def light_nltk() -> Iterator[None]:
    """Imports NLTK without its optional packages.

    Its classifiers and collocations load scikit-learn, SciPy and pandas. Nothing here uses those parts, and they are
    four fifths of the time that NLTK takes to load, in every process that trains or counts.
    """
    absent = [name for name in ("sklearn", "scipy", "pandas") if name not in sys.modules]
    for name in absent:
        sys.modules[name] = None  # type: ignore[assignment]  # importing it fails, as where it is not installed
    try:
        yield
    finally:
        for name in absent:
            del sys.modules[name]


DIGEST_BYTES = 8


def digest(*texts: str) -> int:
    """Returns 64 bits for the texts. White space at their ends does not count, nor does repeated white space."""
    joined = "\n".join(" ".join(text.split()) for text in texts)
    return int.from_bytes(hashlib.blake2b(joined.encode(), digest_size=DIGEST_BYTES).digest(), "big")


def edit_distance(one: Sequence[str], other: Sequence[str]) -> int:
    """Returns how many tokens must be put in, left out or replaced to make one text of the other (Levenshtein 1966)."""
    row = list(range(len(other) + 1))
    for here, token in enumerate(one, start=1):
        above, row = row, [here]
        for place, each in enumerate(other):
            row.append(min(above[place] + (token != each), above[place + 1] + 1, row[place] + 1))
    return row[-1]
