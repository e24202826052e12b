"""Figures that take too long for a page: counted by a worker, kept, and shown with the time from which they are.

A small corpus is counted on the spot; it never meets a figure of yesterday. Two workers that count the same
write the same, so a request needs no more than a mark that somebody began.
"""

import json
import logging
from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q, QuerySet
from django.utils import timezone

from collection.models import Pair
from validation.agreement import AgreementReport, pairwise_kappa, report, report_from
from validation.models import Figures, Label, Question
from validation.quality import Annotator, NothingToFit, annotators, fit_models

logger = logging.getLogger(__name__)
Kind = Figures.Kind
# Up to so many labels a page counts by itself: on two cores that takes well under a second.
ON_THE_SPOT = 50_000
EDITION = 1  # of what COUNTS make; what was kept in another one is not shown
STALE_AFTER = timedelta(hours=1)  # a worker that takes longer is dead

COUNTS: dict[str, Callable[[Question, str], Any]] = {
    Kind.AGREEMENT: lambda question, by: report(
        Pair.objects.filter(corpus=question.corpus), question, by=by
    ).as_content(),
    Kind.PAIRWISE: lambda question, by: pairwise_kappa(question),
    Kind.ANNOTATORS: lambda question, by: [asdict(each) for each in annotators(question)],
    Kind.MODELS: lambda question, by: fit_models(question),
}


def shown(question: Question, kind: str, by: str = "") -> tuple[Any, Figures | None]:
    """What a page shows: (content, row), the content as COUNTS makes it.

    A small corpus is counted now and has no row. Else it is what is kept, from `row.made_at`, or None where
    nothing is kept yet. Models are never fitted here.
    """
    if kind != Kind.MODELS and is_small(question):
        return COUNTS[kind](question, by), None
    row = Figures.objects.filter(question=question, kind=kind, by=by).first()
    edition, content = json.loads(row.content) if row and row.content else (EDITION, None)
    return (content if edition == EDITION else None), row or Figures(kind=kind, by=by)


def shown_agreement(question: Question, by: str) -> tuple[AgreementReport | None, Figures | None]:
    kept, row = shown(question, Kind.AGREEMENT, by)
    return (report_from(kept) if kept else None), row


def shown_annotators(question: Question) -> tuple[list[Annotator] | None, Figures | None]:
    kept, row = shown(question, Kind.ANNOTATORS)
    if kept is None:
        return None, row
    return [Annotator(**{**each, "flags": tuple(each["flags"])}) for each in kept], row


def is_small(question: Question) -> bool:
    counted = Label.objects.filter(question=question).counted().order_by()
    return counted.values("pk")[: ON_THE_SPOT + 1].count() <= ON_THE_SPOT


def request_figures(*, question: Question, kind: str, by: str = "") -> Figures:
    """The row, which waits for a worker from now on; one that waits already is left as it is."""
    row, _ = Figures.objects.get_or_create(question=question, kind=kind, by=by)
    waits_not = Figures.objects.filter(pk=row.pk, requested_at=None)
    if waits_not.update(requested_at=timezone.now(), error=""):
        row.refresh_from_db()
    return row


def takeable(now: datetime) -> QuerySet[Figures]:
    """Requests that nobody works on, or whose worker must be dead."""
    stale = Q(started_at=None) | Q(started_at__lt=now - STALE_AFTER)
    return Figures.objects.filter(stale, requested_at__isnull=False)


def count_figures(*, figures_id: int) -> None:
    """Carries a request out; does nothing where none waits. What fails is told in the row."""
    now = timezone.now()
    if not takeable(now).filter(pk=figures_id).update(started_at=now):
        return
    row = Figures.objects.select_related("question__corpus").get(pk=figures_id)
    try:
        keep(question=row.question, kind=row.kind, by=row.by, content=COUNTS[row.kind](row.question, row.by))
    except Exception as error:
        told = str(error)
        if not isinstance(error, NothingToFit):
            logger.exception("Figures %s of %s", row.kind, row.question)
            told = f"The software failed ({type(error).__name__}). Tell its operator, then ask again."
        Figures.objects.filter(pk=row.pk).update(requested_at=None, started_at=None, error=told)


def keep(*, question: Question, kind: str, content: Any, by: str = "") -> Figures:
    """Puts figures in the place of those that were kept; whoever waits for them waits no longer."""
    row, _ = Figures.objects.update_or_create(
        question=question,
        kind=kind,
        by=by,
        defaults={
            "content": json.dumps([EDITION, content]),
            "made_at": timezone.now(),
            "requested_at": None,
            "started_at": None,
            "error": "",
        },
    )
    return row
