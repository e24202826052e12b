"""Opens pairs for labelling: makes their seats, and sets the order in which annotators get them."""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Max, QuerySet

from collection.models import Pair
from collection.models.querysets import PairQuerySet
from nli.gold import Rule
from shared.among import Among
from shared.days import start_of_day
from shared.findings import FEWEST_DONE, WEEK, pace
from shared.portions import portions
from shared.transactions import one_transaction
from validation.errors import TooManyLabels
from validation.gold.queries import split_pairs
from validation.models import Label, Question
from validation.pairs.door import check_look
from validation.pairs.random_order import in_drawn_order

# Turns are given out block by block. Within a block, all second seats come before all third ones: so pairs complete
# early, and the seats of one pair are far apart.
BLOCK = 100
# The columns of a pair that decide which seats it gets.
KIND = ("published_partition", "author_label", "premise__sentence_count")
Rules = Mapping[str | None, Rule]


def unopened_pairs(*questions: Question) -> PairQuerySet:
    """Returns the pairs of the corpus that have no seats yet under this question, or of several corpora under theirs."""
    corpora = [question.corpus_id for question in questions]
    return Pair.objects.standing().filter(corpus__in=corpora).exclude(labels__question__in=questions)


@dataclass(frozen=True)
class Opening:
    """What opening pairs would make: pairs, the labels that validators then give, their pay in cents."""

    pairs: int
    labels: int
    cents: int
    is_estimate: bool = False  # labels and pay, where the draw decides which pairs get more seats


def preview_opening(
    *,
    question: Question,
    pairs: PairQuerySet,
    number: int | None = None,
    number_a_genre: int | None = None,
    share_a_genre: float | None = None,
) -> Opening:
    """Returns what `open_for_validation` would make with the same arguments. It writes nothing and draws no pairs.

    Where some of the pairs that are left get more seats than others, and not all are opened, labels are estimated: each
    pair that is drawn counts as the mean of its genre.
    """
    standing = pairs.standing()
    unopened = standing.exclude(labels__question=question)
    rules = question.rules_by_partition()
    left, labels, seats = Counter[int](), Counter[int](), set[int]()
    kinds = unopened.order_by().values_list("premise__genre", *KIND).annotate(number=Count("pk"))
    for genre, *kind, found in kinds:
        each = len(seats_to_fill(question, rules, *kind))
        left[genre] += found
        labels[genre] += found * each
        seats.add(each)
    wanted = _wanted(standing, left, number_a_genre, share_a_genre)
    fit = {genre: min(left[genre], max(0, wanted.get(genre, 0))) for genre in left}
    most = sum(fit.values())
    drawn = most if number is None else min(number, most)
    mean = sum(fit[genre] * labels[genre] / left[genre] for genre in left) / max(1, most)
    made = round(drawn * mean)
    return Opening(drawn, made, made * question.pay_cents, len(seats) > 1 and 0 < drawn < left.total())


def openings(questions: Collection[Question], pairs: QuerySet[Pair]) -> dict[int, Opening]:
    """Returns corpus id -> what opening `pairs` would make, for questions of different corpora. Counts in one query."""
    asked = {question.corpus_id: (question, question.rules_by_partition()) for question in questions}
    opened, labels = Counter[int](), Counter[int]()
    for corpus, *kind, number in pairs.order_by().values_list("corpus", *KIND).annotate(number=Count("pk")):
        opened[corpus] += number
        labels[corpus] += number * len(seats_to_fill(*asked[corpus], *kind))
    return {
        corpus: Opening(number, labels[corpus], labels[corpus] * asked[corpus][0].pay_cents)
        for corpus, number in opened.items()
    }


def seats_to_fill(
    question: Question, rules: Rules, partition: str | None, author_label: str | None, sentences: int
) -> list[tuple[int, int]]:
    """Returns the seats (position, sentence) that opening makes for validators; a pair's KIND decides.

    rules: the question's `rules_by_partition`. sentence: 0 is the whole premise; a question about single sentences has
    seats for each.
    """
    first = 2 if _has_author_label(question, author_label) else 1
    parts = range(1, sentences + 1) if question.by_sentence else (0,)
    return [(position, part) for position in range(first, rules[partition].seats + 1) for part in parts]


def labels_a_day(question: Question, now: datetime) -> float:
    """Returns the mean number of labels a day that validators gave in the last seven days, or since the first."""
    week_ago = start_of_day(now) - timedelta(days=WEEK - 1)
    cast = Label.objects.filled_by_validators().filter(question=question, cast_at__gte=week_ago)
    return pace(cast.count(), since_first(question, now)[0])


def since_first(question: Question, now: datetime) -> tuple[int, int]:
    """Returns the days since validators gave the first label, that day included, and their labels, counted up to thirty."""
    cast = Label.objects.filled_by_validators().filter(question=question, cast_at__isnull=False)
    first = list(cast.order_by("cast_at").values_list("cast_at", flat=True)[:FEWEST_DONE])
    return (start_of_day(now) - start_of_day(first[0])).days + 1 if first else 0, len(first)


def open_for_validation(
    *,
    question: Question,
    pairs: PairQuerySet,
    seed: int = 0,
    number: int | None = None,
    number_a_genre: int | None = None,
    share_a_genre: float | None = None,
    without_look: bool = False,
) -> int:
    """Makes the seats of pairs that have none yet under this question. Returns the number of opened pairs.

    Raises NotLookedAt if `pairs` needs a look first (`look_before_opening`), unless `without_look`.

    `seed` draws the pairs: `number` of them; `number_a_genre` of each genre; `share_a_genre` (0 to 1) of all pairs of
    each genre, including those that are open already; or all of them.

    Position 1 holds a copy of the author's label; the other positions are empty seats with their turns. A repeated
    call with the same pairs has no effect. Each transaction opens about a hundred pairs; the ids of all pairs are
    in memory.
    """
    if not without_look:
        check_look(question, pairs.standing().exclude(labels__question=question))
    keys = _drawn(question, pairs.standing(), seed, number, number_a_genre, share_a_genre)
    turn = _next_turn(question)
    opened = 0
    for block in portions(keys, BLOCK):
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
    """Returns the ids of unopened pairs in the order of the seed. The database draws; only ids are loaded."""
    unopened = in_drawn_order(pairs.exclude(labels__question=question), str(seed))
    if number_a_genre is None and share is None:
        return list(unopened.values_list("pk", flat=True)[:number])
    taken = [
        row
        for genre, most in _wanted(pairs, _by_genre(unopened), number_a_genre, share).items()
        if most > 0
        for row in unopened.filter(premise__genre=genre).values_list("drawn", "pk")[:most]
    ]
    return [pk for _, pk in sorted(taken)[:number]]


def _wanted(
    pairs: PairQuerySet, left: dict[int, int], number_a_genre: int | None, share: float | None
) -> dict[int, int]:
    """Returns genre id -> how many pairs to open at most; 0 or less: none. `left`: the unopened pairs by genre."""
    if share is not None:
        return {
            genre: round(share * all_) - (all_ - left.get(genre, 0))
            for genre, all_ in _by_genre(pairs).items()
        }
    return left if number_a_genre is None else dict.fromkeys(left, number_a_genre)


def _by_genre(pairs: QuerySet[Any]) -> dict[int, int]:
    """Counts pairs by genre: genre id -> number."""
    return dict(pairs.order_by().values_list("premise__genre").annotate(pairs=Count("pk")))


def open_more_labels(*, question: Question, labels: int, most_votes: int | None = None, seed: int = 0) -> int:
    """Adds seats to pairs whose votes split, so that each has `labels` labels in all. Returns the number of these pairs.

    The votes of a pair split if all its seats are filled and no label has more than `most_votes` (by default the
    threshold). Extra labels never change the gold label, which counts the first seats alone. Raises TooManyLabels.
    """
    check_labels(question, labels)
    most = question.threshold if most_votes is None else most_votes
    keys = list(in_drawn_order(split_pairs(question, most), str(seed)).values_list("pk", flat=True))
    return sum(_add_seats(question, block, labels) for block in portions(keys, BLOCK))


def check_labels(question: Question, labels: int) -> None:
    """Raises TooManyLabels if a pair of this question may not get so many."""
    if not question.seats < labels <= question.most_labels:
        raise TooManyLabels(
            f"A pair of this question has {question.seats} seats and may get up to {question.most_labels} labels."
            f" Please ask for a number above {question.seats} and up to {question.most_labels}, not {labels}."
        )


def seats_of(question: Question, keys: Collection[int]) -> dict[int, int]:
    """Returns pair -> the number of its seats, without pairs that have none."""
    seats = Label.objects.seats().filter(Among("pair_id", keys), question=question, sentence=0)
    return dict(seats.order_by().values_list("pair").annotate(number=Count("pk")))


@one_transaction
def ask_for_labels(*, question: Question, keys: Collection[int], labels: int) -> int:
    """Adds seats to these pairs, so that each that has seats has `labels` in all. Returns the number of pairs that got some.

    All in one transaction. Raises TooManyLabels.
    """
    check_labels(question, labels)
    return sum(
        _add_seats(question, block, labels) for block in portions(sorted(seats_of(question, keys)), BLOCK)
    )


@one_transaction
def _add_seats(question: Question, keys: list[int], labels: int) -> int:
    Question.objects.select_for_update().get(pk=question.pk)
    has = {
        pair: (number, max(last, question.seats))
        for pair, number, last in Label.objects.seats()
        .filter(question=question, pair__in=keys, sentence=0)
        .values_list("pair")
        .annotate(number=Count("pk"), last=Max("position"))
    }
    block = [pair for pair in Pair.objects.filter(pk__in=keys) if has[pair.pk][0] < labels]
    # A pair may have fewer seats than the question, or more published labels. Extra ones come after all that may count.
    places = [
        (pair, has[pair.pk][1] + number)
        for number in range(1, labels + 1)
        for pair in block
        if has[pair.pk][0] + number <= labels
    ]
    turn = _next_turn(question)
    seats = [_empty_seat(question, pair, position, turn + k) for k, (pair, position) in enumerate(places)]
    Label.objects.bulk_create(seats, batch_size=2000)
    return len(block)


def _next_turn(question: Question) -> int:
    # Turns need not be unique, since they only order seats: two openings at the same time do no harm.
    return (Label.objects.filter(question=question).aggregate(last=Max("turn"))["last"] or 0) + 1


@one_transaction
def _open_block(question: Question, keys: list[int], turn: int) -> tuple[int, int]:
    """Makes the seats of a block, with turns from `turn` on. Returns the numbers of pairs and of seats."""
    # A second opening waits here. Without the lock, the unique constraint on seats would make it fail.
    Question.objects.select_for_update().get(pk=question.pk)
    unopened = Pair.objects.standing().filter(pk__in=keys).exclude(labels__question=question)
    rows = unopened.in_bulk()
    block = [rows[key] for key in keys if key in rows]
    if not block:
        return 0, 0
    authored = [pair for pair in block if _has_author_label(question, pair.author_label)]
    kinds = {pk: kind for pk, *kind in unopened.values_list("pk", *KIND)}
    rules = question.rules_by_partition()
    places = sorted(
        (position, number, sentence)
        for number, pair in enumerate(block)
        for position, sentence in seats_to_fill(question, rules, *kinds[pair.pk])
    )
    seats = [
        _empty_seat(question, block[number], position, turn + k, sentence)
        for k, (position, number, sentence) in enumerate(places)
    ]
    Label.objects.bulk_create(
        [*(_author_label(question, pair) for pair in authored), *seats], batch_size=2000
    )
    return len(block), len(seats)


def _has_author_label(question: Question, author_label: str | None) -> bool:
    """Returns whether the author's label takes the first seat: only in the scheme in which they were asked to write."""
    return bool(question.is_main and question.scheme == question.corpus.scheme and author_label)


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
        reason=pair.author_reason,
        cast_at=pair.created_at,
    )


# What places an empty seat; its other columns have their defaults.
SEAT = ("question_id", "pair_id", "premise_id", "author_id", "scheme", "sentence", "position", "turn")


def _empty_seat(question: Question, pair: Pair, position: int, turn: int, sentence: int = 0) -> Label:
    place = (question.pk, pair.pk, pair.premise_id, pair.author_id, question.scheme, sentence, position, turn)
    return Label(**dict(zip(SEAT, place, strict=True)))


def seat_like(label: Label) -> Label:
    """Makes an empty seat like that of the label, with the same turn."""
    return Label(**{column: getattr(label, column) for column in SEAT})
