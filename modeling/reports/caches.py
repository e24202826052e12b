"""Deletes cached results of snapshots that are gone, and of earlier ways of computing them."""

from modeling.results import pair_values
from nli.run_files import TAGGED, TAGGED_EDITION
from snapshots.files.caches import remove_outdated
from snapshots.models import Snapshot, SnapshotFile
from snapshots.statistics import tags

EDITIONS = {"pair_values": pair_values.EDITION, "tags": tags.EDITION, TAGGED: TAGGED_EDITION}


def sweep_caches() -> int:
    """Deletes files of this machine's cache that nobody will read again. Returns how many."""
    snapshots = set(Snapshot.objects.values_list("sha256", flat=True))
    files = set(SnapshotFile.objects.values_list("sha256", flat=True))
    return remove_outdated("snapshots", files) + sum(
        remove_outdated(kind, snapshots, edition) for kind, edition in EDITIONS.items()
    )
