"""Make pairs with votes, and read their gold labels: letters are labels, '.' is an empty seat."""

from django.utils import timezone

from collection.models import Pair
from nli.labels import SCHEMES
from tests.corpora import add_label
from validation.gold.queries import waits_for_adjudication, with_gold_label
from validation.models import Question


def vote(pair: Pair, question: Question, letters: str, first: int = 1) -> None:
    """Fills the pair's seats from position 1 on, or `first`; "een.c" leaves the fourth open."""
    names = {label[0]: label for label in SCHEMES[question.scheme]}
    for position, letter in enumerate(letters, start=first):
        add_label(
            question,
            pair,
            names.get(letter),
            position=position,
            origin="cast" if letter == "." else "imported",
            turn=position,
            cast_at=None if letter == "." else timezone.now(),
        )


def gold_of(pair: Pair, question: Question) -> tuple[str | None, str]:
    row = with_gold_label(Pair.objects.filter(pk=pair.pk), question).get()
    return row.gold_label, row.gold_source


def waits(pair: Pair, question: Question) -> bool:
    rows = with_gold_label(Pair.objects.filter(pk=pair.pk), question)
    return rows.filter(waits_for_adjudication(question)).exists()
