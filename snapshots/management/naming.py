"""What a command names on its command line: a frozen snapshot."""

from django.core.management.base import CommandError

from snapshots.models import Snapshot


def frozen_snapshot(name: str) -> Snapshot:
    """The frozen snapshot cited as CORPUS@VERSION. Raises CommandError with the newest ones that there are."""
    snapshot = Snapshot.objects.frozen().named(name).first()
    if snapshot is None:
        known = ", ".join(map(str, Snapshot.objects.frozen().newest_first()[:20])) or "none yet"
        raise CommandError(f"There is no frozen snapshot {name!r}. Newest ones: {known}.")
    return snapshot
