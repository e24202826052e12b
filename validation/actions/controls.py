"""Labels beside the five: an expert's, which makes a pair a control item, and a model's. Neither ever counts."""

from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.actions import earn
from accounts.models import User
from collection.models import Pair
from validation.actions.errors import AlreadyDecided, WrongLabel
from validation.models import Label, Question


@transaction.atomic
def label_as_expert(*, question: Question, pair: Pair, label: str, by: User, reason: str = "") -> Label:
    """Makes a pair a control item. It stays an ordinary pair in ordinary seats: nobody sees that it is one.

    Who labelled it so before gets the bonus now. Raises WrongLabel, AlreadyDecided.
    """
    _check(question, label)
    try:
        with transaction.atomic():
            expert = _beside(question, pair, label, Label.Origin.EXPERT, annotator=by, reason=reason)
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
        cents=question.control_bonus_cents,
        reason=f"Bonus: you and an expert agreed on a pair of {question.corpus.name}",
        key=f"control:{question.pk}:{pair}",
    )


def keep_model_label(*, question: Question, pair: Pair, label: str, model: str, reason: str = "") -> Label:
    """Keeps what a model says beside what people say. It has no seat and counts nowhere."""
    _check(question, label)
    if not model.strip():
        raise WrongLabel({"model": "Please name the model."})
    return _beside(question, pair, label, Label.Origin.MODEL, model=model.strip(), reason=reason)


def _check(question: Question, label: str) -> None:
    if label not in question.labels:
        raise WrongLabel({"label": f"Please choose one of: {', '.join(question.labels)}."})


def _beside(question: Question, pair: Pair, label: str, origin: str, **fields: object) -> Label:
    return Label.objects.create(
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
