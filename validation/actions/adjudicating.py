"""Deciding where the votes do not."""

from django.db import IntegrityError, transaction

from accounts.models import User
from collection.models import Pair
from validation.actions.errors import AlreadyDecided, ReasonMissing, WrongLabel
from validation.gold import waits_for_adjudication, with_gold_label
from validation.models import Adjudication, Question


@transaction.atomic
def adjudicate(*, question: Question, pair: Pair, label: str, reason: str, by: User) -> Adjudication:
    """Decides the gold label of a pair that waits for it. The judgements stay as they are.

    Raises WrongLabel, ReasonMissing, and AlreadyDecided where the pair does not wait (any more).
    """
    if label not in question.labels:
        raise WrongLabel({"label": f"Please choose one of: {', '.join(question.labels)}."})
    reason = reason.strip()
    if not reason:
        raise ReasonMissing
    waiting = with_gold_label(Pair.objects.standing().filter(pk=pair.pk), question)
    gone = AlreadyDecided("This pair has been decided meanwhile. Thank you all the same.")
    if not waiting.filter(waits_for_adjudication(question)).exists():
        raise gone
    try:
        with transaction.atomic():
            return Adjudication.objects.create(
                question=question, pair=pair, scheme=question.scheme, label=label, reason=reason, by=by
            )
    except IntegrityError:
        raise gone from None
