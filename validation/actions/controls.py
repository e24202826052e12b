"""Labels beside the five: an expert's, which makes a pair a control item, and a model's. Neither ever counts."""

from collections.abc import Mapping
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.models import User
from collection.models import LedgerEntry, Pair
from collection.pay import earn
from shared.transactions import one_transaction
from validation.actions.errors import AlreadyDecided, WrongLabel
from validation.actions.withdrawing import lock
from validation.models import Label, Question


@one_transaction
def label_as_expert(*, question: Question, pair: Pair, label: str, by: User, reason: str = "") -> Label:
    """Makes a pair a control item. It stays an ordinary pair in ordinary seats: nobody sees that it is one.

    Who labelled it so before gets the bonus now. Raises WrongLabel, AlreadyDecided.
    """
    if label not in question.labels:
        raise WrongLabel({"label": f"Please choose one of: {', '.join(question.labels)}."})
    if question.by_sentence:
        raise WrongLabel({"label": "Single sentences have no control items. Use calibration items instead."})
    # Casts hold these locks: each is committed and found below, or waits here and then reads the expert's label.
    lock(Label.objects.filter(question=question, pair=pair))
    try:
        with transaction.atomic():
            expert = _beside(question, pair, label, Label.Origin.EXPERT, annotator=by, reason=reason)
            expert.save()
    except IntegrityError:
        raise AlreadyDecided("An expert has labelled this pair already.") from None
    agreeing = Label.objects.filter(question=question, pair=pair, sentence=0, label=label, origin="cast")
    for cast in agreeing.select_related("annotator"):
        if cast.annotator is not None:
            pay_bonus(question=question, pair=pair.pk, annotator=cast.annotator)
    return expert


def pay_bonus(*, question: Question, pair: int, annotator: User) -> None:
    """For agreeing with the expert on a control item; once a pair."""
    earn(
        user=annotator,
        corpus_id=question.corpus_id,
        kind=LedgerEntry.Kind.BONUS,
        cents=question.control_bonus_cents,
        reason=f"Bonus: you and an expert agreed on a pair of {question.corpus.name}",
        key=f"control:{question.pk}:{pair}",
    )


@transaction.atomic
def keep_model_labels(*, question: Question, model: str, labels: Mapping[Pair, tuple[str, str]]) -> int:
    """Keeps what a model says beside what people say: pair -> (label, reason). It has no seat and counts nowhere.

    Returns how many are new: what the model said of a pair before stays, and saying it again does nothing. Raises
    WrongLabel (public id -> why): for a label outside the scheme, and where the model had said something else, for
    then it is another model.
    """
    model = model.strip()
    if not model:
        raise WrongLabel({"model": "Please name the model."})
    Question.objects.select_for_update().get(pk=question.pk)  # two files at once stand in line
    theirs = Label.objects.standing().filter(question=question, origin=Label.Origin.MODEL, model=model)
    known = dict(theirs.filter(pair__in=labels).values_list("pair", "label"))
    errors = {}
    for pair, (label, _) in labels.items():
        if label not in question.labels:
            errors[pair.public_id] = _unknown(question, label)
        elif known.get(pair.pk, label) != label:
            errors[pair.public_id] = f"{model} said {known[pair.pk]} before. Another model has another name."
    if errors:
        raise WrongLabel(errors)
    new = [
        _beside(question, pair, label, Label.Origin.MODEL, model=model, reason=reason)
        for pair, (label, reason) in labels.items()
        if pair.pk not in known
    ]
    return len(Label.objects.bulk_create(new, batch_size=2000))


def _unknown(question: Question, label: str) -> str:
    return f"{label!r} is no label here. Use one of: {', '.join(question.labels)}."


def _beside(question: Question, pair: Pair, label: str, origin: str, **fields: Any) -> Label:
    """A label without a seat, not saved yet."""
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
