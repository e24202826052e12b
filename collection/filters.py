"""Filters for new premises: each a small function with a name and a reason. No Django in here.

A filter answers whether it drops a candidate. The first one that does gets the credit in the report.
To add a filter, write the function and put it into `FILTERS`.
"""

from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from collection.premises import digest_of, normalise

SHORTEST = 8  # characters, in the normal form (MultiNLI, section 2.1)
EXAMPLES = 3  # lines of each filter that a report shows


@dataclass(frozen=True, slots=True)
class Candidate:
    """A premise that may go in: its line in the file, its sentences, and what the file says of it."""

    line: int
    sentences: tuple[str, ...]
    digest: str
    public_id: str = ""
    document: str = ""
    group: str = ""


def candidate(line: int, sentences: Iterable[str], **known: str) -> Candidate:
    sentences = tuple(sentences)
    return Candidate(line=line, sentences=sentences, digest=digest_of(sentences), **known)


@dataclass(frozen=True)
class PremiseFilter:
    """`drops(candidate, known)`: `known` holds the digests that the genre has already."""

    name: str
    reason: str
    drops: Callable[[Candidate, AbstractSet[str]], bool]


def is_too_short(candidate: Candidate, known: AbstractSet[str]) -> bool:
    return len(normalise(" ".join(candidate.sentences))) < SHORTEST


def is_duplicate(candidate: Candidate, known: AbstractSet[str]) -> bool:
    return candidate.digest in known


TOO_SHORT = PremiseFilter("too_short", f"under {SHORTEST} characters", is_too_short)
DUPLICATE = PremiseFilter("duplicate", "the genre has this text already", is_duplicate)
FILTERS = (TOO_SHORT, DUPLICATE)


@dataclass
class Dropped:
    """What one filter dropped: how many lines, and the first few of them."""

    count: int = 0
    examples: list[tuple[int, str]] = field(default_factory=list)

    def add(self, candidate: Candidate) -> None:
        self.count += 1
        if len(self.examples) < EXAMPLES:
            self.examples.append((candidate.line, " / ".join(candidate.sentences)))


def sift(
    candidates: Iterable[Candidate],
    known: AbstractSet[str],
    report: dict[str, Dropped],
    filters: Iterable[PremiseFilter] = FILTERS,
) -> list[Candidate]:
    """The candidates that no filter drops; the others go into `report`, by the filter's name.

    `known` is not changed: repetitions among the candidates themselves are found as well.
    """
    filters = tuple(filters)
    seen = set(known)
    kept = []
    for each in candidates:
        dropping = next((rule for rule in filters if rule.drops(each, seen)), None)
        if dropping is not None:
            report.setdefault(dropping.name, Dropped()).add(each)
            continue
        seen.add(each.digest)
        kept.append(each)
    return kept
