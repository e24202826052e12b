"""Control items: pairs that an expert labels, too. The expert's label never counts for the gold label."""

from typing import Any

from django.core.cache import cache
from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from accounts.models import User
from collection.models import LedgerEntry, Pair
from collection.pay import earn
from shared.transactions import one_transaction
from validation.errors import AlreadyDecided, WrongLabel
from validation.models import Label, Question
from validation.pairs.random_order import in_drawn_order
from validation.pairs.withdrawal import lock

DRAW_CACHED = 600  # seconds


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
    agreeing = Label.objects.without_corrected().filter(
        question=question, pair=pair, sentence=0, label=label, origin="cast"
    )
    for cast in agreeing.select_related("annotator"):
        if cast.annotator is not None:
            pay_bonus(question=question, pair=pair.pk, annotator=cast.annotator)
    return expert


def pay_bonus(*, question: Question, pair: int, annotator: User) -> None:
    """Pays the bonus for the same label as the expert on a control item, once per pair and annotator."""
    earn(
        user=annotator,
        corpus_id=question.corpus_id,
        kind=LedgerEntry.Kind.BONUS,
        cents=question.control_bonus_cents,
        reason=f"Bonus: you and an expert agreed on a pair of {question.corpus.name}",
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

    The same seed draws the same pairs, and a larger share draws these and more. The draw is cached for DRAW_CACHED
    seconds or until more pairs are opened, since the page draws again for each pair.
    """
    seats = Label.objects.seats().filter(question=question)
    newest = seats.filter(position=1).order_by("-pk").values_list("pk", flat=True).first()
    name = f"control:{question.pk}:{newest}:{share}:{seed}"
    drawn: list[int] | None = cache.get(name)
    if drawn is None:
        drawn = _draw(seats, share, seed)
        cache.set(name, drawn, DRAW_CACHED)
    labelled = set(
        Label.objects.standing()
        .filter(question=question, origin=Label.Origin.EXPERT)
        .values_list("pair", flat=True)
    )
    return [pk for pk in drawn if pk not in labelled], len(drawn)


def _draw(seats: QuerySet[Label], share: float, seed: int) -> list[int]:
    pairs = Pair.objects.standing().filter(Exists(seats.filter(pair=OuterRef("pk"))))
    number = round(share * pairs.count())
    return list(in_drawn_order(pairs, f"control:{seed}").values_list("pk", flat=True)[:number])
