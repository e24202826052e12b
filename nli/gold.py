"""The rule that turns the labels of a pair into its gold label.

Gold is derived and never stored on a pair. In this order: a researcher's adjudication; a label that was published
beside its votes; what the votes give by the question's rule; nothing, where all votes are in; else a published
label; else the author's label.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import NamedTuple

from nli.labels import ORDINAL, READINGS, SCHEMES, reading

# The rules by which votes decide.
MAJORITY, ADJUDICATED, UNANIMOUS, OF_ALL = RULES = (
    "majority",
    "adjudicated",
    "unanimous",
    "majority_of_all",
)
NEEDS_SCHEME = {ADJUDICATED: "nli3"}  # rules that know the labels of one scheme
# Where a gold label comes from; "adjudicated" is a source, too.
VOTED, PUBLISHED, AUTHOR, NONE, WITHHELD = "voted", "published", "author", "none", "withheld"
SOURCES = {
    VOTED: "the votes decided",
    ADJUDICATED: "a researcher decided",
    PUBLISHED: "the label came with the corpus",
    AUTHOR: "the author's label alone: nobody was asked again",
    NONE: "no label has enough votes",
    WITHHELD: "the labels are withheld",
}
DECIDED = frozenset({ADJUDICATED, PUBLISHED})  # not by votes, but beside them
FEWEST = 3  # with fewer labels, those of the others are no majority
# What is noted of a published label that the votes beside it do not give.
DIFFERS, NO_MAJORITY = "differs from the votes", "no majority"


def note_beside(published: str | None, voted: str | None) -> str:
    """Returns how a published label compares with the votes: DIFFERS, NO_MAJORITY, or "" if they agree."""
    if published == voted:
        return ""
    return NO_MAJORITY if voted is None else DIFFERS


def least_threshold(seats: int) -> int:
    """Returns how many votes are more than half of the seats, so that at most one label has them."""
    return seats // 2 + 1


def is_threshold(threshold: int, seats: int) -> bool:
    """Returns whether a label with so many votes can be the only one that has them, and all seats suffice for it."""
    return least_threshold(seats) <= threshold <= seats


def may_judge(rule: str, scheme: str) -> bool:
    """Returns whether labels of this scheme can be judged by the rule."""
    return NEEDS_SCHEME.get(rule, scheme) == scheme


def may_decide(rule: str, scheme: str, gold_scheme: str) -> bool:
    """Returns whether labels of `scheme` give gold labels of `gold_scheme` by this rule.

    Under `unanimous`, a scale may decide in a scheme that it can be read as (Diverse NLI Collection, Poliak et al. 2018).
    """
    if scheme == gold_scheme:
        return may_judge(rule, scheme)
    return rule == UNANIMOUS and scheme in ORDINAL and (scheme, gold_scheme) in READINGS


class Gold(NamedTuple):
    """A gold label (None where there is none), one of SOURCES, and a note or ""."""

    label: str | None
    source: str
    note: str = ""

    @property
    def in_words(self) -> str:
        """Returns source and note as one text, for tables of sources."""
        return f"{self.source}, {self.note}" if self.note else self.source


@dataclass(frozen=True)
class Rule:
    """How the labels in a question's seats become the gold label.

    scheme: of the labels that are given. gold_scheme: of the gold label, where it is another one. threshold: more
    than half of the seats, so at most one label reaches it. name: one of RULES. Under `majority_of_all` a pair has as
    many seats as answers, and `seats` is the most that a pair may have. undecided: labels that make no gold label, however
    many votes they have; under `unanimous` alone.
    """

    scheme: str
    seats: int
    threshold: int
    name: str = MAJORITY
    gold_scheme: str = ""
    undecided: tuple[str, ...] = ()

    @property
    def labels(self) -> tuple[str, ...]:
        """Returns the labels that can be given, in the order of vote counts."""
        return SCHEMES[self.scheme]

    @property
    def decided_scheme(self) -> str:
        """Returns the scheme of the gold label."""
        return self.gold_scheme or self.scheme

    @property
    def gold_labels(self) -> tuple[str, ...]:
        return SCHEMES[self.decided_scheme]

    @property
    def ordinal(self) -> bool:
        return self.scheme in ORDINAL

    @cached_property
    def reads(self) -> dict[str, str]:
        """Returns each label that can be given -> the gold label that it stands for."""
        return reading(self.scheme, self.decided_scheme)

    @property
    def seats_in_words(self) -> str:
        return f"{'up to ' if self.name == OF_ALL else ''}{self.seats}"

    @property
    def needs(self) -> str:
        """Returns how many labels make a gold label, in words."""
        if self.name == OF_ALL:
            return "equal labels in more than half of all answers"
        return f"{self.threshold} of {self.seats} equal labels"

    def count(self, labels: Iterable[str]) -> tuple[int, ...]:
        """Returns how many of `labels` are each label of the scheme."""
        given = list(labels)
        return tuple(given.count(label) for label in self.labels)

    def without(self, votes: Sequence[int], label: str | None) -> tuple[int, ...]:
        """Returns the votes without one for `label`."""
        return tuple(n - (each == label) for each, n in zip(self.labels, votes, strict=True))

    def votes_for(self, gold: str, votes: Sequence[int]) -> int:
        """Returns how many votes are for this gold label."""
        return sum(n for label, n in zip(self.labels, votes, strict=True) if self.reads[label] == gold)

    def needed(self, answers: int) -> int:
        """Returns how many votes make a gold label of a pair with so many answers."""
        return least_threshold(answers) if self.name == OF_ALL else self.threshold

    def voted(self, votes: Sequence[int], *, settled: bool = True, left_out: int = 0) -> str | None:
        """Returns the gold label that the votes give, None while they give none.

        votes: how many for each label of the scheme. settled: no seat of the pair will be filled any more.
        left_out: answers that are no votes, because they name several labels.

        majority: the label with at least `threshold` votes.
        adjudicated: the same, but never where entailment and contradiction share all votes with at least two each,
        nor as long as votes that are still missing may bring that about (MPE, Lai et al. 2017, section 4.2: a
        researcher decides then).
        unanimous: all votes are in, at least `threshold`, and all the same, for no label of `undecided` (Diverse NLI
        Collection, Poliak et al. 2018: 4 of a five-point scale in its test part, appendix B.4).
        majority_of_all: the label of more than half of all answers, however many these are, those left out among them. The
        order of the answers then decides nothing. While seats wait nobody knows how many there will be, and nothing is
        decided.
        """
        most = max(votes)
        label = self.labels[votes.index(most)]
        if self.name == UNANIMOUS:
            decided = settled and most == sum(votes) and label not in self.undecided
        elif self.name == OF_ALL:
            decided = settled
        elif self.name == ADJUDICATED and label != "neutral":
            others = (sum(votes) if settled else self.seats) - most
            decided = votes[self.labels.index("neutral")] > 0 or others < 2
        else:
            decided = True
        return self.reads[label] if decided and most >= self.needed(sum(votes) + left_out) else None

    def decide(
        self,
        votes: Sequence[int],
        *,
        settled: bool = True,
        adjudicated: str | None = None,
        published: str | None = None,
        beside_votes: bool = False,
        author: str | None = None,
        left_out: int = 0,
    ) -> Gold:
        """Returns the gold label of a pair.

        settled: somebody other than the author has labelled the pair, and no seat is waiting. published: the label
        that came with the pair; beside_votes: its file had votes, too, so it was decided beyond them. A question
        beside the main one has neither a published nor an author's label.
        """
        voted = self.voted(votes, settled=settled, left_out=left_out)
        if adjudicated is not None:
            return Gold(adjudicated, ADJUDICATED)
        if published is not None and beside_votes and (note := note_beside(published, voted)):
            return Gold(published, PUBLISHED, note)
        if voted is not None:
            return Gold(voted, VOTED)
        if settled:
            return Gold(None, NONE)
        if published is not None:
            return Gold(published, PUBLISHED)
        return Gold(None, NONE) if author is None else Gold(author, AUTHOR)

    @lru_cache(maxsize=4096)  # noqa: B019 - rules are few and live as long as the process
    def explains(
        self,
        gold: str | None,
        source: str,
        labels: tuple[str, ...],
        author: str | None,
        *,
        left_out: int = 0,
        waiting: int = 0,
        is_early: bool = False,
    ) -> bool:
        """Returns whether this gold label from this source is possible for a pair with these labels.

        A line of a snapshot does not contain which seats were open, or what was published beside the votes. It is valid
        if some combination of these gives its gold label. A pair that only its author has labelled has the author's label.
        waiting: how many seats were open, under `majority_of_all`. is_early: the snapshot's format is the first version.
        """
        if gold is not None and gold not in self.gold_labels:
            return False
        decided = {ADJUDICATED: {"adjudicated": gold}, PUBLISHED: {"published": gold}}.get(source, {})
        # Early snapshots left such a pair undecided, as if its empty seats might still be filled.
        left_open = is_early and self.name == ADJUDICATED and "neutral" not in labels
        if left_open and (gold, source) == (None, NONE) and max(self.count(labels)) < self.seats - 1:
            return True
        by_author_alone = (author,) if author is not None else ()
        for given in ((), labels) if labels == by_author_alone else (labels,):
            may_wait = given in ((), by_author_alone) or bool(waiting)
            may_wait |= self.name != OF_ALL and len(given) < self.seats
            for settled in {bool(given) and not waiting, not may_wait}:
                for beside_votes in (False, True):
                    found = self.decide(
                        self.count(given),
                        settled=settled,
                        beside_votes=beside_votes,
                        author=author,
                        left_out=left_out,
                        **decided,
                    )
                    if (found.label, found.source) == (gold, source):
                        return True
        return False


@lru_cache
def rule_of_the_others(rule: Rule, labels: int) -> Rule:
    """Returns the rule for the labels but one: more than half of them decide, as in a question with one seat fewer."""
    return replace(rule, seats=labels - 1, threshold=least_threshold(labels - 1))


def gold_of_the_others(rule: Rule, votes: Sequence[int], label: str) -> str | None:
    """Returns the gold label that the votes but one for `label` give; None where they give none, or are fewer than two."""
    if sum(votes) < FEWEST:
        return None
    return rule_of_the_others(rule, sum(votes)).voted(rule.without(votes, label))


def left_out(rule: Rule, labels: Sequence[str]) -> Iterator[tuple[int, str | None, bool]]:
    """Yields for each label its place, the gold label of the others (None where they have none), and whether they agree.

    Yields nothing for fewer than three labels.
    """
    if len(labels) < FEWEST:
        return
    votes = rule.count(labels)
    for place, label in enumerate(labels):
        gold = gold_of_the_others(rule, votes, label)
        yield place, gold, gold is not None and rule.reads[label] == gold
