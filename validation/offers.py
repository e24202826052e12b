"""What there is to do for one person, and what they did: reads over collection and validation together."""

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from django.db.models import Count, Exists, Max, Min, OuterRef, Q, QuerySet, Sum
from django.db.models.functions import Coalesce, TruncDate
from django.utils import timezone

from accounts.models import Grant, LedgerEntry, User
from collection.actions import start_of_day
from collection.models import Corpus, Pair, PromptVersion, WritingAssignment, WritingSeat
from collection.querysets import PairQuerySet
from validation.models import Label, Membership, Question

OFFERS_SHOWN = 30


def unopened_pairs(question: Question) -> PairQuerySet:
    """Pairs of the corpus that nobody has been asked about yet under this question."""
    return Pair.objects.standing().filter(corpus=question.corpus_id).exclude(labels__question=question)


@dataclass(frozen=True)
class Offer:
    """A corpus with work for this person. Pay in cents for a premise, or for one label; time in seconds."""

    corpus: Corpus
    writes: bool
    labels: bool
    question: Question | None
    least_pay: int | None
    most_pay: int | None
    seconds: int | None


def offers_for(annotator: User) -> list[Offer]:
    """The corpora that have something for this annotator at this moment, in three queries.

    EXISTS, not COUNT: a start page must not read 400,000 rows to say "there is work".
    """
    now = timezone.now()
    seats = (
        WritingSeat.objects.claimable_at(now)
        .given_to(annotator)
        .not_touched_by(annotator)
        .filter(genre__corpus=OuterRef("pk"))
    )
    held = Grant.objects.standing().filter(user=annotator, qualification=OuterRef("writing_qualification"))
    today = WritingAssignment.objects.given_since(annotator, start_of_day(now), OuterRef("pk"))
    may_write = (Q(writing_qualification=None) | Exists(held)) & (
        Q(max_tasks_per_day=None) | Q(max_tasks_per_day__gt=Coalesce(today, 0))
    )
    active = Membership.objects.filter(annotator=annotator, question__corpus=OuterRef("pk"), status="active")
    barred = Membership.objects.filter(annotator=annotator, question__corpus=OuterRef("pk")).exclude(
        status="active"
    )
    free = (
        Label.objects.claimable_at(now)
        .filter(question__corpus=OuterRef("pk"), question__is_main=True)
        .not_by_author(annotator)
        .without_pairs_of(annotator)
    )
    holds_seat = WritingSeat.objects.unwritten().filter(
        genre__corpus=OuterRef("pk"), annotator=annotator, assignments__closed_at=None
    )
    holds_batch = Label.objects.open().filter(question__corpus=OuterRef("pk"), annotator=annotator)
    may_label = (Q(questions__pool_is_open=True, questions__is_main=True) & ~Exists(barred)) | Exists(active)
    corpora = (
        Corpus.objects.annotate(
            writes=(Q(Exists(seats)) & may_write) | Q(Exists(holds_seat)),
            labels_wait=(Q(Exists(free)) | Q(Exists(holds_batch))) & may_label,
        )
        .filter(Q(writes=True) | Q(labels_wait=True))
        .order_by("pk")[:OFFERS_SHOWN]
    )
    return _with_pay(list(corpora))


def _with_pay(corpora: list[Corpus]) -> list[Offer]:
    questions = {
        question.corpus_id: question for question in Question.objects.filter(corpus__in=corpora, is_main=True)
    }
    newer = PromptVersion.objects.filter(prompt=OuterRef("prompt"), number__gt=OuterRef("number"))
    pay: dict[int, Any] = {
        row["prompt__corpus"]: row
        for row in PromptVersion.objects.filter(~Exists(newer), prompt__corpus__in=corpora)
        .order_by()
        .values("prompt__corpus")
        .annotate(least=Min("pay_cents"), most=Max("pay_cents"), seconds=Max("seconds"))
    }
    return [
        Offer(
            corpus=corpus,
            writes=corpus.writes,  # type: ignore[attr-defined]
            labels=corpus.labels_wait,  # type: ignore[attr-defined]
            question=questions.get(corpus.pk),
            least_pay=pay.get(corpus.pk, {}).get("least"),
            most_pay=pay.get(corpus.pk, {}).get("most"),
            seconds=pay.get(corpus.pk, {}).get("seconds"),
        )
        for corpus in corpora
    ]


@dataclass
class Day:
    """What one person did on one day (UTC): hypotheses written, pairs labelled, cents earned."""

    date: date
    written: int = 0
    labelled: int = 0
    cents: int = 0


def days_of(annotator: User, *, until: date, days: int) -> list[Day]:
    """The days up to and with `until` on which the person did something, newest first. Three queries.

    What was surplus or withdrawn later is counted as well: it was done, and it stays paid.
    """
    found: dict[date, Day] = {}
    since = until - timedelta(days=days - 1)
    work: list[tuple[str, QuerySet, str, Count | Sum]] = [
        (
            "written",
            Pair.objects.filter(author=annotator, assignment__isnull=False),
            "created_at",
            Count("pk"),
        ),
        ("labelled", Label.objects.cast_by(annotator), "cast_at", Count("pk")),
        ("cents", LedgerEntry.objects.filter(user=annotator), "created_at", Sum("cents")),
    ]
    for name, rows, moment, figure in work:
        grouped = rows.annotate(day=TruncDate(moment)).filter(day__range=(since, until)).order_by()
        for day, value in grouped.values("day").annotate(value=figure).values_list("day", "value"):
            setattr(found.setdefault(day, Day(day)), name, value)
    return sorted(found.values(), key=lambda day: day.date, reverse=True)
