"""An annotator's work by day, and how well their labels agree with the gold labels."""

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from django.db.models import Count, QuerySet, Sum
from django.db.models.functions import TruncDate

from accounts.models import User
from collection.models import LedgerEntry, Pair
from validation.gold.queries import is_complete, with_gold_label
from validation.models import CalibrationAnswer, Label, Question
from validation.statistics.annotator_quality import FEWEST

NEWEST = 1000  # labels that the page compares with gold labels


@dataclass
class Day:
    """An annotator's day, in their time zone: hypotheses written, pairs labelled, cents earned."""

    date: date
    written: int = 0
    labelled: int = 0
    cents: int = 0


def days_of(annotator: User, *, until: date, days: int) -> list[Day]:
    """Returns the last `days` days until `until` with work, newest first. Four queries.

    Surplus and withdrawn work counts, since it stays paid. Calibration items count as pairs, since annotators cannot
    tell them from pairs.
    """
    found: dict[date, Day] = {}
    since = until - timedelta(days=days - 1)
    work: list[tuple[str, QuerySet, str, Count | Sum]] = [
        (
            "written",
            Pair.objects.filter(author=annotator, assignment__isnull=False, mends=None),
            "created_at",
            Count("pk"),
        ),
        ("labelled", Label.objects.cast_by(annotator), "cast_at", Count("pk")),
        (
            "labelled",
            CalibrationAnswer.objects.filter(annotator=annotator, answer__isnull=False),
            "answered_at",
            Count("pk"),
        ),
        ("cents", LedgerEntry.objects.filter(user=annotator), "created_at", Sum("cents")),
    ]
    for name, rows, moment, figure in work:
        grouped = rows.annotate(day=TruncDate(moment)).filter(day__range=(since, until)).order_by()
        for day, value in grouped.values("day").annotate(value=figure).values_list("day", "value"):
            row = found.setdefault(day, Day(day))
            setattr(row, name, getattr(row, name) + value)
    return sorted(found.values(), key=lambda day: day.date, reverse=True)


@dataclass(frozen=True)
class OwnStatistics:
    """What annotators see about their own labels for one corpus.

    pairs: pairs of the newest labels that have all labels and a gold label. equals_gold: the share of these labels that
    equal the gold label; None for fewer than FEWEST pairs, where it would reveal single gold labels. bonuses: control
    items with the expert's label. The number of control items is secret, so that nobody can recognise them.
    """

    corpus: str
    pairs: int
    equals_gold: float | None
    bonuses: int


def own_statistics(annotator: User) -> list[OwnStatistics]:
    """Returns statistics for each corpus with a label of this annotator that counts, by name; nothing about others."""
    mine = Label.objects.filter(annotator=annotator, origin=Label.Origin.CAST)
    questions = Question.objects.filter(is_main=True, pk__in=mine.cast().values("question"))
    return [
        _own(annotator, question) for question in questions.select_related("corpus").order_by("corpus__name")
    ]


def _own(annotator: User, question: Question) -> OwnStatistics:
    newest = Label.objects.filter(annotator=annotator, question=question, origin=Label.Origin.CAST).counted()
    given = dict(newest.order_by("-cast_at", "-pk").values_list("pair", "label")[:NEWEST])
    rows: Any = with_gold_label(Pair.objects.all(), question, list(given))
    gold = rows.filter(is_complete(), gold_label__isnull=False).values_list("pk", "gold_label")
    equal = [given[pk] == label for pk, label in gold]
    return OwnStatistics(
        corpus=question.corpus.name,
        pairs=len(equal),
        equals_gold=sum(equal) / len(equal) if len(equal) >= FEWEST else None,
        bonuses=LedgerEntry.objects.filter(
            user=annotator, corpus=question.corpus_id, kind=LedgerEntry.Kind.BONUS
        ).count(),
    )
