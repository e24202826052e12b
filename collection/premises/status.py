"""Opens, pauses and drops premises."""

from django.db.models import QuerySet

from collection.errors import NotPossible
from collection.models import Premise

LONGEST_REASON = 300


def set_premise_status(*, premises: QuerySet[Premise], status: str) -> int:
    """Opens or pauses premises for writers; returns how many changed. Dropped ones stay dropped."""
    return premises.exclude(status__in=[status, Premise.Status.DROPPED]).update(status=status)


def drop_premises(*, premises: QuerySet[Premise], reason: str) -> int:
    """Shows premises to no writer any more; returns how many changed. Pairs that were written stay.

    Who has one at this moment may finish it. Raises NotPossible without a reason.
    """
    reason = " ".join(reason.split())
    if not reason:
        raise NotPossible("Say why: whoever looks at a dropped premise later wants to know.")
    if len(reason) > LONGEST_REASON:
        raise NotPossible(
            f"The reason is {len(reason)} characters long; at most {LONGEST_REASON} can be kept."
        )
    dropped = Premise.Status.DROPPED
    return premises.exclude(status=dropped).update(status=dropped, dropped_because=reason)


def take_premises_back(*, premises: QuerySet[Premise]) -> int:
    """Opens premises again that somebody dropped; returns how many."""
    return premises.filter(status=Premise.Status.DROPPED).update(
        status=Premise.Status.OPEN, dropped_because=""
    )
