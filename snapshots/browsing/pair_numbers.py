"""Counts the pairs of a snapshot by the values of the filters of its list, and draws the histograms whose bars filter it."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q, QuerySet
from django.urls import reverse
from django.utils.http import urlencode

from nli.labels import NO_GOLD, SCHEMES
from shared.facets import CLASSES, agreement_of, counted, histograms, length_class
from shared.figures import page
from shared.tables import Table
from snapshots.models import Snapshot, SnapshotPair
from snapshots.statistics.scope import SNAPSHOT

MOST_AT_ONCE = 3_000  # pairs that are counted during the request for the page
ROWS_AT_ONCE = 5_000
# (snapshot, hash) -> its groups, in the memory of this process: a frozen snapshot never changes.
_COUNTED: dict[tuple[int, str], list["Group"]] = {}
MOST_SNAPSHOTS = 50


@dataclass(frozen=True)
class Group:
    """Pairs that are the same in all that is counted.

    label, "-": no gold label. votes: whether the labels in the file, however few, are the same, different, or none.
    length: the class of the hypothesis's length. agreement: that of the labels; 0 without any.
    """

    partition: str
    genre: str
    label: str
    source: str
    votes: str
    length: int
    agreement: int
    number: int


def votes_by_label(scheme: str, path: str) -> dict[str, Count]:
    """Returns how many labels at the end of `path` are the first, the second, ... of the scheme."""
    return {f"votes_{k}": Count(path, filter=Q(**{path: label})) for k, label in enumerate(SCHEMES[scheme])}


def groups_of(rows: QuerySet[SnapshotPair], scheme: str) -> list[Group]:
    """Counts these rows, in one query."""
    numbers: Counter[tuple[str, str, str, str, str, int, int]] = Counter()
    given = votes_by_label(scheme, "labels__label")
    columns = ("partition", "pair__premise__genre__slug", "gold_label", "gold_source", "length", *given)
    found = rows.order_by().annotate(length=length_class("pair__hypothesis"), **given)
    for partition, genre, label, source, length, *votes in found.values_list(*columns).iterator(ROWS_AT_ONCE):
        most, of = max(votes), sum(votes)
        how = "none" if not of else "same" if most == of else "different"
        numbers[partition, genre, label or NO_GOLD, source, how, length, agreement_of(most, of)] += 1
    return [Group(*key, number) for key, number in sorted(numbers.items())]


def is_counted(snapshot: Snapshot) -> bool:
    """Returns whether a page may count the whole snapshot, or finds the numbers in memory."""
    return snapshot.pair_count <= MOST_AT_ONCE or (snapshot.pk, snapshot.sha256) in _COUNTED


def groups_in(snapshot: Snapshot) -> list[Group]:
    """Returns the groups of a whole snapshot. Those of a large one stay in memory."""
    rows = SnapshotPair.objects.filter(snapshot=snapshot)
    if snapshot.pair_count <= MOST_AT_ONCE:
        return groups_of(rows, snapshot.corpus.scheme)
    key = (snapshot.pk, snapshot.sha256)
    if key not in _COUNTED:
        if len(_COUNTED) >= MOST_SNAPSHOTS:
            _COUNTED.clear()
        _COUNTED[key] = groups_of(rows, snapshot.corpus.scheme)
    return _COUNTED[key]


def charts_of_pairs(snapshot: Snapshot) -> list[Table]:
    """Returns the charts of a whole snapshot."""
    numbers, _ = counted(groups_in(snapshot), dict.fromkeys(CLASSES, ""), {})
    return histograms(numbers, 0, 0, 0, lambda values: address_of_pairs(snapshot, values))


def address_of_pairs(snapshot: Snapshot, values: Mapping[str, Any]) -> str:
    """Returns the address of the list under these filters; an empty one is left out."""
    chosen = urlencode({name: value for name, value in values.items() if value})
    return f"{reverse('snapshot-pairs', args=[snapshot.pk])}?{chosen}"


FIGURES = page(
    "snapshot-pairs",
    SNAPSHOT,
    {"length": "Lengths of hypotheses", "agreement": "Agreement of pairs"},
    charts_of_pairs,
)
