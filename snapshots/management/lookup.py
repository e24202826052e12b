"""Look up the snapshot that a command names."""

from django.core.management.base import CommandError

from snapshots.models import Snapshot


def frozen_snapshot(name: str) -> Snapshot:
    """Return the frozen snapshot CORPUS@VERSION. Raises CommandError that lists the newest snapshots."""
    snapshot = Snapshot.objects.frozen().named(name).first()
    if snapshot is None:
        known = ", ".join(map(str, Snapshot.objects.frozen().newest_first()[:20])) or "none yet"
        raise CommandError(f"There is no frozen snapshot {name!r}. The newest ones: {known}.")
    return snapshot
