"""Statistics that take too long for a page: a worker computes them, a row stores them with their date.

A small corpus is computed during the request and needs no stored row. A request for a large one is a job (jobs/); its
row keeps the last result until the new one is there.
"""

import contextlib
import json
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Left
from django.utils import timezone

from collection.models import Corpus, Exclusion, Pair, Premise
from jobs import claims
from jobs.claims import Claim, InOtherHands, JobFailed
from shared.days import monday_of, start_of_day
from validation.gold.queries import adjudication_queue
from validation.models import Adjudication, Assignment, CachedStatistics, Label, Question
from validation.statistics.agreement import (
    AgreementReport,
    agreement_with_intervals,
    pairwise_kappa,
    report,
    report_from,
)
from validation.statistics.annotator_quality import Annotator, annotators
from validation.statistics.cross_table import cross_table
from validation.statistics.pair_counts import Group, as_content, from_content, pair_counts
from validation.statistics.progress import NothingToCount, Progress, ignore_progress
from validation.statistics.reliability_models import fit_models

Kind = CachedStatistics.Kind
# Up to this many seats, statistics are computed during the request: 0.3 s at most on two idle cores.
MOST_SEATS_IN_REQUEST = 50_000
# The agreement page opens with this breakdown. Its cached statistics also hold everything that needs no breakdown.
FIRST_DIMENSION = "genre"
MOST_PREMISES_IN_REQUEST = 20_000
MOST_SEATS_ON_DASHBOARD = 5_000  # lower for the home page: it may show many corpora, and refreshes itself
CORPORA_A_PAGE = 20  # of the home page; of more, a worker counts each, and they are sorted by what it counted
RECOMPUTE_AFTER = timedelta(minutes=10)
VERSION = 12  # of the content that COMPUTE makes; content of another version is not shown

# Apps above this one add their kinds when they start.
COMPUTE: dict[str, Callable[[Question, str, Progress], Any]] = {
    Kind.AGREEMENT: lambda question, by, progress: report(
        Pair.objects.filter(corpus=question.corpus), question, by=by, progress=progress
    ).as_content(),
    Kind.PAIRWISE: lambda question, by, progress: pairwise_kappa(question),
    Kind.ANNOTATORS: lambda question, by, progress: [asdict(each) for each in annotators(question)],
    Kind.MODELS: lambda question, by, progress: fit_models(question, progress),
    Kind.CROSS_TABLE: cross_table,
    Kind.PAIRS: lambda question, by, progress: as_content(pair_counts(question)),
}

# How the content of a kind is read; others are used as they are stored.
READ: defaultdict[str, Callable[[Any], Any]] = defaultdict(
    lambda: lambda content: content,
    {
        Kind.AGREEMENT: report_from,
        Kind.ANNOTATORS: lambda content: [
            Annotator(**{**each, "flags": tuple(each["flags"])}) for each in content
        ],
        Kind.PAIRS: from_content,
    },
)


def current(question: Question, kind: str, by: str = "") -> tuple[Any, CachedStatistics | None]:
    """Returns (content, row) for a page; the content is as COMPUTE makes it.

    For a small corpus it computes the content now, and there is no row. For a large one it returns what a worker
    computed at `row.made_at`, or None if there is nothing yet. A web request never fits models, nor tokenizes
    hypotheses.
    """
    if is_computed_in_request(question, kind, by):
        return COMPUTE[kind](question, by, ignore_progress), None
    return stored(question, kind, by)


def stored(question: Question, kind: str, by: str = "") -> tuple[Any, CachedStatistics]:
    """Returns the last content that a worker computed, or None, and its row; the row is unsaved if there is none.

    Content of another version is not returned: `row.is_outdated`, and a worker computes it again.
    """
    row = CachedStatistics.objects.filter(question=question, kind=kind, by=by).first()
    version, content = json.loads(row.content) if row and row.content else (VERSION, None)
    row = row or CachedStatistics(kind=kind, by=by)
    row.is_outdated = version != VERSION
    return (None if row.is_outdated else content), row


def content_of(row: CachedStatistics) -> Any:
    """Returns the content of a row that was computed; None if it is of another version."""
    version, content = json.loads(row.content)
    return content if version == VERSION else None


def outdated() -> QuerySet[CachedStatistics]:
    """Returns the rows whose content is of another version, and for which nobody waits: not those that failed since."""
    beginning = json.dumps([VERSION, 0]).removesuffix("0]")
    rows = CachedStatistics.objects.filter(status=CachedStatistics.Status.IDLE, made_at__isnull=False)
    rows = rows.annotate(begins=Left("content", len(beginning))).exclude(begins=beginning)
    return rows.select_related("question").defer("content").order_by("pk")


def current_agreement(question: Question, by: str) -> tuple[AgreementReport | None, CachedStatistics | None]:
    found, row = current(question, Kind.AGREEMENT, by)
    return (READ[Kind.AGREEMENT](found) if found else None), row


def current_annotators(question: Question) -> tuple[list[Annotator] | None, CachedStatistics | None]:
    found, row = current(question, Kind.ANNOTATORS)
    return (None if found is None else READ[Kind.ANNOTATORS](found)), row


def current_pair_counts(question: Question) -> tuple[list[Group] | None, CachedStatistics | None]:
    found, row = current(question, Kind.PAIRS)
    return (None if found is None else READ[Kind.PAIRS](found)), row


def is_computed_in_request(question: Question, kind: str, by: str = "") -> bool:
    """Returns whether the statistics are computed during the web request."""
    if kind in (Kind.MODELS, Kind.BIAS, Kind.ALARM, Kind.OVERVIEW):
        return False
    if kind in (Kind.CELLS, Kind.WITHOUT):  # each draws premises a thousand times for each of its parts
        return _has_at_most(question, MOST_SEATS_ON_DASHBOARD)
    if kind in (Kind.PAIRS, Kind.WAGES, Kind.FINISHED):  # a part of a page that shows more
        return not with_size(Question.objects.filter(pk=question.pk)).get().is_large  # type: ignore[attr-defined]
    # Counting the labels of each person takes twice as long as counting those of each pair.
    most = MOST_SEATS_IN_REQUEST
    return _has_at_most(question, most if kind == Kind.AGREEMENT and by != "validator" else most // 2)


def is_large(question: Question) -> bool:
    """Returns whether a page should come before what is counted over all labels of the question."""
    return not _has_at_most(question, MOST_SEATS_IN_REQUEST)


def is_large_corpus(corpus: Corpus) -> bool:
    """Returns whether a page should come before what is counted over the whole corpus."""
    question = Question.objects.filter(corpus=corpus, is_main=True).first()
    return question is not None and is_large(question)


def _has_at_most(question: Question, seats: int) -> bool:
    return Label.objects.filter(question=question).order_by().values("pk")[: seats + 1].count() <= seats


def with_size(questions: QuerySet[Question]) -> QuerySet[Question]:
    """Adds `is_large`: whether the corpus has too many seats, pairs or premises for a page that shows many corpora."""
    beyond = slice(MOST_SEATS_ON_DASHBOARD, MOST_SEATS_ON_DASHBOARD + 1)
    seats = Label.objects.filter(question=OuterRef("pk")).order_by().values("pk")[beyond]
    pairs = Pair.objects.filter(corpus=OuterRef("corpus")).order_by().values("pk")[beyond]
    beyond = slice(MOST_PREMISES_IN_REQUEST, MOST_PREMISES_IN_REQUEST + 1)
    premises = Premise.objects.filter(corpus=OuterRef("corpus")).order_by().values("pk")[beyond]
    parts = {"a_seat": seats, "a_pair": pairs, "a_premise": premises}
    sized = questions.annotate(**{name: Subquery(part) for name, part in parts.items()})
    return sized.annotate(is_large=Q(*((f"{name}__isnull", False) for name in parts), _connector=Q.OR))


def stored_overviews(
    questions: Collection[Question | int],
) -> dict[int, tuple[dict[str, Any], datetime | None]]:
    """Returns question id -> (the counts of its corpus, the time of the count), for corpora that were counted."""
    rows = CachedStatistics.objects.filter(question__in=questions, kind=Kind.OVERVIEW, made_at__isnull=False)
    read = {row.question_id: (json.loads(row.content), row.made_at) for row in rows}
    return {
        pk: (content, made_at) for pk, ((version, content), made_at) in read.items() if version == VERSION
    }


def stored_overview(corpus: Corpus) -> tuple[dict[str, Any], datetime | None]:
    """Returns the counts of a corpus and the time of the count; ({}, None) if no worker has counted it."""
    main = list(Question.objects.filter(corpus=corpus, is_main=True))
    return next(iter(stored_overviews(main).values()), ({}, None))


def dashboard_agreement(question: Question) -> tuple[dict[str, Any] | None, datetime | None]:
    """Returns the statistics of the papers' tables, with `intervals`, for a page that shows many corpora, and their date.

    For a very small corpus it computes them now, and there is no date. Returns (None, None) if nothing is stored yet.
    """
    if _has_at_most(question, MOST_SEATS_ON_DASHBOARD):
        return agreement_with_intervals(Pair.objects.filter(corpus=question.corpus_id), question), None
    row = _newest_agreement(question)
    if row is None:
        return None, None
    content = json.loads(row.content)[1]
    return {**content["figures"], "intervals": content["intervals"]}, row.made_at


def _newest_agreement(question: Question) -> CachedStatistics | None:
    """Returns the newest agreement by any dimension: the statistics of the whole corpus are the same in each."""
    rows = CachedStatistics.objects.filter(question=question, kind=Kind.AGREEMENT, made_at__isnull=False)
    row = rows.order_by("-made_at").first()
    return row if row and json.loads(row.content)[0] == VERSION else None


def waiting_for_decision(question: Question) -> int | None:
    """Counts the pairs that wait for adjudication; None if no worker has counted them yet.

    For all but very small corpora, it returns the number that a worker last counted, minus the decisions since
    then.
    """
    if _has_at_most(question, MOST_SEATS_ON_DASHBOARD):
        return adjudication_queue(question).count()
    row = _newest_agreement(question)
    if row is None:
        return None
    decided = Adjudication.objects.standing().filter(question=question, created_at__gt=row.made_at)
    return max(0, int(json.loads(row.content)[1]["undecided"]) - decided.count())


def mark_stale(*, corpus: Corpus | int) -> None:
    """Marks the stored statistics of a corpus as older than its labels.

    Every action that changes labels or gold labels without closing a batch calls it: imports, withdrawals,
    exclusions, adjudications.
    """
    CachedStatistics.objects.filter(question__corpus=corpus).update(changes=F("changes") + 1)


def stale_agreement(now: datetime) -> list[Question]:
    """Returns main questions whose agreement is older than ten minutes and older than their labels."""
    stale = []
    for question in Question.objects.filter(is_main=True).select_related("corpus").order_by("pk"):
        if _has_at_most(question, MOST_SEATS_ON_DASHBOARD):
            continue
        row = _newest_agreement(question)
        labels = Label.objects.filter(question=question)
        if row is None or row.made_at is None:
            stale += [question] * labels.counted().exists()
        elif row.made_at < now - RECOMPUTE_AFTER and (
            row.is_stale or labels.filter(cast_at__gt=row.made_at).exists()
        ):
            stale.append(question)
    return stale


def flagged() -> list[tuple[Question, int]]:
    """Returns main questions with their number of flagged annotators, without those who are excluded by now."""
    made = CachedStatistics.objects.filter(
        kind=Kind.ANNOTATORS, question__is_main=True, made_at__isnull=False
    )
    rows = made.select_related("question__corpus").order_by("question__corpus__slug")
    if not rows:
        return []
    excluded = set(Exclusion.objects.standing().values_list("corpus", "annotator__code"))
    found = []
    for row in rows:
        people = content_of(row) or ()
        corpus = row.question.corpus_id
        number = sum(bool(each["flags"]) and (corpus, each["code"]) not in excluded for each in people)
        if number:
            found.append((row.question, number))
    return found


def stale_annotators(now: datetime) -> list[Question]:
    """Returns main questions whose annotator statistics are older than ten minutes and than a closed batch."""
    made = {
        row.question_id: row
        for row in CachedStatistics.objects.filter(kind=Kind.ANNOTATORS, made_at__isnull=False).defer(
            "content"
        )
    }
    stale = []
    for question in Question.objects.filter(is_main=True).select_related("corpus").order_by("pk"):
        row = made.get(question.pk)
        batches = Assignment.objects.filter(question=question, closed_at__isnull=False)
        if row is None or row.made_at is None:
            stale += [question] * batches.exists()
        elif row.made_at < now - RECOMPUTE_AFTER and (
            row.is_stale or batches.filter(closed_at__gt=row.made_at).exists()
        ):
            stale.append(question)
    return stale


def stale_overviews(now: datetime, kind: str = Kind.OVERVIEW) -> list[Question]:
    """Returns main questions of large corpora whose overview is older than ten minutes and than the last change.

    Those of all corpora, if they are more than a page.

    kind: of OVERVIEW, PAIRS, WAGES or FINISHED, which a closed batch, a new pair and a new premise change.
    """
    made = {
        row.question_id: row
        for row in CachedStatistics.objects.filter(kind=kind, made_at__isnull=False).defer("content")
    }
    main = Question.objects.filter(is_main=True).select_related("corpus").order_by("pk")
    stale = []
    are_many = kind == Kind.OVERVIEW and Corpus.objects.count() > CORPORA_A_PAGE
    for question in with_size(main):
        row = made.get(question.pk)
        is_counted = are_many or question.is_large  # type: ignore[attr-defined]
        if is_counted and (row is None or row.made_at is None):
            stale.append(question)
        elif row and row.made_at and row.made_at < now - RECOMPUTE_AFTER:
            batches = Assignment.objects.filter(question=question, closed_at__gt=row.made_at)
            # The newest row of each is found by the key, and tells when the last one came.
            newest = [
                model.objects.filter(corpus=question.corpus_id)
                .order_by("-pk")
                .values_list("created_at", flat=True)[:1]
                for model in (Pair, Premise)
            ]
            came = [each for found in newest for each in found]
            if row.is_stale or any(each > row.made_at for each in came) or batches.exists():
                stale.append(question)
    return stale


def missing_this_week(now: datetime) -> Iterator[tuple[Question, str, str]]:
    """Yields (question, kind, by) of what researchers look at when a week begins, if nobody asked for it in this week.

    Of large corpora: the last week without each person and genre, and agreement by genre and week. What hypotheses give away
    by prompt version is only counted again: the first count is a researcher's choice.
    """
    monday = monday_of(start_of_day(now))
    last = (monday - timedelta(days=7)).date().isoformat()
    wanted = ((Kind.WITHOUT, last), (Kind.CELLS, f"{FIRST_DIMENSION},week"), (Kind.BIAS, "version"))
    since = Q(requested_at__gte=monday) | Q(made_at__gte=monday)
    for question in Question.objects.filter(is_main=True).select_related("corpus").order_by("pk"):
        for kind, by in wanted:
            rows = CachedStatistics.objects.filter(question=question, kind=kind, by=by)
            is_first_look = kind == Kind.BIAS and not rows.exists()
            if is_first_look or is_computed_in_request(question, kind, by) or rows.filter(since).exists():
                continue
            if Label.objects.filter(question=question).counted().exists():
                yield question, kind, by


def missing_tonight(now: datetime) -> Iterator[Question]:
    """Yields main questions of corpora that were written on since their alarm was counted, unless it was counted today."""
    today = start_of_day(now)
    made = dict(CachedStatistics.objects.filter(kind=Kind.ALARM).values_list("question", "requested_at"))
    for question in Question.objects.filter(is_main=True).order_by("pk"):
        pair = (
            Pair.objects.filter(corpus=question.corpus_id)
            .only("created_at", "source")
            .order_by("-pk")
            .first()
        )
        asked = made.get(question.pk)
        if pair and pair.source_id is None and (asked is None or asked < min(today, pair.created_at)):
            yield question


def request_statistics(*, question: Question, kind: str, by: str = "") -> CachedStatistics:
    """Requests a computation, and returns its row, which waits for a worker. A request that already waits remains."""
    row: CachedStatistics = claims.request(
        CachedStatistics, CachedStatistics.Status.IDLE, question=question, kind=kind, by=by
    )
    return row


def cancel_request(*, question: Question, kind: str, by: str = "") -> bool:
    """Cancels a request; a worker that computes it stops within seconds. The stored content stays.

    Returns False if there was no request.
    """
    return claims.stop(CachedStatistics.objects.filter(question=question, kind=kind, by=by))


def carry_out(statistics_id: int, row: CachedStatistics | None = None) -> None:
    """Carries out a request; does nothing if there is none. The row stores why a computation failed.

    Raises CachedStatistics.DoesNotExist, jobs.claims.Interrupted.
    """
    with contextlib.suppress(InOtherHands, JobFailed, NothingToCount):
        claims.carry_out(CachedStatistics, statistics_id, _compute, row=row, expected=(NothingToCount,))


def _compute(claim: Claim) -> None:
    claim.finish(**_computed(claim.row, lambda part: claim.report("", part)))


def store(
    *, question: Question, kind: str, by: str = "", progress: Progress = ignore_progress
) -> CachedStatistics:
    """Computes statistics in this process and stores them; ends a request for them that no worker has claimed.

    A worker that computes them goes on: its claim and its job are its own.
    """
    row, _ = CachedStatistics.objects.get_or_create(question=question, kind=kind, by=by)
    computed = _computed(row, progress)
    stored = CachedStatistics.objects.filter(pk=row.pk)
    with transaction.atomic():
        stored.update(**computed)
        claims.settle(stored)
    row.refresh_from_db()
    return row


def _computed(row: CachedStatistics, progress: Progress) -> dict[str, Any]:
    """Computes the content of a row. Time and changes are those of the beginning: what comes later may not be in it."""
    began = timezone.now()
    changes = CachedStatistics.objects.values_list("changes", flat=True).get(pk=row.pk)
    content = COMPUTE[row.kind](row.question, row.by, progress)
    return {"content": json.dumps([VERSION, content]), "made_at": began, "changes_counted": changes}
