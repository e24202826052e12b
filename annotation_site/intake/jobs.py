"""Imports as background jobs: requested by a page, carried out by a worker, stopped between two portions."""

import contextlib
from collections.abc import Callable
from typing import Any

from accounts.models import User
from annotation_site.intake.files import known_corpus
from annotation_site.intake.incoming import paths_of
from annotation_site.intake.looks import looked_at, looked_through, too_much
from annotation_site.intake.orders import (
    RECIPE,
    ImportForm,
    PremiseForm,
    said_on_page,
    samples,
)
from annotation_site.intake.pairs import (
    PairOrder,
    StrictRefusal,
    import_pairs,
    summary,
)
from annotation_site.intake.premises import PremiseOrder, import_premises, preview
from annotation_site.intake.premises import summary as premise_summary
from collection.formats.field_errors import FieldError
from collection.models.imports import PairImportJob
from collection.premises.intake import ReadElsewhere
from collection.recasting.recipe_format import RecastFormat
from jobs import claims
from jobs.claims import Claim, InOtherHands, JobFailed, Stopped
from jobs.tasks import enqueue
from validation.pairs.published_labels import main_question
from validation.statistics.cached import Kind, request_statistics

SAMPLE = 5
REFUSED_KEPT = 50
REASONS_KEPT = 20


# What a person can put right; the text says how.
EXPECTED = (ValueError, StrictRefusal, ReadElsewhere)


def order_for(row: PairImportJob, tell: Callable[[str], None] = lambda text: None) -> PairOrder:
    """Returns the order of the job. Raises ValueError."""
    how = f"{RECIPE}{row.recipe}" if row.recipe else row.options.get("format", "")
    names = row.options.get("names")
    form = ImportForm({**row.options, "corpus": row.corpus_slug, "how": how})
    return form.order(paths_of(row.files), paths_of([names])[0] if names else None, tell)


def premise_order_for(row: PairImportJob) -> PremiseOrder:
    """Returns the order of a job that imports premises. Raises FieldError."""
    return PremiseForm(row.options).order(row.corpus_slug, paths_of(row.files))


def request_import(
    *, by: User, corpus: str, files: list[str], recipe: str, options: dict[str, Any], dry_run: bool
) -> PairImportJob:
    """Creates the row, which waits for a worker. Raises ValueError if the import is not possible."""
    row = PairImportJob(
        by=by,
        corpus_slug=corpus,
        files=files,
        recipe=recipe,
        options=options,
        dry_run=dry_run,
        **claims.wanted(PairImportJob),
    )
    if row.is_of_premises:
        premise_order_for(row)
    else:
        order_for(row)
    row.save()
    return row


def stop_import(*, job: PairImportJob) -> bool:
    """Requests a stop after the current portion, or ends a job that still waits. Returns False if it is over."""
    return claims.stop(PairImportJob.objects.filter(pk=job.pk), _what_stays(job))


def work(job_id: int, row: PairImportJob | None = None) -> None:
    """Carries out a request in a worker. The row stores why it failed."""
    with contextlib.suppress(InOtherHands, JobFailed, Stopped, *EXPECTED):
        claims.carry_out(
            PairImportJob, job_id, _carry_out, row=row, progress="reading the files", expected=EXPECTED
        )


def _carry_out(claim: Claim) -> None:
    try:
        _import(claim)
    except FieldError as problem:
        raise ValueError(said_on_page(problem)) from problem  # a page asked, so a page shows it


def _import(claim: Claim) -> None:
    row: PairImportJob = claim.row

    def tell(text: str) -> None:
        claim.report(text)
        if claim.stop_asked():
            raise Stopped(_what_stays(row))

    if row.is_of_premises:
        premises = premise_order_for(row)
        report_ = (preview if row.dry_run else import_premises)(premises, tell)
        outcome = premise_summary(premises, report_, row.dry_run)
        claim.finish(report={**outcome, "refused": outcome["refused"][:REFUSED_KEPT]})
        return
    order = looked_through(order_for(row, tell), tell, judges=not row.dry_run)
    shown = samples(order, SAMPLE)
    if row.dry_run:
        report, found = looked_at(order, tell)
    else:
        report, found = import_pairs(order, tell, claim.confirm), {}
        if report.unseen:
            question = main_question(corpus=known_corpus(order.slug))
            enqueue(request_statistics(question=question, kind=Kind.BIAS))
    problem = too_much(order, report) if row.dry_run else None
    outcome = {
        **summary(order, report),
        **found,
        "sample": shown,
        "stop": said_on_page(problem) if problem else "",
    }
    outcome["refused"] = outcome["refused"][:REFUSED_KEPT]
    outcome["reasons"] = dict(list(outcome["reasons"].items())[:REASONS_KEPT])
    if isinstance(order.form, RecastFormat):
        outcome["rows"] = order.form.rows_read.total()
        outcome["passed_over"] = dict(order.form.passed_over.most_common(REASONS_KEPT))
    claim.finish(report=outcome)


def _what_stays(row: PairImportJob) -> str:
    """Returns the sentence for an import that was stopped."""
    if row.dry_run:
        return "Stopped. Nothing was written."
    return "Stopped. Pairs that were written stay; the same import skips them and continues."
