"""What researchers do with chosen pairs (shared/acting.py)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Q

from accounts.models import User
from collection.models import Pair
from nli.gold import ADJUDICATED
from shared.acting import Act, ChosenRows, Effect
from shared.among import Among
from validation.errors import ReasonMissing, ValidationError
from validation.gold.queries import more_sort_memory, waits_for_adjudication, with_gold_label
from validation.models import Question
from validation.pairs.door import check_look
from validation.pairs.opening import (
    ask_for_labels,
    check_labels,
    open_for_validation,
    preview_opening,
    seats_of,
    unopened_pairs,
)
from validation.pairs.pair_sets import TO_DECIDE, clean_name, in_set, put_into_set, take_out_of_set
from validation.pairs.random_order import in_drawn_order
from validation.pairs.vetting import Choice, vet

MOST_OPENED = 5_000  # pairs; more would take a page too long


@dataclass(frozen=True)
class Chosen(ChosenRows):
    """Pairs that somebody chose, under a question."""

    question: Question
    by: User

    def standing(self) -> set[int]:
        rows = Pair.objects.standing().filter(Among("pk", list(self.keys.values())))
        return set(rows.values_list("pk", flat=True))


def _standing(chosen: Chosen) -> tuple[set[int], Effect]:
    keys, effect = chosen.standing(), Effect()
    effect.leave("withdrawn", len(chosen.keys) - len(keys))
    return keys, effect


def _plan_opening(chosen: Chosen) -> Effect:
    keys, effect = _standing(chosen)
    new = unopened_pairs(chosen.question).filter(Among("pk", list(keys)))
    check_look(chosen.question, new)
    effect.keys = set(new.values_list("pk", flat=True))
    effect.leave("open already", len(keys) - len(effect.keys))
    if chosen.given.get("draw"):
        number, seed = (whole_number(chosen, name) for name in ("draw", "seed"))
        drawn = in_drawn_order(new, str(seed)).values_list("pk", flat=True)[:number]
        effect.leave("not drawn", max(0, len(effect.keys) - number))
        effect.keys = set(drawn)
        new = new.filter(Among("pk", list(effect.keys)))
    if len(effect.keys) > MOST_OPENED:
        raise ValidationError(f"At most {MOST_OPENED:,} pairs are opened at a time. Draw fewer.")
    made = preview_opening(question=chosen.question, pairs=new)
    effect.labels, effect.cents = made.labels, made.cents
    return effect


def whole_number(chosen: Chosen, name: str) -> int:
    """Returns the number of a draw, from 1 on, or its seed, from 0 on. Raises ValidationError."""
    text, least = chosen.given.get(name) or "0", int(name == "draw")
    number = int(text) if re.fullmatch("[0-9]{1,9}", text) else -1
    if number < least:
        raise ValidationError(f"The {name} must be a whole number from {least} to 999,999,999, not {text!r}.")
    return number


def _open(chosen: Chosen, effect: Effect) -> int:
    pairs = Pair.objects.filter(Among("pk", list(effect.keys)))
    return open_for_validation(question=chosen.question, pairs=pairs)


def labels_wanted(question: Question, given: Mapping[str, str]) -> int:
    """Returns how many labels a pair shall have in all: twice its seats, if the form says nothing."""
    text = given.get("labels", "")
    usual = min(2 * question.seats, question.most_labels)
    return int(text) if text.isdecimal() and len(text) < 5 else usual


def _plan_labels(chosen: Chosen) -> Effect:
    question, wanted = chosen.question, labels_wanted(chosen.question, chosen.given)
    check_labels(question, wanted)
    keys, effect = _standing(chosen)
    seats = seats_of(question, keys)
    with more_sort_memory():
        rows = with_gold_label(Pair.objects.all(), question, list(seats)).filter(Q(waiting=0))
        full = set(rows.values_list("pk", flat=True))
    effect.keys = {key for key in full if seats[key] < wanted}
    effect.leave("not open for labelling yet", len(keys) - len(seats))
    effect.leave("labels are still missing", len(seats) - len(full))
    effect.leave(f"{wanted} labels or more already", len(full) - len(effect.keys))
    effect.labels = sum(wanted - seats[key] for key in effect.keys)
    effect.cents = effect.labels * question.pay_cents
    return effect


def _ask(chosen: Chosen, effect: Effect) -> int:
    wanted = labels_wanted(chosen.question, chosen.given)
    return ask_for_labels(question=chosen.question, keys=effect.keys, labels=wanted)


def _plan_deciding(chosen: Chosen) -> Effect:
    if chosen.question.gold_rule != ADJUDICATED:
        raise ValidationError(
            "Nobody adjudicates under this question: its gold rule is not “adjudicated”. The corpus file sets it."
        )
    keys, effect = _standing(chosen)
    with more_sort_memory():
        rows = with_gold_label(Pair.objects.all(), chosen.question, list(keys))
        waiting = rows.filter(waits_for_adjudication(chosen.question))
        effect.keys = set(waiting.values_list("pk", flat=True))
    effect.leave("decided, or labels are still missing", len(keys) - len(effect.keys))
    return effect


def _decide(chosen: Chosen, effect: Effect) -> int:
    put_into_set(corpus=chosen.question.corpus, name=TO_DECIDE, keys=effect.keys)
    return len(effect.keys)


def _plan_withdrawal(chosen: Chosen) -> Effect:
    keys, effect = _standing(chosen)
    effect.keys = keys
    return effect


def _withdraw(chosen: Chosen, effect: Effect) -> int:
    if not chosen.given.get("reason", "").strip():
        raise ReasonMissing
    names = tuple(name for name, key in chosen.keys.items() if key in effect.keys)
    made = vet(
        corpus=chosen.question.corpus, choice=Choice(names=names), by=chosen.by, reason=chosen.given["reason"]
    )
    return made.pairs_withdrawn


def _plan_putting(chosen: Chosen) -> Effect:
    keys, name = set(chosen.keys.values()), chosen.given.get("set", "")
    there = in_set(chosen.question.corpus, name, keys) if name else set()
    effect = Effect(keys - there)
    effect.leave("in the set already", len(there))
    return effect


def _put(chosen: Chosen, effect: Effect) -> int:
    return put_into_set(
        corpus=chosen.question.corpus, name=clean_name(chosen.given.get("set", "")), keys=effect.keys
    )


def _plan_taking(chosen: Chosen) -> Effect:
    keys, name = set(chosen.keys.values()), chosen.given.get("set", "")
    effect = Effect(in_set(chosen.question.corpus, name, keys) if name else keys)
    effect.leave("not in the set", len(keys) - len(effect.keys))
    return effect


def _take(chosen: Chosen, effect: Effect) -> int:
    name = clean_name(chosen.given.get("set", ""))
    return take_out_of_set(corpus=chosen.question.corpus, name=name, keys=effect.keys)


ACTS: dict[str, Act] = {
    "open": Act(
        "Open for labelling",
        "Annotators get {rows} to label. They see neither gold labels nor what runs predicted.",
        "open for labelling",
        _plan_opening,
        _open,
        most=MOST_OPENED,
        draws=True,
    ),
    "labels": Act(
        "More labels",
        "{rows} get further labels. These show how opinions spread; gold labels stay. You cannot undo this.",
        "waiting for more labels",
        _plan_labels,
        _ask,
        "labels",
        MOST_OPENED,
    ),
    "decide": Act(
        "Adjudicate",
        f"{{rows}} go into the set “{TO_DECIDE}”, and Disputes shows them one after the other.",
        "waiting for your decision",
        _plan_deciding,
        _decide,
        most=MOST_OPENED,
    ),
    "withdraw": Act(
        "Withdraw",
        "{rows} no longer count: nobody gets them to label, and new snapshots leave them out. Their labels stay as history,"
        " and Withdraw pairs lets them count again.",
        "withdrawn",
        _plan_withdrawal,
        _withdraw,
        "reason",
        about="stored with the record, never published",
    ),
    "put": Act(
        "Into a set",
        "{rows} go into the set. Nothing else changes.",
        "in the set",
        _plan_putting,
        _put,
        "set",
    ),
    "take": Act(
        "Out of a set",
        "{rows} leave the set. A set without pairs is deleted.",
        "out of the set",
        _plan_taking,
        _take,
        "set",
    ),
}
