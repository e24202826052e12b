"""Withdraws pairs and closes their empty seats; restores them and opens these seats again."""

from datetime import datetime

from django.db.models import Exists, OuterRef, QuerySet

from collection.models import Exclusion, Pair
from collection.models.withdrawal import AUTHOR_EXCLUDED, PAIR_GONE
from shared.portions import portions
from validation.models import Label

PORTION = 5000


def lock(*parts: QuerySet[Label]) -> list[Label]:
    """Locks labels in the order of their ids, as submissions do: another order could deadlock with them.

    Pass all labels that the transaction will write in one call, since two calls would break the order. It uses a
    union, since a condition with OR would read the whole table.
    """
    keys = [part.order_by().values("pk") for part in parts]
    rows = Label.objects.filter(pk__in=keys[0].union(*keys[1:]))
    return list(rows.select_for_update(of=("self",)).order_by("pk"))


def empty_seats(pairs: QuerySet[Pair]) -> QuerySet[Label]:
    """Returns the seats that `withdraw_pairs` closes; the caller locks them first."""
    return Label.objects.seats().filter(pair__in=pairs.values("pk"), label=None)


def closed_seats(pairs: QuerySet[Pair]) -> QuerySet[Label]:
    """Returns the seats that `restore_pairs` may open; the caller locks them first."""
    return Label.objects.filter(pair__in=pairs.values("pk"), label=None, withdrawn_because=PAIR_GONE)


def withdraw_pairs(
    *, pairs: QuerySet[Pair], because: str, at: datetime, exclusion: Exclusion | None = None
) -> int:
    """Withdraws pairs and closes their empty seats, in the transaction of the caller. Returns the number of pairs.

    `because` is one of collection.models.withdrawal. Labels stay as they are. A batch with such a pair can still be
    submitted; the label becomes surplus, and is paid.
    """
    close_empty_seats(pairs=pairs, at=at)
    standing = Pair.objects.standing().filter(pk__in=pairs.values("pk"))
    return standing.update(withdrawn_at=at, withdrawn_because=because, exclusion=exclusion)


def close_empty_seats(*, pairs: QuerySet[Pair], at: datetime) -> None:
    """Closes the seats of withdrawn pairs that nobody filled, in the transaction of the caller."""
    seats = [row.pk for row in lock(empty_seats(pairs))]
    for part in portions(seats, PORTION):
        Label.objects.filter(pk__in=part, label=None).update(withdrawn_at=at, withdrawn_because=PAIR_GONE)


def restore_pairs(*, pairs: QuerySet[Pair]) -> int:
    """Restores withdrawn pairs, in the transaction of the caller, and opens closed seats whose position is free.

    Pairs of an author who is excluded together with what they wrote now belong to that exclusion and stay withdrawn.
    Returns the number of the restored.
    """
    keys = _without_retracted(list(pairs.values_list("pk", flat=True)))
    restored = Pair.objects.filter(pk__in=keys, withdrawn_at__isnull=False).update(
        withdrawn_at=None, withdrawn_because="", exclusion=None, vetting=None
    )
    same_place = Label.objects.seats().filter(
        question=OuterRef("question"),
        pair=OuterRef("pair"),
        sentence=OuterRef("sentence"),
        position=OuterRef("position"),
    )
    free = closed_seats(Pair.objects.filter(pk__in=keys)).filter(~Exists(same_place)).order_by("pk")
    one_a_place = {(row.question_id, row.pair_id, row.sentence, row.position): row.pk for row in free}
    Label.objects.filter(pk__in=one_a_place.values()).update(
        withdrawn_at=None, withdrawn_because="", annotator=None, leased_until=None
    )
    return restored


def _without_retracted(keys: list[int]) -> list[int]:
    """Hands withdrawn pairs over to the standing exclusions that retract them. Returns the keys of the others."""
    gone = Pair.objects.filter(pk__in=keys, withdrawn_at__isnull=False)
    theirs = gone.filter(author=OuterRef("annotator"), corpus=OuterRef("corpus"))
    retracted: set[int] = set()
    for exclusion in Exclusion.objects.standing().filter(Exists(theirs), retracts_pairs=True).order_by("pk"):
        mine = gone.filter(author=exclusion.annotator_id, corpus=exclusion.corpus_id)
        retracted.update(mine.values_list("pk", flat=True))
        mine.update(vetting=None, withdrawn_because=AUTHOR_EXCLUDED, exclusion=exclusion)
    return [key for key in keys if key not in retracted]
