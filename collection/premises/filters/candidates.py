"""What may become a premise, and what a filter is. No Django in here."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from collection.premise_ids import digest_of


@dataclass(frozen=True, slots=True)
class Candidate:
    """A premise that may go in: where it stands in the file, its sentences, and what the file says of it.

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
        """All of it in one line, for a report."""
        return " / ".join(self.sentences)


def candidate(line: int, sentences: Iterable[str], *, place: int = 1, **known: str) -> Candidate:
    sentences = tuple(sentences)
    return Candidate(line=line, sentences=sentences, digest=digest_of(sentences), place=place, **known)


@dataclass(frozen=True, slots=True)
class PremiseFilter:
    """Says of one candidate whether it is dropped. The name is stored with what it drops: never reuse one."""

    name: str
    reason: str
    drops: Callable[[Candidate], bool]


def any_sentence(test: Callable[[str], bool]) -> Callable[[Candidate], bool]:
    """Several sentences about one scene are dropped together when one of them is: the set would not be whole."""
    return lambda each: any(map(test, each.sentences))
