"""Pairs that count no longer, and their empty seats: closed with them, opened again when they come back."""

from collections.abc import Collection
from datetime import datetime

from django.db.models import Exists, OuterRef

from collection.models import Pair
from validation.models import Label

PAIR_GONE = "its pair was withdrawn"


def withdraw_pairs(*, pairs: Collection[int], because: str, at: datetime) -> int:
    """Withdraws pairs and closes their empty seats, in the transaction of the caller. Returns how many pairs.

    What was labelled stays as it is. Who has such a pair in hand can still send: it is kept as surplus and paid.
    """
    withdrawn = (
        Pair.objects.standing().filter(pk__in=pairs).update(withdrawn_at=at, withdrawn_because=because[:200])
    )
    seats = Label.objects.seats().filter(pair__in=pairs, label=None)
    seats.update(withdrawn_at=at, withdrawn_because=PAIR_GONE)
    return withdrawn


def restore_pairs(*, pairs: Collection[int]) -> int:
    """Takes a withdrawal back, in the transaction of the caller: closed seats open where their place is free."""
    restored = Pair.objects.filter(pk__in=pairs, withdrawn_at__isnull=False).update(
        withdrawn_at=None, withdrawn_because=""
    )
    same_place = Label.objects.seats().filter(
        question=OuterRef("question"),
        pair=OuterRef("pair"),
        sentence=OuterRef("sentence"),
        position=OuterRef("position"),
    )
    closed = Label.objects.filter(pair__in=pairs, label=None, withdrawn_because=PAIR_GONE)
    free = closed.filter(~Exists(same_place)).order_by("pk")
    one_a_place = {(row.question_id, row.pair_id, row.sentence, row.position): row.pk for row in free}
    Label.objects.filter(pk__in=one_a_place.values()).update(
        withdrawn_at=None, withdrawn_because="", annotator=None, leased_until=None
    )
    return restored
