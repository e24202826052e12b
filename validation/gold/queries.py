"""Queries over votes and gold labels: they join the view of validation/gold/sql_view.py to pairs."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection, transaction
from django.db.models import F, Q, QuerySet, Value

from collection.models import Pair
from nli.agreement import has_all_labels
from nli.gold import ADJUDICATED, OF_ALL
from shared.among import Among
from shared.facets import agreement_class
from validation.models import Label, Question

COLUMNS = {
    **{name: name for name in ("votes", "waiting", "most", "seats", "threshold", "is_settled", "voted")},
    **{f"{name}_label": name for name in ("adjudicated", "standing")},
    **{f"gold_{name}": name for name in ("label", "source", "note")},
}


def with_gold_label(
    pairs: QuerySet[Pair], question: Question, keys: Collection[int] | None = None
) -> QuerySet[Pair]:
    """Joins votes and gold label to pairs of the question's corpus, as attributes of each pair.

    gold_label (None if there is none), gold_source, gold_note. votes, waiting: how many of the seats are filled, and
    open. votes_0, votes_1, ...: how many have the first, the second, ... label of the question. most: the votes of the
    most frequent label. seats, threshold: the pair's own, which its published partition may lower. voted: the label that
    the votes give, whatever else decided.

    keys: ids of pairs. Without them the database counts the labels of the whole corpus, whatever other filters
    `pairs` has, so a page always passes its keys.
    """
    named: list[Any] = []
    of_gold: dict[str, Any] = {"gold__question": question}
    if keys is not None:
        named = [Among("gold__pair_id", keys), Among("pk", keys)]
        # Beside the keys, their limits lead PostgreSQL along an index where it would otherwise read all labels.
        of_gold |= {"gold__pair__gte": min(keys, default=0), "gold__pair__lte": max(keys, default=0)}
    votes = {f"votes_{k}": F(f"gold__votes_{k}") for k in range(len(question.labels))}
    columns = {name: F(f"gold__{column}") for name, column in COLUMNS.items()}
    return pairs.filter(*named, **of_gold).annotate(**votes, **columns)


def missing_answers(question: Question) -> Any:
    """Returns an expression on `with_gold_label`: the answers of a pair that are missing, as in `nli.agreement.Pattern`."""
    return F("answers_left_out") + F("waiting") if question.gold_rule == OF_ALL else Value(0)


def gold_and_upheld(
    question: Question, keys: Collection[int]
) -> tuple[dict[int, str | None], dict[int, bool]]:
    """Returns pair -> gold label; and pair -> whether that is the author's, for those that `gold_equals_author` counts."""
    rows = with_gold_label(Pair.objects.all(), question, keys).values_list(
        "pk", "gold__label", "gold__author_vote", "votes", missing_answers(question)
    )
    labels, upheld = {}, {}
    for pk, label, author, votes, missing in rows:
        labels[pk] = label
        if author is not None and has_all_labels(votes, question.rule, missing):
            upheld[pk] = label == question.rule.reads[author]
    return labels, upheld


def waits_for_adjudication(question: Question) -> Q:
    """Returns a condition on `with_gold_label`: no seat is open any more, and the votes did not decide.

    A pair of a published corpus may have fewer labels than seats: it waits too, since nobody will fill the rest.
    A pair never waits if a label was published together with its votes.
    """
    if question.gold_rule != ADJUDICATED:
        return Q(pk__in=[])
    undecided = Q(adjudicated_label=None, standing_label=None, voted=None)
    return undecided & Q(is_settled=True)


def is_complete() -> Q:
    """Returns a condition on `Gold`, and on `with_gold_label`: every seat of the pair is filled.

    A published pair may have more votes than its partition has seats. These votes count, up to the question's seats.
    """
    return Q(votes__gte=F("seats"))


def is_unanimous() -> Q:
    """Returns a condition on `with_gold_label`: all votes are the same."""
    return Q(most=F("votes"))


def is_disputed() -> Q:
    """Returns a condition on `Gold`, and on `with_gold_label`: every seat is filled, and the votes give no gold label."""
    return is_complete() & Q(voted=None)


def agrees(part: int) -> Q:
    """Returns a condition as above: every seat is filled, and the share of the most frequent label is in this class."""
    return is_complete() & agreement_class(part)


def how_votes_stand() -> dict[str, Q]:
    """Returns name -> condition on `Gold`, and on `with_gold_label`. A pair with seats may fit several."""
    return {
        "open": ~is_complete(),
        "complete": is_complete(),
        "unanimous": is_complete() & is_unanimous(),
        "split": is_complete() & ~is_unanimous(),
        "disputed": is_disputed(),
    }


def split_pairs(question: Question, most_votes: int) -> QuerySet[Pair]:
    """Returns the pairs whose seats are all filled and in which no label has more than `most_votes`.

    Unanimous pairs are among them only if `most_votes` is as large as the question's seats. Otherwise a pair with
    fewer seats would pass although its votes do not split.
    """
    pairs = Pair.objects.standing().filter(corpus=question.corpus_id)
    condition = is_complete() & Q(most__lte=most_votes)
    if most_votes < question.seats:
        condition &= ~is_unanimous()
    return with_gold_label(pairs, question).filter(condition)


def adjudication_queue(question: Question) -> QuerySet[Pair]:
    """Returns the pairs that wait for a researcher's decision, ordered by id."""
    pairs = Pair.objects.standing().filter(corpus=question.corpus_id)
    return with_gold_label(pairs, question).filter(waits_for_adjudication(question)).order_by("pk")


def deciding_labels(question: Question) -> Any:
    """Returns the labels in this question's seats; those of the main question decide the gold labels.

    Labels with the same `pair_id` and `sentence` belong together. `sentence` is 0 unless the question asks about
    single sentences.
    """
    labels = Label.objects.in_seats_of(question).order_by()
    return labels.filter(sentence__gt=0) if question.by_sentence else labels.filter(sentence=0)


@contextmanager
def more_sort_memory() -> Iterator[None]:
    """Gives PostgreSQL enough memory to sort and to aggregate without temporary files.

    For rows that are fetched in portions, it also makes PostgreSQL choose the plan that is fastest for all rows,
    not for the first ones.
    """
    with transaction.atomic():
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SET LOCAL work_mem = '64MB'; SET LOCAL cursor_tuple_fraction = 1")
        yield
