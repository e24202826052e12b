"""The figure of a sample of the pairs that changed since the snapshot before, with what they were and are."""

from collections.abc import Iterator
from hashlib import sha256

from django.urls import reverse

from nli.labels import NO_GOLD
from shared.figures import Figure
from shared.tables import Column, Row, Table
from snapshots.browsing.changes import CHANGES, GONE, PARTITION, before, changed
from snapshots.models import Snapshot, SnapshotPair
from snapshots.statistics.scope import SNAPSHOT
from validation.questions.lookup import names_in

SAMPLED = 10  # pairs of a kind of change
MOST_DRAWN_FROM = 10_000
NOWHERE = "not there"


def _rows(snapshot: Snapshot) -> Iterator[Row]:
    old = before(snapshot)
    if old is None:
        return
    words = names_in(snapshot.corpus)["label"]

    def said(row: SnapshotPair | None, name: str) -> str:
        if row is None:
            return NOWHERE
        if name == PARTITION:
            return row.partition
        return words.get(row.gold_label or "", row.gold_label or NO_GOLD)

    for name, (kind, _) in CHANGES.items():
        keys = changed(old, snapshot, name).order_by("pk").values_list("pk", flat=True)[:MOST_DRAWN_FROM]
        drawn = sorted(keys, key=lambda pk: sha256(str(pk).encode()).digest())[:SAMPLED]
        listed = SnapshotPair.objects.filter(pk__in=drawn).select_related("pair").order_by("pk")
        other = snapshot if name == GONE else old
        others = {
            row.pair_id: row
            for row in SnapshotPair.objects.filter(snapshot=other, pair__in=[row.pair_id for row in listed])
        }
        for row in listed:
            beside = others.get(row.pair_id)
            then, now = (row, beside) if name == GONE else (beside, row)
            yield {
                "change": kind,
                "id": row.pair.public_id,
                "hypothesis": row.pair.hypothesis,
                "then": said(then, name),
                "now": said(now, name),
                "hrefs": {"id": reverse("pair", args=[snapshot.corpus.slug, row.pair.public_id])},
            }


def _found(table: Table) -> str:
    number = len(table.rows)
    return f"{number:,} of the pairs that changed since the snapshot before, as drawn."


CHANGED = Figure(
    "changed-pairs",
    "A sample of the pairs that changed since the snapshot before",
    SNAPSHOT,
    _rows,
    (
        Column("change"),
        Column("id"),
        Column("hypothesis"),
        Column("then", "before", definition="The gold label, or the partition where that changed."),
        Column("now", "now"),
    ),
    finding=_found,
    notes=(
        f"Up to {SAMPLED} pairs of each kind of change, drawn from the first {MOST_DRAWN_FROM:,} by their keys.",
    ),
    only_with_rows=True,
)
FIGURES = (CHANGED,)
