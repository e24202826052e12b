"""What is in a snapshot by genre and partition, as its manifest counts it."""

from collections.abc import Mapping

from django.urls import reverse

from shared.figures import page
from shared.tables import Table, with_values
from snapshots.freezing.partition_table import PartitionTable, contents_chart, partition_table
from snapshots.models import Snapshot
from snapshots.statistics.scope import SNAPSHOT
from validation.questions.lookup import names_in


def contents_of(found: Snapshot, names: Mapping[str, str]) -> tuple[PartitionTable | None, list[Table]]:
    """Returns the table and its chart; nothing until the snapshot is frozen. names: genre -> its name on pages."""
    manifest = found.read_manifest()
    if not manifest:
        return None, []
    table = partition_table({name: counts["genres"] for name, counts in manifest["partitions"].items()})
    return table, with_values([contents_chart(table, names, reverse("snapshot-pairs", args=[found.pk]))])


FIGURES = page(
    "snapshot",
    SNAPSHOT,
    {"contents": "Pairs by genre and partition"},
    lambda snapshot: contents_of(snapshot, names_in(snapshot.corpus)["genre"])[1],
)
