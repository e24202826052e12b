"""Decide which premises go to train, dev and test. No database: the same input gives the same plan.

Premises are placed by group (an image, a document, a verb class: whatever the corpus names), so that no group is in two
partitions. Groups are drawn in the order of sha256(seed, group). Premises that were placed before, or published in a
partition, stay there; the seed decides for the others only.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from nli.lines import PARTITIONS
from snapshots.freezing.premise_groups import Groups, Row

TRAIN, DEV, TEST = PARTITIONS
AWAITING_LABELS = "awaiting labels"
NOT_IN_TRAINING = "genre not in training"
WROTE_TEST = "its author wrote test pairs"
Counts = dict[str, dict[str, int]]


@dataclass(frozen=True, slots=True)
class Shortage:
    """A partition with fewer or more pairs of a genre than requested, because groups stay whole."""

    partition: str
    genre: str
    wanted: int
    placed: int

    def __str__(self) -> str:
        if self.placed < self.wanted:
            return (
                f"{self.partition}, {self.genre}: {self.placed} of {self.wanted} pairs; "
                "no other whole group has all its labels and comes nearer"
            )
        return (
            f"{self.partition}, {self.genre}: {self.placed} pairs instead of {self.wanted}; groups stay whole"
        )


@dataclass
class Plan:
    """The partition of each group, and the resulting counts.

    partition_of: the groups of dev and test; all others are in train.
    test_authors: the authors of test, whose pairs are left out of train; empty unless that was requested.
    published_by_test_authors: the number of their pairs in a published train, which stay there.
    """

    partition_of: dict[str, str] = field(default_factory=dict)
    pairs: Counts = field(default_factory=lambda: {name: {} for name in PARTITIONS})
    left_out: Counts = field(default_factory=dict)
    shortages: list[Shortage] = field(default_factory=list)
    test_authors: set[int] = field(default_factory=set)
    published_by_test_authors: int = 0

    @property
    def total(self) -> int:
        return sum(sum(genres.values()) for genres in self.pairs.values())

    def place_of(self, group: str) -> str:
        return self.partition_of.get(group, TRAIN)

    def put(self, group: str, partition: str) -> None:
        if partition != TRAIN:
            self.partition_of[group] = partition


def plan(
    rows: Iterable[Row],
    *,
    seed: int,
    dev_per_genre: int,
    test_per_genre: int,
    outside_training: Collection[str] = (),
    author_disjoint: bool = False,
) -> Plan:
    """Places every group once.

    New premises of a group that already has a partition go there too (to train, if a published corpus has the group
    in several partitions). A group without a partition may enter dev or test only if all its pairs are validated.
    It goes to whichever lacks the larger share of its pairs, as long as that brings the numbers by genre nearer to
    the requested ones; otherwise it goes to train. Pairs of genres in `outside_training` never enter train, and
    pairs without all their labels never enter dev or test (unless published there): they are left out and counted.

    author_disjoint: no author of test has pairs in train (as Geva et al. 2019 advise). Groups are then drawn author by
    author, so that few authors fill dev and test; their pairs in train are left out and counted. Published partitions
    stay as they are.
    """
    result = Plan()
    with Groups(rows, seed, by_author=author_disjoint) as groups:
        draw = _Draw({DEV: dev_per_genre, TEST: test_per_genre}, groups.genres())
        for name, members in groups:
            if anchor := _anchor(members):
                result.put(name, anchor)
                draw.count(anchor, members)
        for name, members in groups:
            if not _anchor(members) and all(row.validated for row in members):
                result.put(name, draw.place(members))
        if author_disjoint:
            _keep_authors_apart(result, groups)
        _count(result, groups, set(outside_training))
    result.shortages = draw.shortages()
    return result


def standing(row: Row) -> str | None:
    """Returns the partition that a row's pairs already have; None if they have none."""
    return row.published or row.placed


def _anchor(rows: Iterable[Row]) -> str | None:
    """Returns the partition that a group already has, the first if there are several."""
    places = {standing(row) for row in rows}
    return next((part for part in PARTITIONS if part in places), None)


def _keep_authors_apart(result: Plan, groups: Groups) -> None:
    """Finds the authors of test, and counts their pairs in a published train."""
    for name, rows in groups:
        for row in rows:
            if row.author and row.pairs and destination(row, result.place_of(name), ())[0] == TEST:
                result.test_authors.add(row.author)
    result.published_by_test_authors = sum(
        row.pairs
        for _, rows in groups
        for row in rows
        if row.published and standing(row) == TRAIN and row.author in result.test_authors
    )


def hold_out(premises: Iterable[tuple[str, int]], *, count: int, seed: int) -> set[str]:
    """Chooses groups, given as (name, number of premises), that together have `count` premises or slightly fewer."""
    chosen: set[str] = set()
    with Groups((Row(name, "", number) for name, number in premises), seed) as groups:
        for name, rows in groups:
            if rows[0].pairs <= count:
                chosen.add(name)
                count -= rows[0].pairs
    return chosen


def destination(
    row: Row, group_partition: str, outside_training: Collection[str], test_authors: Collection[int] = ()
) -> tuple[str | None, str]:
    """Returns the partition of a row's pairs, or None and the reason why they are left out."""
    if row.published:
        return standing(row), ""
    partition = row.placed or group_partition
    if partition == TRAIN:
        if row.genre in outside_training:
            return None, NOT_IN_TRAINING
        return (None, WROTE_TEST) if row.author in test_authors else (TRAIN, "")
    return (partition, "") if row.validated else (None, AWAITING_LABELS)


class _Draw:
    """Fill dev and test by genre."""

    def __init__(self, targets: Mapping[str, int], genres: Collection[str]) -> None:
        self.targets = {part: target for part, target in targets.items() if target}
        self.genres = sorted(genres)
        self.have: dict[str, Counter[str]] = {DEV: Counter(), TEST: Counter()}

    def count(self, partition: str, rows: Iterable[Row]) -> None:
        """Counts the pairs of a group that already has a `partition`; published pairs count in their own."""
        for row in rows:
            place, _ = destination(row, partition, ())
            if place in self.have:
                self.have[place][row.genre] += row.pairs

    def place(self, rows: list[Row]) -> str:
        sizes = Counter[str]()
        for row in rows:
            sizes[row.genre] += row.pairs
        gains = {part: self._gain(part, sizes) for part in self.targets}
        useful = [part for part, gain in gains.items() if gain is not None]
        if not useful:
            return TRAIN
        best = min(useful, key=lambda part: (self._share(part, sizes), PARTITIONS.index(part)))
        self.have[best].update(sizes)
        return best

    def _gain(self, partition: str, sizes: Mapping[str, int]) -> int | None:
        """Returns by how many pairs the group brings `partition` nearer to its target; None if it does not."""
        target, have = self.targets[partition], self.have[partition]
        if all(have[genre] >= target for genre in sizes):
            return None
        gain = sum(abs(target - have[g]) - abs(target - have[g] - size) for g, size in sizes.items())
        return gain if gain >= 0 else None

    def _share(self, partition: str, sizes: Mapping[str, int]) -> float:
        """Returns the filled share of `partition` in the group's genres, to balance shortages of dev and test."""
        return sum(self.have[partition][genre] for genre in sizes) / self.targets[partition]

    def shortages(self) -> list[Shortage]:
        return [
            Shortage(part, genre, target, self.have[part][genre])
            for part, target in self.targets.items()
            for genre in self.genres
            if self.have[part][genre] != target
        ]


def _count(result: Plan, groups: Groups, outside_training: Collection[str]) -> None:
    """Counts the pairs of each partition and those that are left out."""
    pairs: dict[str, Counter[str]] = {name: Counter() for name in PARTITIONS}
    left_out: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for name, rows in groups:
        for row in rows:
            place, why = destination(row, result.place_of(name), outside_training, result.test_authors)
            (pairs[place] if place else left_out[why])[row.genre] += row.pairs
    result.pairs = {part: _sorted(counts) for part, counts in pairs.items()}
    result.left_out = {why: _sorted(counts) for why, counts in sorted(left_out.items()) if counts.total()}


def _sorted(counts: Counter[str]) -> dict[str, int]:
    return {genre: counts[genre] for genre in sorted(counts) if counts[genre]}
