"""Chooses pairs for a paper: of each label typical ones and disputed ones. A seed draws them; it reads pairs one by one."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from operator import itemgetter
from statistics import median
from typing import Any, NamedTuple

from nli.agreement import entropy
from nli.labels import NO_GOLD
from snapshots.statistics.pairs import Pair

EACH = 10  # of a label
POOL = 2000  # pairs of a label and kind from which they are chosen: the first as drawn
NEAR = 0.1  # of the median length
TYPICAL, DISPUTED = "typical", "disputed"
RULES = (
    f"Typical: all labels of the pair are the same, and that of its author, if it has one; the hypothesis is at most"
    f" {NEAR:.0%} longer or shorter than the median of such pairs with this label.",
    "Disputed: by the entropy of its votes, the largest first. Its label is its author’s, else its gold label.",
    f"At most {EACH} pairs of each, no two of them of one premise or one author. A seed draws among equals.",
)


class Seen(NamedTuple):
    """A pair with all its labels. name: its id. premise, author: keys; an author who is not known is None. of: the pair."""

    name: str
    premise: object
    author: object | None
    author_label: str | None
    gold: str | None
    votes: Sequence[int]
    length: int
    of: Any = None


class Chosen(NamedTuple):
    kind: str
    label: str
    pair: Seen
    entropy: float


Drawn = tuple[float, bytes, Seen]  # in the order of the first two


@dataclass
class Chooser:
    """Gets every pair by `add`, and then has the chosen ones. It holds at most twice POOL pairs of each label and kind."""

    seed: int
    lengths: defaultdict[str, Counter[int]] = field(default_factory=lambda: defaultdict(Counter))
    alike: defaultdict[str, list[Drawn]] = field(default_factory=lambda: defaultdict(list))
    split: defaultdict[str, list[Drawn]] = field(default_factory=lambda: defaultdict(list))

    def add(self, pair: Seen) -> None:
        drawn = sha256(f"{self.seed}:{pair.name}".encode()).digest()[:8]
        if max(pair.votes) < sum(pair.votes):
            pool = self.split[pair.author_label or pair.gold or NO_GOLD]
            pool.append((-entropy(pair.votes), drawn, pair))
        elif pair.gold is not None and pair.author_label in (None, pair.gold):
            self.lengths[pair.gold][pair.length] += 1
            pool = self.alike[pair.gold]
            pool.append((0, drawn, pair))
        else:
            return
        if len(pool) > 2 * POOL:
            pool.sort(key=itemgetter(0, 1))
            del pool[POOL:]

    def chosen(self, labels: Sequence[str]) -> Iterator[Chosen]:
        """Yields the pairs of each label, the typical ones of all labels first."""
        for label in labels:
            middle = median(self.lengths[label].elements()) if self.lengths[label] else 0
            near = [each for each in self.alike[label] if abs(each[2].length - middle) <= NEAR * middle]
            for pair in _apart(near):
                yield Chosen(TYPICAL, label, pair, 0.0)
        for label in (*labels, NO_GOLD):
            for pair in _apart(self.split[label]):
                yield Chosen(DISPUTED, label, pair, entropy(pair.votes))


def seen_of(pair: Pair, reads: Mapping[str, str]) -> Seen:
    """Returns a pair of a snapshot. reads: the gold label for which each label of an annotator stands, where they differ."""
    return Seen(
        pair.name,
        pair.premise,
        pair.author or None,
        reads.get(pair.author_label, pair.author_label) or None,
        None if pair.label == NO_GOLD else pair.label,
        list(Counter(pair.labels).values()),
        len(pair.hypothesis),
        pair,
    )


def as_rows(chosen: Iterable[Chosen]) -> list[dict[str, Any]]:
    """Returns pairs of a snapshot as its statistics hold them."""
    return [
        {
            "kind": each.kind,
            "label": each.label,
            "id": each.pair.name,
            "premise": " ".join(each.pair.of.premise),
            "hypothesis": each.pair.of.hypothesis,
            "labels": " ".join(each.pair.of.labels),
            "gold": each.pair.of.label,
            "author": each.pair.of.author,
            "entropy": each.entropy,
        }
        for each in chosen
    ]


def _apart(drawn: Iterable[Drawn]) -> Iterator[Seen]:
    """Yields the first pairs in their order, no two of one premise or one author."""
    premises: set[object] = set()
    authors: set[object] = set()
    for _, _, pair in sorted(drawn, key=itemgetter(0, 1)):
        if pair.premise not in premises and pair.author not in authors:
            premises.add(pair.premise)
            authors |= {pair.author} - {None}
            yield pair
            if len(premises) == EACH:
                return
