"""Which premises go to train, dev and test. Pure: no database, the same input gives the same plan.

Premises are placed by group (an image, a document, a verb class: whatever the corpus names), so that no
group stands in two partitions. Groups are drawn in the order of sha256(seed, group). What was placed
before, and what was published in a partition, stays where it is; the seed decides for the rest alone.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

TRAIN, DEV, TEST = "train", "dev", "test"
PARTITIONS = (TRAIN, DEV, TEST)
AWAITING_LABELS = "awaiting labels"
NOT_IN_TRAINING = "genre not in training"
WROTE_TEST = "its author wrote test pairs"
Counts = dict[str, dict[str, int]]


@dataclass(frozen=True, slots=True)
class Row:
    """`pairs` pairs of one group and genre that share these facts. With 0 pairs it only ties its group.

    `published` is the partition that they came with; `placed` the one where their premise was put
    before; `held_out` says that it was held out of a published train; `validated` that every seat of
    the main question is filled; `author` is who wrote them (a key of the caller's), where that matters.
    """

    group: str
    genre: str
    pairs: int
    published: str | None = None
    placed: str | None = None
    held_out: bool = False
    validated: bool = False
    author: int | None = None

    @property
    def fixed(self) -> str | None:
        """Where these pairs stand already, whoever decided it; None: nobody has."""
        if self.held_out and self.published == TRAIN:
            return DEV
        return self.published or self.placed


@dataclass(frozen=True, slots=True)
class Shortage:
    """A partition that did not get the number of pairs asked for in a genre (or got more: whole groups)."""

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
    """Where each group goes that has a premise without a place, and the numbers that follow.

    `test_authors` wrote pairs of test and may write none of train; empty unless that was asked for.
    `published_by_test_authors` counts the pairs that a published train has of them all the same.
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


def turn(seed: int, group: str) -> tuple[str, str]:
    """The key by which groups are drawn: a hash, so that neither age nor name decides."""
    return hashlib.sha256(f"{seed}\n{group}".encode()).hexdigest(), group


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

    A group that stands somewhere already takes its new premises along (into train, if it stands in
    several partitions: published files do that). A free group may enter dev or test only when all its
    pairs are validated; each goes where the share of pairs still missing is larger, as long as it brings
    the numbers by genre nearer to those asked for. The rest is train. Pairs of genres in
    `outside_training` never enter train, and pairs without all their labels never dev or test (unless
    published there): they are left out and counted.

    `author_disjoint`: nobody who wrote a pair of test has one in train (as Geva et al. 2019 advise). Groups are then
    drawn author by author, so that few people fill dev and test, and what those of test wrote for
    train is left out and counted. Published partitions stay as they are.
    """
    groups: defaultdict[str, list[Row]] = defaultdict(list)
    for row in rows:
        groups[row.group].append(row)
    draw = _Draw(
        {DEV: dev_per_genre, TEST: test_per_genre}, {row.genre for rows in groups.values() for row in rows}
    )
    result = Plan()
    free: list[str] = []
    for name, members in groups.items():
        anchors = {row.fixed for row in members if row.fixed}
        if anchors:
            result.partition_of[name] = next(part for part in PARTITIONS if part in anchors)
            draw.count(result.partition_of[name], members)
        elif all(row.validated for row in members):
            free.append(name)
        else:
            result.partition_of[name] = TRAIN
    if author_disjoint:
        turns = {name: (_author_turn(seed, groups[name]), turn(seed, name)) for name in free}
        free.sort(key=turns.__getitem__)
    else:
        free.sort(key=lambda group: turn(seed, group))
    for name in free:
        result.partition_of[name] = draw.place(groups[name])
    if author_disjoint:
        _keep_authors_apart(result, groups)
    _tell(result, groups, set(outside_training))
    result.shortages = draw.shortages()
    return result


def _author_turn(seed: int, rows: list[Row]) -> tuple[str, str]:
    """The turn of the first of a group's authors; pairs without an author come as one."""
    return min(turn(seed, f"author {row.author or ''}") for row in rows)


def _keep_authors_apart(result: Plan, groups: Mapping[str, list[Row]]) -> None:
    """Finds who wrote pairs of test, and how many of theirs stand in a published train."""
    for name, rows in groups.items():
        for row in rows:
            if row.author and row.pairs and destination(row, result.partition_of[name], ())[0] == TEST:
                result.test_authors.add(row.author)
    result.published_by_test_authors = sum(
        row.pairs
        for rows in groups.values()
        for row in rows
        if row.published and row.fixed == TRAIN and row.author in result.test_authors
    )


def hold_out(premises: Mapping[str, int], *, count: int, seed: int) -> set[str]:
    """Groups (name -> number of premises) whose premises make `count` together, or as near below as comes."""
    chosen: set[str] = set()
    for group in sorted(premises, key=lambda name: turn(seed, name)):
        if premises[group] <= count:
            chosen.add(group)
            count -= premises[group]
    return chosen


def destination(
    row: Row, group_partition: str, outside_training: Collection[str], test_authors: Collection[int] = ()
) -> tuple[str | None, str]:
    """The partition of a row's pairs, or None and why they are left out."""
    if row.published:
        return row.fixed, ""
    partition = row.placed or group_partition
    if partition == TRAIN:
        if row.genre in outside_training:
            return None, NOT_IN_TRAINING
        return (None, WROTE_TEST) if row.author in test_authors else (TRAIN, "")
    return (partition, "") if row.validated else (None, AWAITING_LABELS)


class _Draw:
    """Fills dev and test by genre."""

    def __init__(self, targets: Mapping[str, int], genres: Collection[str]) -> None:
        self.targets = {part: target for part, target in targets.items() if target}
        self.genres = sorted(genres)
        self.have: dict[str, Counter[str]] = {DEV: Counter(), TEST: Counter()}

    def count(self, partition: str, rows: Iterable[Row]) -> None:
        """Adds the pairs of a group that stands in `partition`; published pairs count where they are."""
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
        """By how many pairs the group brings `partition` nearer; None: it leads away, or it is full."""
        target, have = self.targets[partition], self.have[partition]
        if all(have[genre] >= target for genre in sizes):
            return None
        gain = sum(abs(target - have[g]) - abs(target - have[g] - size) for g, size in sizes.items())
        return gain if gain >= 0 else None

    def _share(self, partition: str, sizes: Mapping[str, int]) -> float:
        """How full `partition` is in the group's genres, so that a shortage falls on dev and test alike."""
        return sum(self.have[partition][genre] for genre in sizes) / self.targets[partition]

    def shortages(self) -> list[Shortage]:
        return [
            Shortage(part, genre, target, self.have[part][genre])
            for part, target in self.targets.items()
            for genre in self.genres
            if self.have[part][genre] != target
        ]


def _tell(result: Plan, groups: Mapping[str, list[Row]], outside_training: Collection[str]) -> None:
    """Counts what goes where and what is left out."""
    pairs: dict[str, Counter[str]] = {name: Counter() for name in PARTITIONS}
    left_out: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for name, rows in groups.items():
        for row in rows:
            place, why = destination(row, result.partition_of[name], outside_training, result.test_authors)
            (pairs[place] if place else left_out[why])[row.genre] += row.pairs
    result.pairs = {part: _sorted(counts) for part, counts in pairs.items()}
    result.left_out = {why: _sorted(counts) for why, counts in sorted(left_out.items()) if counts.total()}


def _sorted(counts: Counter[str]) -> dict[str, int]:
    return {genre: counts[genre] for genre in sorted(counts) if counts[genre]}
