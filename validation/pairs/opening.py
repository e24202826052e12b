"""Opening pairs for validation: their seats, and the order in which these are handed out."""

from collections.abc import Iterable, Iterator
from typing import Any

from django.db.models import Count, Max, QuerySet

from collection.models import Pair
from collection.models.querysets import PairQuerySet
from shared.transactions import one_transaction
from validation.errors import TooManyLabels
from validation.gold.queries import split_pairs
from validation.models import Label, Question
from validation.pairs.random_order import in_drawn_order

# Pairs are shuffled in blocks; in a block all second labels come before all thirds, so that pairs
# complete early and yet nobody meets one pair's seats in a row.
BLOCK = 100


def unopened_pairs(question: Question) -> PairQuerySet:
    """Pairs of the corpus that nobody has been asked about yet under this question."""
    return Pair.objects.standing().filter(corpus=question.corpus_id).exclude(labels__question=question)


def open_for_validation(
    *,
    question: Question,
    pairs: PairQuerySet,
    seed: int = 0,
    number: int | None = None,
    number_a_genre: int | None = None,
    share_a_genre: float | None = None,
) -> int:
    """Makes the seats of pairs that have none yet under this question. Returns how many pairs were opened.

    Which ones, drawn by `seed`: `number` of them; `number_a_genre` of each genre; `share_a_genre` (0 to 1) of
    all of each genre, those that were opened before counted in; or all.

    Position 1 is the author's label, copied here for good; the others are empty seats with their turns.
    Doing it again for the same pairs opens nothing. Works in portions of about a hundred pairs, each its
    own transaction; of all others no more than the id is in memory.
    """
    keys = _drawn(question, pairs.standing(), seed, number, number_a_genre, share_a_genre)
    turn = _next_turn(question)
    opened = 0
    for block in _portions(keys, BLOCK):
        new, seats = _open_block(question, block, turn)
        opened, turn = opened + new, turn + seats
    return opened


def _drawn(
    question: Question,
    pairs: PairQuerySet,
    seed: int,
    number: int | None,
    number_a_genre: int | None,
    share: float | None,
) -> list[int]:
    """Ids of unopened pairs in the order that the seed gives them. The database draws: only these ids are loaded."""
    unopened = in_drawn_order(pairs.exclude(labels__question=question), str(seed))
    if number_a_genre is None and share is None:
        return list(unopened.values_list("pk", flat=True)[:number])
    left = _by_genre(unopened)
    wanted = dict.fromkeys(left, number_a_genre or 0)
    if share is not None:
        wanted = {
            genre: round(share * all_) - (all_ - left.get(genre, 0))
            for genre, all_ in _by_genre(pairs).items()
        }
    taken = [
        row
        for genre, most in wanted.items()
        if most > 0
        for row in unopened.filter(premise__genre=genre).values_list("drawn", "pk")[:most]
    ]
    return [pk for _, pk in sorted(taken)[:number]]


def _by_genre(pairs: QuerySet[Any]) -> dict[int, int]:
    """Genre -> how many of these pairs."""
    return dict(pairs.order_by().values_list("premise__genre").annotate(pairs=Count("pk")))


def open_more_labels(*, question: Question, labels: int, most_votes: int | None = None, seed: int = 0) -> int:
    """Asks for more labels, `labels` in all, where the first ones split. Returns how many pairs get more.

    Split: all seats are filled, and no label has more than `most_votes` of them (the threshold, unless told).
    What comes after the seats never changes the gold label: that is counted over the first ones alone.
    Raises TooManyLabels.
    """
    if not question.seats < labels <= question.most_labels:
        raise TooManyLabels(
            f"A pair of this question has {question.seats} labels and may get up to {question.most_labels}:"
            f" {labels} is not between them."
        )
    most = question.threshold if most_votes is None else most_votes
    keys = list(in_drawn_order(split_pairs(question, most), str(seed)).values_list("pk", flat=True))
    return sum(_add_seats(question, block, labels) for block in _portions(keys, BLOCK))


@one_transaction
def _add_seats(question: Question, keys: list[int], labels: int) -> int:
    Question.objects.select_for_update().get(pk=question.pk)
    highest = dict(
        Label.objects.seats()
        .filter(question=question, pair__in=keys, sentence=0)
        .values_list("pair")
        .annotate(last=Max("position"))
    )
    block = [pair for pair in Pair.objects.filter(pk__in=keys) if highest[pair.pk] < labels]
    places = [
        (pair, position)
        for position in range(question.seats + 1, labels + 1)
        for pair in block
        if position > highest[pair.pk]
    ]
    turn = _next_turn(question)
    seats = [_empty_seat(question, pair, position, turn + k) for k, (pair, position) in enumerate(places)]
    Label.objects.bulk_create(seats, batch_size=2000)
    return len(block)


def _next_turn(question: Question) -> int:
    # Asked once, not for every block: turns order seats and need not be unique, so another opening at the
    # same time does no harm.
    return (Label.objects.filter(question=question).aggregate(last=Max("turn"))["last"] or 0) + 1


@one_transaction
def _open_block(question: Question, keys: list[int], turn: int) -> tuple[int, int]:
    """Makes the seats of a block, the first with this turn. Returns how many pairs and how many seats."""
    # Two openings at once stand in line here; the unique seat would refuse the second one's rows anyway.
    Question.objects.select_for_update().get(pk=question.pk)
    unopened = Pair.objects.standing().filter(pk__in=keys).exclude(labels__question=question)
    rows = unopened.select_related("premise").in_bulk()
    block = [rows[key] for key in keys if key in rows]
    if not block:
        return 0, 0
    # A judgement on another scale than the corpus's is not what the author was asked for.
    counts = question.is_main and question.scheme == question.corpus.scheme
    authored = [pair for pair in block if counts and pair.author_label]
    taken = {(pair.pk, 1) for pair in authored}
    of_partition: dict[str | None, int] = dict(question.partitions.values_list("partition", "seats"))
    seats = [
        _empty_seat(question, pair, position, turn, sentence)
        for position in range(1, question.seats + 1)
        for pair in block
        if position <= of_partition.get(pair.published_partition, question.seats)
        for sentence in _sentences(question, pair)
        if (pair.pk, position) not in taken
    ]
    for k, seat in enumerate(seats):
        seat.turn = turn + k
    Label.objects.bulk_create(
        [*(_author_label(question, pair) for pair in authored), *seats], batch_size=2000
    )
    return len(block), len(seats)


def _author_label(question: Question, pair: Pair) -> Label:
    return Label(
        question=question,
        pair=pair,
        premise_id=pair.premise_id,
        position=1,
        scheme=question.scheme,
        origin=Label.Origin.AUTHOR,
        author_id=pair.author_id,
        annotator_id=pair.author_id,
        label=pair.author_label,
        cast_at=pair.created_at,
    )


def _sentences(question: Question, pair: Pair) -> Iterable[int]:
    """Which parts of the premise are asked about: the whole (0), or each sentence by its number."""
    return range(1, pair.premise.sentence_count + 1) if question.by_sentence else (0,)


def _empty_seat(question: Question, pair: Pair, position: int, turn: int, sentence: int = 0) -> Label:
    return Label(
        question=question,
        pair=pair,
        premise_id=pair.premise_id,
        sentence=sentence,
        position=position,
        scheme=question.scheme,
        author_id=pair.author_id,
        turn=turn,
    )


def _portions(keys: list[int], size: int) -> Iterator[list[int]]:
    for start in range(0, len(keys), size):
        yield keys[start : start + size]
