"""Chooses pairs for a paper: of each label typical ones and disputed ones. A seed draws them; it reads pairs one by one."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from statistics import median
from typing import NamedTuple

from nli.agreement import entropy
from nli.labels import NO_GOLD

EACH = 10  # of a label
NEAR = 0.1  # of the median length
TYPICAL, DISPUTED = "typical", "disputed"
RULES = (
    f"Typical: all labels of the pair are the same, and that of its author, if it has one; the hypothesis is at most"
    f" {NEAR:.0%} longer or shorter than the median of such pairs with this label.",
    "Disputed: by the entropy of its votes, the largest first. Its label is its author’s, else its gold label.",
    f"At most {EACH} pairs of each, no two of them of one premise or one author. A seed draws among equals.",
)


class Seen(NamedTuple):
    """A pair with all its labels. name: its id. premise, author: keys; an author who is not known is None."""

    name: str
    premise: object
    author: object | None
    author_label: str | None
    gold: str | None
    votes: Sequence[int]
    length: int


class Chosen(NamedTuple):
    kind: str
    label: str
    name: str
    entropy: float


@dataclass
class Chooser:
    """Gets every pair by `add`, and then has the chosen ones. It holds a few numbers of each pair."""

    seed: int
    alike: defaultdict[str, list[tuple[int, bytes, Seen]]] = field(default_factory=lambda: defaultdict(list))
    split: defaultdict[str, list[tuple[float, bytes, Seen]]] = field(
        default_factory=lambda: defaultdict(list)
    )

    def add(self, pair: Seen) -> None:
        drawn = sha256(f"{self.seed}:{pair.name}".encode()).digest()[:8]
        if max(pair.votes) < sum(pair.votes):
            label = pair.author_label or pair.gold or NO_GOLD
            self.split[label].append((-entropy(pair.votes), drawn, pair))
        elif pair.gold is not None and pair.author_label in (None, pair.gold):
            self.alike[pair.gold].append((pair.length, drawn, pair))

    def chosen(self, labels: Iterable[str]) -> Iterator[Chosen]:
        """Yields the pairs of each label, the typical ones of all labels first."""
        order = [*labels, NO_GOLD]
        for label in order:
            middle = median(length for length, _, _ in self.alike[label]) if self.alike[label] else 0
            near = [
                (drawn, pair)
                for length, drawn, pair in self.alike[label]
                if abs(length - middle) <= NEAR * middle
            ]
            for pair in _apart(pair for _, pair in sorted(near, key=lambda each: each[0])):
                yield Chosen(TYPICAL, label, pair.name, 0.0)
        for label in order:
            for pair in _apart(pair for _, _, pair in sorted(self.split[label], key=lambda each: each[:2])):
                yield Chosen(DISPUTED, label, pair.name, entropy(pair.votes))


def _apart(pairs: Iterable[Seen]) -> Iterator[Seen]:
    """Yields the first pairs, no two of one premise or one author."""
    premises: set[object] = set()
    authors: set[object] = set()
    for pair in pairs:
        if pair.premise not in premises and pair.author not in authors:
            premises.add(pair.premise)
            authors |= {pair.author} - {None}
            yield pair
            if len(premises) == EACH:
                return
