"""Bias at the door: a look at what the hypotheses of imported pairs give away, before the pairs are opened."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Q

from collection.models.querysets import PairQuerySet
from shared.intervals import FEWEST_PAIRS
from shared.numbers import percent
from validation.errors import NotLookedAt
from validation.models import CachedStatistics, Question
from validation.questions.addresses import address_in
from validation.questions.lookup import Names
from validation.statistics.cached import Kind, stored
from validation.statistics.vote_patterns import DIMENSIONS, WEEKS, behind, name_of_group

WHOLE = "all"
REASONS = {
    "above": "yes",
    "below": "yes: less often right than guesses, so labels go with words, and differently in the part tried",
    "word": "yes, by a word",
}
WORDS = "open without a look"  # what somebody writes who opens without it


@dataclass(frozen=True)
class Look:
    """What a worker counted last, with its row. is_missing: there is none that has all pairs that can be opened."""

    found: dict[str, Any] | None
    row: CachedStatistics
    is_missing: bool


def look_before_opening(question: Question, pairs: PairQuerySet) -> Look | None:
    """Returns the look for pairs that are not open yet; None where there is nothing to look at.

    It is for imported pairs with a label, under the main question: other questions do not ask for that label.
    """
    if not question.is_main:
        return None
    labelled = Q(author_label__isnull=False) | Q(published_label__isnull=False)
    imported = pairs.filter(labelled, source__isnull=False)
    newest = imported.order_by("-pk").values_list("created_at", flat=True).first()
    if newest is None:
        return None
    found, row = stored(question, Kind.BIAS)
    return Look(found, row, is_missing=found is None or row.made_at is None or row.made_at < newest)


def check_look(question: Question, pairs: PairQuerySet) -> None:
    """Raises NotLookedAt if nobody has looked at what the hypotheses of these pairs, not open yet, give away."""
    look = look_before_opening(question, pairs)
    if look and look.is_missing:
        raise NotLookedAt


def shown(found: dict[str, Any] | None, question: Question, names: Names) -> dict[str, Any]:
    """Returns a look as the template that shows it takes it. names: what pages of the corpus call values."""
    if not found:
        return {"found": found}
    return {
        "found": found,
        "rows": [_row(each, found["by"], question, names) for each in in_order(found)],
        "words": [
            ("Words that go with a label", found["giveaways"]),
            ("Neighbouring words that go with a label", found["giveaway_pairs"]),
        ],
    }


def in_order(found: Mapping[str, Any]) -> Sequence[dict[str, Any]]:
    """Returns the groups of a look: all pairs, then weeks in their order, other groups by their size."""
    whole, *groups = found["groups"] or [None]
    if found["by"] in WEEKS:
        groups.sort(key=lambda each: each["group"])
    return [whole, *groups] if whole else []


def group_name(by: str, value: str | None, names: Names) -> str:
    """Returns what pages call a group; None is the group of all pairs."""
    return WHOLE if value is None else name_of_group(by, value, names) or "not said"


def address_of_group(question: Question, by: str, value: str | None, **query: str) -> str:
    """Returns the address of the pairs of a group; empty where the list of pairs has no such filter."""
    if value is None:
        return address_in("pairs", question, **query)
    return behind(question, by, value, **query) if by in DIMENSIONS else ""


def _verdict(group: Mapping[str, Any]) -> str:
    """Returns whether a group's hypotheses give labels away, with the reason. A count of an earlier edition has none."""
    if group["gives_away"] is None:
        if group["pairs"] < FEWEST_PAIRS:
            return "too few pairs"
        return (
            "tried on too few pairs"
            if group["tried"]
            else "not tried: all share a premise or group, or a label"
        )
    return REASONS[group.get("why", "above")] if group["gives_away"] else "no"


def _row(group: dict[str, Any], by: str, question: Question, names: Names) -> dict[str, Any]:
    alone, value = group["hypothesis_only"], group["group"]
    return {
        "name": group_name(by, value, names),
        "href": address_of_group(question, by, value),
        "pairs": group["pairs"],
        "labels": list(group["labels"].values()),
        "commonest": percent(group["commonest"]),
        "alone": percent(alone),
        "gives_away": _verdict(group),
        "word": group.get("word"),
    }
