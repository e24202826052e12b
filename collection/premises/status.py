"""Opens, pauses and drops premises."""

from django.db.models import QuerySet

from collection.errors import NotPossible
from collection.models import Premise

LONGEST_REASON = 300


def set_premise_status(*, premises: QuerySet[Premise], status: str) -> int:
    """Opens or pauses premises. Returns how many changed. Dropped ones stay dropped."""
    return premises.exclude(status__in=[status, Premise.Status.DROPPED]).update(status=status)


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


def take_premises_back(*, premises: QuerySet[Premise]) -> int:
    """Reopens dropped premises. Returns how many."""
    return premises.filter(status=Premise.Status.DROPPED).update(
        status=Premise.Status.OPEN, dropped_because=""
    )
