"""Opens, pauses and drops premises."""

from django.db.models import QuerySet

from collection.errors import NotPossible
from collection.models import Premise

LONGEST_REASON = 300


def pause_premises(*, premises: QuerySet[Premise]) -> int:
    """Pauses open premises, so that no writer can claim them. Returns how many."""
    return premises.filter(status=Premise.Status.OPEN).update(status=Premise.Status.PAUSED)


def drop_premises(*, premises: QuerySet[Premise], reason: str) -> int:
    """Drops premises, so that no writer can claim them. Returns how many changed. Pairs stay.

    A writer who has claimed one already may finish it. Raises NotPossible without a reason.
    """
    reason = " ".join(reason.split())
    if not reason:
        raise NotPossible("Type a reason. It is shown with the dropped premises.")
    if len(reason) > LONGEST_REASON:
        raise NotPossible(f"The reason is {len(reason)} characters long; shorten it to {LONGEST_REASON}.")
    dropped = Premise.Status.DROPPED
    return premises.exclude(status=dropped).update(status=dropped, dropped_because=reason)


def open_premises(*, premises: QuerySet[Premise]) -> int:
    """Opens paused and dropped premises again. Returns how many."""
    return premises.exclude(status=Premise.Status.OPEN).update(status=Premise.Status.OPEN, dropped_because="")
