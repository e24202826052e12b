"""Control items: pairs that an expert labels, too. The expert's label never counts for the gold label."""

from random import Random
from typing import Any

from django.core.cache import cache
from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from accounts.models import User
from collection.models import LedgerEntry, Pair
from collection.pay import earn, reason_for
from shared.portions import portions
from shared.transactions import one_transaction
from validation.errors import AlreadyDecided, WrongLabel
from validation.models import Label, Question
from validation.pairs.random_order import in_drawn_order
from validation.pairs.withdrawal import lock

DRAW_CACHED = 600  # seconds
MOST = 5_000  # pairs in a draw
SORTED = 20_000  # seats of a question whose open pairs are sorted for a draw
BY_SEAT = ("pair", "sentence", "position")  # an index has this order for each question
BLOCK, PORTION = 10_000, 1_000  # keys


@one_transaction
def label_as_expert(*, question: Question, pair: Pair, label: str, by: User, reason: str = "") -> Label:
    """Makes a pair a control item. It stays an ordinary pair in ordinary seats, so annotators cannot recognise it.

    Annotators who gave the same label before get the bonus now. Raises WrongLabel, AlreadyDecided.
    """
    if label not in question.labels:
        raise WrongLabel({"label": f"Please choose one of: {', '.join(question.labels)}."})
    if question.by_sentence:
        raise WrongLabel(
            {
                "label": "A question about single sentences has no control items. Please use calibration items instead."
            }
        )
    # A submission holds these locks. Either it is committed and found below, or it waits and then reads the expert's label.
    lock(Label.objects.filter(question=question, pair=pair))
    try:
        with transaction.atomic():
            expert = label_without_seat(
                question, pair, label, Label.Origin.EXPERT, annotator=by, reason=reason
            )
            expert.save()
    except IntegrityError:
        raise AlreadyDecided("An expert has labelled this pair already.") from None
    # What somebody corrected before is not their answer; a later correction neither earns a bonus nor loses it.
    agreeing = (
        Label.objects.ever_cast()
        .without_corrected()
        .filter(question=question, pair=pair, sentence=0, label=label)
    )
    for cast in agreeing.select_related("annotator"):
        if cast.annotator is not None:
            pay_bonus(question=question, pair=pair.pk, annotator=cast.annotator)
    return expert


def bonus_of(question: Question) -> int:
    """Returns the cents for the same label as the expert on a control item; 0 if the question has none."""
    return question.control_bonus_cents if Label.objects.of_experts(question).exists() else 0


def pay_bonus(*, question: Question, pair: int, annotator: User) -> None:
    """Pays the bonus for the same label as the expert on a control item, once per pair and annotator."""
    earn(
        user=annotator,
        corpus_id=question.corpus_id,
        kind=LedgerEntry.Kind.BONUS,
        cents=question.control_bonus_cents,
        reason=reason_for(LedgerEntry.Kind.BONUS, name=question.corpus.name),
        key=f"control:{question.pk}:{pair}",
    )


def label_without_seat(question: Question, pair: Pair, label: str, origin: str, **fields: Any) -> Label:
    """Makes an unsaved label without a seat."""
    return Label(
        question=question,
        pair=pair,
        premise_id=pair.premise_id,
        author_id=pair.author_id,
        scheme=question.scheme,
        origin=origin,
        label=label,
        cast_at=timezone.now(),
        **fields,
    )


def control_items(question: Question, *, share: float, seed: int) -> tuple[list[int], int]:
    """Draws pairs for an expert: (ids without an expert's label, number drawn). `share`: 0 to 1 of the open pairs.

    The same seed draws the same pairs, and a larger share draws these and more, up to MOST. The draw is cached for
    DRAW_CACHED seconds, since the page draws again for each pair; in a question with up to SORTED seats not beyond the
    next opening.
    """
    seats = Label.objects.seats().filter(question=question).order_by(*BY_SEAT)
    number = seats.values("pair")[: SORTED + 1].count()
    name = f"control:{question.pk}:{number}:{share}:{seed}"
    drawn: list[int] | None = cache.get(name)
    if drawn is None:
        draw = _drawn_by_key if number > SORTED else _drawn_in_order
        drawn = draw(Pair.objects.standing().filter(corpus=question.corpus_id), seats, share, seed)
        cache.set(name, drawn, DRAW_CACHED)
    labelled = set(Label.objects.of_experts(question).values_list("pair", flat=True))
    return [pk for pk in drawn if pk not in labelled], len(drawn)


def _drawn_in_order(pairs: QuerySet[Pair], seats: QuerySet[Label], share: float, seed: int) -> list[int]:
    """Draws exactly this share of the open pairs: the database sorts all of them."""
    opened = pairs.filter(Exists(seats.filter(pair=OuterRef("pk"))))
    number = min(round(share * opened.count()), MOST)
    return list(in_drawn_order(opened, f"control:{seed}").values_list("pk", flat=True)[:number])


def _drawn_by_key(pairs: QuerySet[Pair], seats: QuerySet[Label], share: float, seed: int) -> list[int]:
    """Draws about this share of the open pairs: those whose keys get a number below it. Reads only these pairs.

    The seed gives each possible key a number from 0 to 1, in blocks, so that pairs opened later change no number.
    """
    opened = seats.values_list("pair", flat=True)
    first, last = opened.first(), opened.last()
    drawn_keys = []
    for block in range((first or 0) // BLOCK, (last or 0) // BLOCK + 1):
        dice = Random(f"{seed}:{block}")
        numbers = (dice.random() for _ in range(BLOCK))
        drawn_keys += [(number, key) for key, number in enumerate(numbers, block * BLOCK) if number < share]
    drawn: list[int] = []
    for keys in portions((key for _, key in sorted(drawn_keys)), PORTION):
        found = set(pairs.filter(pk__in=set(opened.filter(pair__in=keys))).values_list("pk", flat=True))
        drawn += [key for key in keys if key in found]
        if len(drawn) >= MOST:
            break
    return drawn[:MOST]
