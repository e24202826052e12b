"""Whom and what a command names on its command line: a frozen snapshot, a researcher."""

from django.core.management.base import CommandError

from accounts.models import User
from snapshots.models import Snapshot


def frozen_snapshot(name: str) -> Snapshot:
    """The frozen snapshot cited as CORPUS@VERSION. Raises CommandError with the newest ones that there are."""
    snapshot = Snapshot.objects.frozen().named(name).first()
    if snapshot is None:
        known = ", ".join(map(str, Snapshot.objects.frozen().newest_first()[:20])) or "none yet"
        raise CommandError(f"There is no frozen snapshot {name!r}. Newest ones: {known}.")
    return snapshot


def researcher(username: str) -> User:
    """The researcher who is held to have done it. Raises CommandError."""
    user = User.objects.filter(username=username, is_active=True).first()
    if user is None or not user.is_researcher:
        raise CommandError(
            f"There is no researcher {username!r}. Name who decides this, with --by and a researcher's user name."
        )
    return user
