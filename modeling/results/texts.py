"""Reads the texts and labels of the few pairs that a page shows."""

from collections.abc import Collection

from snapshots.models import Snapshot, SnapshotPair


def frozen_pairs(snapshot: Snapshot, names: Collection[str]) -> dict[str, SnapshotPair]:
    """Returns the rows of pairs of a snapshot by their ids, with texts and labels. Two queries."""
    found = SnapshotPair.objects.filter(snapshot=snapshot, pair__public_id__in=names)
    rows = found.select_related("pair__premise").prefetch_related("labels")
    return {row.pair.public_id: row for row in rows}


def labels_of(row: SnapshotPair | None) -> list[str]:
    """Returns the labels that decided the gold label, in the order of their positions."""
    if row is None:
        return []
    return [one.label for one in sorted(row.labels.all(), key=lambda one: one.position)]
