"""Figures that take too long for a page: counted by a worker, kept, and shown with the time from which they are.

A corpus that can be counted in about a second is counted on the spot; it never meets a figure of yesterday. A request is a
job (jobs/), whose row keeps what was counted before until the new figures are there.
"""

import contextlib
import json
from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any

from django.db.models import F
from django.utils import timezone
from django.utils.module_loading import import_string

from collection.models import Corpus, Exclusion, Pair
from jobs import claims
from jobs.claims import Claim, InOtherHands, JobFailed
from nli.gold import NONE
from validation.gold.queries import adjudication_queue
from validation.models import Adjudication, Assignment, Figures, Label, Question
from validation.statistics.agreement import AgreementReport, agreement, pairwise_kappa, report, report_from
from validation.statistics.annotator_quality import Annotator, annotators
from validation.statistics.cross_table import cross_table
from validation.statistics.progress import NothingToCount, Progress, untold
from validation.statistics.reliability_models import fit_models

Kind = Figures.Kind
# Up to so many seats a page counts by itself: on two quiet cores that takes about a second at most.
ON_THE_SPOT = 300_000
GLANCE_ON_THE_SPOT = 20_000  # the same for the dashboard, where there may be many corpora
GLANCE_AGE = timedelta(minutes=10)
BIAS = "annotation_site.researchers.corpus_bias.bias_of"
EDITION = 2  # of what COUNTS make; what was kept in another one is not shown

COUNTS: dict[str, Callable[[Question, str, Progress], Any]] = {
    Kind.AGREEMENT: lambda question, by, progress: report(
        Pair.objects.filter(corpus=question.corpus), question, by=by, progress=progress
    ).as_content(),
    Kind.PAIRWISE: lambda question, by, progress: pairwise_kappa(question),
    Kind.ANNOTATORS: lambda question, by, progress: [asdict(each) for each in annotators(question)],
    Kind.MODELS: lambda question, by, progress: fit_models(question, progress),
    Kind.CROSS_TABLE: cross_table,
    # By its dotted name: it belongs to an app above this one.
    Kind.BIAS: lambda question, by, progress: import_string(BIAS)(question, by, progress),
}


def shown(question: Question, kind: str, by: str = "") -> tuple[Any, Figures | None]:
    """What a page shows: (content, row), the content as COUNTS makes it.

    A small corpus is counted now and has no row. Else it is what is kept, from `row.made_at`, or None where
    nothing is kept yet. Models are never fitted here, and hypotheses never cut into words.
    """
    if is_on_the_spot(question, kind, by):
        return COUNTS[kind](question, by, untold), None
    return kept(question, kind, by)


def kept(question: Question, kind: str, by: str = "") -> tuple[Any, Figures]:
    """What a worker counted last, or None; and its row, which is not saved where there is none."""
    row = Figures.objects.filter(question=question, kind=kind, by=by).first()
    edition, content = json.loads(row.content) if row and row.content else (EDITION, None)
    return (content if edition == EDITION else None), row or Figures(kind=kind, by=by)


def shown_agreement(question: Question, by: str) -> tuple[AgreementReport | None, Figures | None]:
    found, row = shown(question, Kind.AGREEMENT, by)
    return (report_from(found) if found else None), row


def shown_annotators(question: Question) -> tuple[list[Annotator] | None, Figures | None]:
    found, row = shown(question, Kind.ANNOTATORS)
    if found is None:
        return None, row
    return [Annotator(**{**each, "flags": tuple(each["flags"])}) for each in found], row


def is_on_the_spot(question: Question, kind: str, by: str = "") -> bool:
    """Whether a page may count this while somebody waits for it."""
    if kind in (Kind.MODELS, Kind.BIAS):
        return False
    # A look at the labels of each person takes twice as long as one at those of each pair.
    most = ON_THE_SPOT if kind == Kind.AGREEMENT and by != "validator" else ON_THE_SPOT // 2
    return _has_at_most(question, most)


def _has_at_most(question: Question, seats: int) -> bool:
    return Label.objects.filter(question=question).order_by().values("pk")[: seats + 1].count() <= seats


def glance(question: Question) -> tuple[dict[str, Any] | None, datetime | None]:
    """The figures of the papers' tables for a page that shows many corpora, and from when they are.

    A very small corpus is counted now and has no date. None: nothing is kept yet.
    """
    if _has_at_most(question, GLANCE_ON_THE_SPOT):
        return agreement(Pair.objects.filter(corpus=question.corpus_id), question), None
    row = _newest_agreement(question)
    return (json.loads(row.content)[1]["figures"], row.made_at) if row else (None, None)


def _newest_agreement(question: Question) -> Figures | None:
    """Agreement as it was counted last, by whatever dimension: the figures of the whole are the same."""
    rows = Figures.objects.filter(question=question, kind=Kind.AGREEMENT, made_at__isnull=False)
    row = rows.order_by("-made_at").first()
    return row if row and json.loads(row.content)[0] == EDITION else None


def waiting_for_decision(question: Question) -> int | None:
    """How many pairs wait for a researcher; None: a worker has not counted yet.

    Of a corpus that is not very small: when a worker last looked, less what was decided since.
    """
    if _has_at_most(question, GLANCE_ON_THE_SPOT):
        return adjudication_queue(question).count()
    content, row = kept(question, Kind.AGREEMENT)
    if content is None:
        return None
    decided = Adjudication.objects.filter(question=question, withdrawn_at=None, created_at__gt=row.made_at)
    return max(0, int(content["breakdown"]["gold_sources"].get(NONE, 0)) - decided.count())


def outdate(*, corpus: Corpus) -> None:
    """Marks what is kept about a corpus as older than its labels: some were imported, or an import was taken back."""
    Figures.objects.filter(question__corpus=corpus).update(imports=F("imports") + 1)


def old_glances(now: datetime) -> list[Question]:
    """Questions whose glance is to be counted anew: labels came since, and ten minutes have passed."""
    old = []
    for question in Question.objects.filter(is_main=True).select_related("corpus").order_by("pk"):
        if _has_at_most(question, GLANCE_ON_THE_SPOT):
            continue
        row = _newest_agreement(question)
        labels = Label.objects.filter(question=question)
        if row is None or row.made_at is None:
            old += [question] * labels.counted().exists()
        elif row.made_at < now - GLANCE_AGE and (
            row.is_outdated or labels.filter(cast_at__gt=row.made_at).exists()
        ):
            old.append(question)
    return old


def flagged() -> list[tuple[Question, int]]:
    """Main questions with people who were flagged when a worker last looked and are not excluded by now: how many."""
    kept = Figures.objects.filter(kind=Kind.ANNOTATORS, question__is_main=True, made_at__isnull=False)
    rows = kept.select_related("question__corpus").order_by("question__corpus__slug")
    if not rows:
        return []
    excluded = set(Exclusion.objects.standing().values_list("corpus", "annotator__code"))
    found = []
    for row in rows:
        edition, content = json.loads(row.content)
        people = content if edition == EDITION else ()
        corpus = row.question.corpus_id
        number = sum(bool(each["flags"]) and (corpus, each["code"]) not in excluded for each in people)
        if number:
            found.append((row.question, number))
    return found


def old_flags(now: datetime) -> list[Question]:
    """Main questions whose annotators are to be looked at anew: a batch came since, and ten minutes have passed."""
    made = {
        row.question_id: row
        for row in Figures.objects.filter(kind=Kind.ANNOTATORS, made_at__isnull=False).defer("content")
    }
    old = []
    for question in Question.objects.filter(is_main=True).select_related("corpus").order_by("pk"):
        row = made.get(question.pk)
        batches = Assignment.objects.filter(question=question, closed_at__isnull=False)
        if row is None or row.made_at is None:
            old += [question] * batches.exists()
        elif row.made_at < now - GLANCE_AGE and (
            row.is_outdated or batches.filter(closed_at__gt=row.made_at).exists()
        ):
            old.append(question)
    return old


def request_figures(*, question: Question, kind: str, by: str = "") -> Figures:
    """The row, which waits for a worker from now on; one that waits already is left as it is."""
    row, _ = Figures.objects.get_or_create(question=question, kind=kind, by=by)
    claims.ask_again(row, Figures.Status.IDLE, Figures.Status.FAILED)
    return row


def stop_figures(*, question: Question, kind: str, by: str = "") -> bool:
    """Withdraws a request; a worker that is at it hears so in a moment. What was kept stays. False: none waited."""
    waiting = Figures.objects.under_way().filter(question=question, kind=kind, by=by)
    return bool(waiting.update(status=Figures.Status.IDLE, **claims.ended()))


def count_figures(*, figures_id: int, worker: str = "") -> None:
    """Carries a request out; does nothing where none waits. Why it fails is on the row.

    Raises Figures.DoesNotExist, jobs.claims.Interrupted.
    """
    with contextlib.suppress(InOtherHands, JobFailed, NothingToCount):
        claims.carry_out(Figures, figures_id, _count, worker=worker, expected=(NothingToCount,))


def work(figures_id: int, worker: str) -> None:
    """Carries a request out for a worker."""
    count_figures(figures_id=figures_id, worker=worker)


def _count(claim: Claim) -> None:
    row: Figures = claim.row
    imports = Figures.objects.values_list("imports", flat=True).get(pk=row.pk)
    content = COUNTS[row.kind](row.question, row.by, lambda part: claim.report("", part))
    claim.finish(**_fields(content), imports_counted=imports)


def keep(*, question: Question, kind: str, content: Any, by: str = "") -> Figures:
    """Puts figures in the place of those that were kept; whoever waits for them waits no longer."""
    done = {**claims.ended(), "status": Figures.Status.IDLE, "error": "", **_fields(content)}
    row, _ = Figures.objects.update_or_create(question=question, kind=kind, by=by, defaults=done)
    return row


def _fields(content: Any) -> dict[str, Any]:
    return {"content": json.dumps([EDITION, content]), "made_at": timezone.now()}
