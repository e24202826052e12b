"""The list of pairs: filtered pages for researchers, and rows for REST."""

import json
from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from collection.models import Pair
from collection.models.premises import sentences_of
from nli.gold import ADJUDICATED
from validation.gold.queries import is_complete, is_disputed, is_unanimous, more_sort_memory, with_gold_label
from validation.models import Adjudication, BatchItem, Label, Question

PAGE = 50
LINES_AT_ONCE = 1000  # pairs
# A page counts gold labels for at most PORTIONS portions of PORTION pairs. So a filter that few pairs pass costs more
# clicks, but never a page that takes minutes.
PORTION, PORTIONS = 500, 20
VOTES = {
    "complete": "all seats are filled",
    "unanimous": "all are the same",
    "split": "not all are the same",
    "disputed": "no label has the threshold",
}


@dataclass(frozen=True)
class Wanted:
    """The filters of the list; an empty one lets all pairs through.

    genre: a slug. author: a code. gold: a label of the question, or "none". source: the source of the gold label.
    votes: a key of VOTES. skipped: only pairs that somebody skipped. text: part of the hypothesis.
    """

    genre: str = ""
    author: str = ""
    author_label: str = ""
    gold: str = ""
    source: str = ""
    votes: str = ""
    skipped: bool = False
    text: str = ""


def pairs_to_read(question: Question, wanted: Wanted, *, after: int = 0) -> tuple[list[Any], int | None]:
    """Returns (up to fifty pairs with gold labels, ordered by key; the key after which the next page begins).

    It leaves out withdrawn pairs. The key is None on the last page. A page examines at most ten thousand pairs, so it
    may hold fewer than fifty, even none, and still not be the last.
    """
    with more_sort_memory():
        return scan(question, by_columns(question, wanted), _by_votes(wanted), after, PAGE)


def scan(
    question: Question, keys: QuerySet[Pair], condition: Q, after: int, number: int
) -> tuple[list[Any], int | None]:
    found: list[Any] = []
    for _ in range(PORTIONS):
        portion = list(keys.filter(pk__gt=after).values_list("pk", flat=True)[:PORTION])
        rows = with_gold_label(Pair.objects.all(), question, portion).filter(condition)
        rows = rows.select_related("premise__genre", "author").order_by("pk")
        found += rows[: number + 1 - len(found)]
        if len(found) > number:
            return found[:number], found[number - 1].pk
        if len(portion) < PORTION:
            return found, None
        after = portion[-1]
    return found, after


def by_columns(question: Question, wanted: Wanted) -> QuerySet[Pair]:
    """Returns the pairs that pass the filters for which no votes need be counted."""
    pairs = Pair.objects.standing().filter(corpus=question.corpus_id).order_by("pk")
    columns: dict[str, Any] = {
        "premise__genre__slug": wanted.genre,
        "author__code": wanted.author,
        "author_label": wanted.author_label,
        "hypothesis__icontains": wanted.text,
    }
    pairs = pairs.filter(**{name: value for name, value in columns.items() if value})
    if wanted.votes:
        seats = Label.objects.seats().filter(question=question, pair=OuterRef("pk"))
        pairs = pairs.filter(Exists(seats))
    if wanted.source == ADJUDICATED:
        pairs = pairs.filter(
            Exists(Adjudication.objects.filter(question=question, pair=OuterRef("pk"), withdrawn_at=None))
        )
    if wanted.skipped:
        skips = BatchItem.objects.filter(
            seat__pair=OuterRef("pk"), seat__question=question, skip_reason__isnull=False
        )
        pairs = pairs.filter(Exists(skips))
    return pairs


def _by_votes(wanted: Wanted) -> Q:
    """Returns the other filters, as a condition on `with_gold_label`."""
    condition = {
        "complete": is_complete(),
        "unanimous": is_complete() & is_unanimous(),
        "split": is_complete() & ~is_unanimous(),
        "disputed": is_disputed(),
    }.get(wanted.votes, Q())
    if wanted.gold:
        condition &= Q(gold_label=None) if wanted.gold == "none" else Q(gold_label=wanted.gold)
    return condition & Q(gold_source=wanted.source) if wanted.source else condition


# The columns of a row; pairs/api.py describes them. Premises are loaded as text and number of sentences.
ROW = {
    "id": "public_id",
    "genre": "premise__genre__slug",
    "premise_id": "premise__public_id",
    "premise": "premise__text",
    **{name: name for name in ("hypothesis", "author_label", "published_label", "published_partition")},
    "author": "author__code",
    **{name: name for name in ("gold_label", "gold_source", "gold_note")},
}
LABEL = {"position": "position", "label": "label", "origin": "origin", "annotator": "annotator__code"}


def rows_of(question: Question, keys: Collection[int]) -> list[dict[str, Any]]:
    """Returns these pairs with gold label and labels, ordered by key, as REST shows them.

    It makes two queries and no model objects, which took most of the time.
    """
    given: defaultdict[int, list[dict[str, Any]]] = defaultdict(list)
    counted = Label.objects.filter(question=question, pair__in=keys).counted().order_by("pair", "position")
    for pair, *label in counted.values_list("pair", *LABEL.values()):
        given[pair].append(dict(zip(LABEL, label, strict=True)))
    pairs = with_gold_label(Pair.objects.all(), question, keys).order_by("pk")
    rows = []
    for pair, sentences, *values in pairs.values_list("pk", "premise__sentence_count", *ROW.values()):
        row = dict(zip(ROW, values, strict=True))
        row["premise"] = sentences_of(row["premise"], sentences)
        row["labels"] = given[pair]
        rows.append(row)
    return rows


def lines_of(question: Question, pairs: QuerySet[Pair]) -> Iterator[bytes]:
    """Yields the rows of these pairs as JSON Lines, portion by portion; each portion is read when its turn comes.

    Memory holds one portion, and no query or transaction stays open while the client reads.
    """
    keys = pairs.order_by("pk").values_list("pk", flat=True)
    after = 0
    while portion := list(keys.filter(pk__gt=after)[:LINES_AT_ONCE]):
        rows = rows_of(question, portion)
        yield "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows).encode()
        after = portion[-1]
