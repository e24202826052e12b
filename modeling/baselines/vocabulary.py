"""Turn sentences into tokens and indices. The vocabulary is that of the training partition; the run folder stores it."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from nli.tokens import light_nltk, tokeniser

with light_nltk():
    from nltk.tokenize import NLTKWordTokenizer

PADDING, UNKNOWN = 0, 1
RESERVED = ("<padding>", "<unknown>")  # the tokenizer splits angle brackets off: no token can be one of these

_tokenizer = NLTKWordTokenizer()


def tokenise(sentence: str) -> list[str]:
    """Splits a sentence into Penn Treebank tokens, in the case of the text (NLTK's tokenizer; it needs no data files)."""
    tokens: list[str] = _tokenizer.tokenize(sentence)
    return tokens


class Lexicon(Protocol):
    """Splits sentences into tokens and numbers them: words here, pieces in pretrained.py."""

    @property
    def words(self) -> tuple[str, ...]: ...
    def __len__(self) -> int: ...
    def cut(self, sentence: str) -> list[str]: ...
    def encode(self, tokens: Sequence[str]) -> list[int]: ...


@runtime_checkable
class Measuring(Protocol):
    """A lexicon that also measures pairs."""

    def measures(self, pairs: Any) -> Any: ...


@dataclass(frozen=True)
class Vocabulary:
    """Words in the order of their indices; 0 is padding, 1 any unknown word. `language` decides what a word is."""

    words: tuple[str, ...]
    language: str = field(default="en", kw_only=True)
    _index: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.words[: len(RESERVED)] != RESERVED:
            raise ValueError(f"a vocabulary begins with {', '.join(RESERVED)}.")
        object.__setattr__(self, "_index", {word: position for position, word in enumerate(self.words)})

    def __len__(self) -> int:
        return len(self.words)

    def cut(self, sentence: str) -> list[str]:
        """Returns the tokens of one sentence."""
        return list(tokeniser(self.language, tokenise)(sentence))

    def encode(self, tokens: Sequence[str]) -> list[int]:
        """Returns the tokens' indices; a token that is not in the vocabulary becomes UNKNOWN."""
        return [self._index.get(token, UNKNOWN) for token in tokens]


def every_word(sides: Iterable[Iterable[Iterable[Sequence[str]]]]) -> Iterator[Sequence[str]]:
    """Yields the tokens of each text of each pair of each side."""
    return (tokens for side in sides for texts in side for tokens in texts)


def build_vocabulary(
    sentences: Iterable[Sequence[str]],
    minimum_count: int,
    known: Sequence[str] = RESERVED,
    language: str = "en",
) -> Vocabulary:
    """Returns the words that occur `minimum_count` times or more in tokenised `sentences`, the commonest first, after the
    words of an earlier run.
    """
    counts = Counter(token for tokens in sentences for token in tokens)
    for word in known:
        counts.pop(word, None)
    frequent = sorted((-count, word) for word, count in counts.items() if count >= minimum_count)
    return Vocabulary((*known, *(word for _, word in frequent)), language=language)
