"""Candidates for premises, and the form of a filter. Imports no Django."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from collection.premise_ids import digest_of


@dataclass(frozen=True, slots=True)
class Candidate:
    """A text that may become a premise: its place in the file, its sentences, and its facts in the file.

    line: from 1, the line of the file that it begins in. place: which sentence of that line, from 1.
    """

    line: int
    sentences: tuple[str, ...]
    digest: str
    public_id: str = ""
    document: str = ""
    group: str = ""
    place: int = 1

    @property
    def text(self) -> str:
        """Returns the whole candidate in one line, for a report."""
        return " / ".join(self.sentences)


def candidate(line: int, sentences: Iterable[str], *, place: int = 1, **known: str) -> Candidate:
    sentences = tuple(sentences)
    return Candidate(line=line, sentences=sentences, digest=digest_of(sentences), place=place, **known)


@dataclass(frozen=True, slots=True)
class PremiseFilter:
    """A filter. Its name is stored with the lines that it drops, so never reuse a name."""

    name: str
    reason: str
    drops: Callable[[Candidate], bool]


def any_sentence(test: Callable[[str], bool]) -> Callable[[Candidate], bool]:
    """Returns a filter that drops all sentences of a premise if the test drops one of them."""
    return lambda each: any(map(test, each.sentences))
