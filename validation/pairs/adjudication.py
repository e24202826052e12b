"""Adjudication: finds the pairs that wait for a researcher, stores a decision, takes it back."""

from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.models import User
from collection.models import Pair
from nli.gold import ADJUDICATED
from shared.transactions import one_transaction
from validation.errors import AlreadyDecided, ReasonMissing, WrongLabel
from validation.gold.queries import more_sort_memory, waits_for_adjudication, with_gold_label
from validation.models import Adjudication, Label, Question
from validation.pairs.listing import Wanted, by_columns, scan
from validation.pairs.withdrawal import lock
from validation.statistics.cached import mark_stale


def pair_to_decide(question: Question, *, after: int = 0, within: str = "") -> tuple[Any, int | None]:
    """Returns (the next pair that waits for a decision, or None; the key after which the search continues, or None).

    within: the name of a set; only its pairs.

    As `pairs_to_read` it examines at most ten thousand pairs that have seats.
    """
    if question.gold_rule != ADJUDICATED:
        return None, None
    keys = by_columns(question, Wanted(votes="complete", set=within))
    with more_sort_memory():
        found, further = scan(question, keys, waits_for_adjudication(question), after, number=1)
    return (found[0] if found else None), further


@one_transaction
def adjudicate(*, question: Question, pair: Pair, label: str, reason: str, by: User) -> Adjudication:
    """Decides the gold label of a pair that waits for it. Its labels stay as they are.

    Raises WrongLabel, ReasonMissing, and AlreadyDecided if the pair does not wait for a decision.
    """
    if label not in question.labels:
        raise WrongLabel({"label": f"Please choose one of: {', '.join(question.labels)}."})
    reason = reason.strip()
    if not reason:
        raise ReasonMissing
    lock(
        Label.objects.filter(question=question, pair=pair)
    )  # a correction of a label comes before, or not at all
    waiting = with_gold_label(Pair.objects.standing(), question, [pair.pk])
    gone = AlreadyDecided(
        "Somebody has decided about this pair in the meantime, or its votes decide now. Nothing was changed."
    )
    if not waiting.filter(waits_for_adjudication(question)).exists():
        raise gone
    try:
        with transaction.atomic():
            decision = Adjudication.objects.create(
                question=question, pair=pair, scheme=question.scheme, label=label, reason=reason, by=by
            )
    except IntegrityError:
        raise gone from None
    mark_stale(corpus=question.corpus_id)
    return decision


@one_transaction
def take_back(*, adjudication: Adjudication, reason: str, by: User) -> None:
    """Takes a decision back; it stays as history. The votes decide again, or the pair waits again.

    Raises ReasonMissing, and AlreadyDecided if somebody took it back before.
    """
    reason = reason.strip()
    if not reason:
        raise ReasonMissing
    standing = Adjudication.objects.standing().filter(pk=adjudication.pk)
    if not standing.update(withdrawn_at=timezone.now(), withdrawn_because=reason, withdrawn_by=by):
        raise AlreadyDecided("Somebody has already taken this decision back. Nothing was changed.")
    mark_stale(corpus=adjudication.question.corpus_id)
