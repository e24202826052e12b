"""Makes the seats of writers: a row for each writer of a premise."""

from collections.abc import Sequence

from collection.models import Premise, WritingSeat

# 2**32 divided by the golden ratio. Multiples of it, modulo 2**32, lie as evenly as numbers can.
GOLDEN = 2654435769


def make_seats(*, premises: Sequence[Premise]) -> int:
    """Makes `writers_per_premise` seats for each premise. Returns how many seats."""
    seats = [
        new_seat(premise, position)
        for premise in premises
        for position in range(1, premise.corpus.writers_per_premise + 1)
    ]
    WritingSeat.objects.bulk_create(seats, batch_size=2000)
    return len(seats)


def new_seat(
    premise: Premise, position: int, *, is_pilot: bool = False, may_enter_train: bool = False
) -> WritingSeat:
    return WritingSeat(
        premise=premise,
        genre_id=premise.genre_id,
        position=position,
        turn=turn_of(premise.pk, position),
        is_pilot=is_pilot,
        may_enter_train=may_enter_train,
    )


def turn_of(premise_id: int, position: int) -> int:
    """Returns the place of a seat in the order of claims: all first seats before all second ones, each shuffled.

    Ids of premises follow each other; the multiplication spreads them evenly over 2**24 turns (Knuth, The Art of
    Computer Programming 3, 6.4). So the turn of the first free seat measures how much of a genre is written.
    Claiming the lowest turn of all genres fills them evenly, without counting.
    """
    return (position << 24) + (premise_id * GOLDEN % 2**32 >> 8)
