"""Counts pairs by genre, labels and how their votes stand: one table, from which any of these filters has its total."""

from collections.abc import Collection
from dataclasses import astuple, dataclass
from typing import Any

from django.db.models import BooleanField, Case, Count, Exists, ExpressionWrapper, F, OuterRef, Value, When

from nli.labels import NO_GOLD
from shared.facets import AGREEMENTS, length_class
from validation.gold.queries import agrees, how_votes_stand
from validation.models import Gold, Label, Question


@dataclass(frozen=True)
class Group:
    """Pairs that are the same in all that is counted. gold: "-" for none. `votes`: keys of VOTES that fit them.

    length: the class of the hypothesis's length. agreement: the class of `agrees`; 0 while a seat is empty.
    """

    genre: str
    author_label: str
    gold: str
    source: str
    votes: tuple[str, ...]
    length: int
    agreement: int
    number: int


def pair_counts(question: Question, keys: Collection[int] | None = None) -> list[Group]:
    """Returns the groups of the question's standing pairs, or of those with these keys. It is one query."""
    seats = Label.objects.seats().filter(question=question, pair=OuterRef("pair"))
    rows = Gold.objects.filter(question=question, pair__withdrawn_at=None)
    if keys is not None:
        rows = rows.filter(pair__in=keys)
    states: dict[str, Any] = {
        f"is_{name}": ExpressionWrapper(condition, BooleanField())
        for name, condition in how_votes_stand().items()
    }
    agreements = [When(agrees(part), then=Value(part)) for part in range(1, AGREEMENTS + 1)]
    texts = {"genre": F("pair__premise__genre__slug"), "author_label": F("pair__author_label")}
    grouped = rows.order_by().values(
        "label",
        "source",
        of_genre=texts["genre"],
        by_author=texts["author_label"],
        is_opened=Exists(seats),
        length=length_class("pair__hypothesis"),
        agreement=Case(*agreements, default=0),
        **states,
    )
    found = []
    counted: Any = grouped.annotate(number=Count("pair"))
    for row in counted:
        fit = tuple(name.removeprefix("is_") for name in states if row[name])
        held = fit if row["is_opened"] else ("unopened",)
        gold = row["label"] or NO_GOLD
        found.append(
            Group(
                row["of_genre"] or "",
                row["by_author"] or "",
                gold,
                row["source"],
                held,
                row["length"],
                row["agreement"],
                row["number"],
            )
        )
    return found


def as_content(groups: list[Group]) -> list[list[Any]]:
    return [list(astuple(group)) for group in groups]


def from_content(content: list[list[Any]]) -> list[Group]:
    return [
        Group(genre, author_label, gold, source, tuple(votes), *numbers)
        for genre, author_label, gold, source, votes, *numbers in content
    ]
