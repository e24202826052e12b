"""Seats: one row for one writer at one premise."""

from collections.abc import Sequence

from collection.models import Premise, WritingSeat

# 2**32 divided by the golden ratio. Multiples of it, modulo 2**32, lie as evenly as numbers can.
GOLDEN = 2654435769


def make_seats(*, premises: Sequence[Premise]) -> int:
    """Opens new premises for writing: `writers_per_premise` seats each. Returns how many seats."""
    seats = [
        new_seat(premise, position)
        for premise in premises
        for position in range(1, premise.corpus.writers_per_premise + 1)
    ]
    WritingSeat.objects.bulk_create(seats, batch_size=2000)
    return len(seats)


def new_seat(premise: Premise, position: int, *, is_pilot: bool = False) -> WritingSeat:
    return WritingSeat(
        premise=premise,
        genre_id=premise.genre_id,
        position=position,
        turn=turn_of(premise.pk, position),
        is_pilot=is_pilot,
    )


def turn_of(premise_id: int, position: int) -> int:
    """Where in the order a seat stands: all first seats before all second ones, and shuffled among themselves.

    The premises of an import have ids in a row, and these spread them evenly over the 2**24 turns (Knuth,
    The Art of Computer Programming 3, 6.4). So the turn of the first seat that is free tells how much of its
    genre is written, and whoever takes the lowest turn of all genres fills them evenly, with nothing to count.
    """
    return (position << 24) + (premise_id * GOLDEN % 2**32 >> 8)
