"""Imports as background jobs: asked for by a page, carried out by a worker, stopped between two portions."""

import contextlib
from typing import Any

from django.core.management.base import CommandError

from accounts.models import User
from annotation_site.intake.incoming import paths_of
from annotation_site.intake.orders import (
    IMPORT_OPTIONS,
    RECAST_OPTIONS,
    looked_at,
    order_of,
    recast_order,
    samples,
)
from annotation_site.intake.pairs import (
    NoLabels,
    PairOrder,
    StrictRefusal,
    WrongCorpus,
    import_pairs,
    summary,
)
from collection.models.imports import PairImportJob
from collection.recasting.form import RecastFormat
from jobs import claims
from jobs.claims import Claim, InOtherHands, JobFailed

SAMPLE = 5
REFUSED_KEPT = 50
REASONS_KEPT = 20


class Stopped(Exception):
    """A researcher stopped the import."""


# What a person can put right; the text says how.
EXPECTED = (CommandError, ValueError, WrongCorpus, NoLabels, StrictRefusal, Stopped)


def order_for(row: PairImportJob) -> PairOrder:
    """What the job is asked for. Raises CommandError, ValueError."""
    files = paths_of(row.files)
    asked = {**row.options, "corpus": row.corpus_slug, "files": files, "dry_run": False}
    if row.recipe:
        _, order = recast_order({**RECAST_OPTIONS, **asked, "recipe": row.recipe})
        return order
    return order_of({**IMPORT_OPTIONS, **asked})


def request_import(
    *, by: User, corpus: str, files: list[str], recipe: str, options: dict[str, Any], dry_run: bool
) -> PairImportJob:
    """Makes the row, which waits for a worker from now on. Raises CommandError, ValueError where it could not be done."""
    row = PairImportJob(
        by=by,
        corpus_slug=corpus,
        files=files,
        recipe=recipe,
        options=options,
        dry_run=dry_run,
        **claims.wanted(PairImportJob),
    )
    order_for(row)
    row.save()
    return row


def stop_import(*, job: PairImportJob) -> bool:
    """Asks a worker to stop after the portion in hand, or ends a job that still waits. False: it is over."""
    waiting = PairImportJob.objects.filter(pk=job.pk, status=PairImportJob.WAITING)
    if waiting.update(
        **{**claims.ended(), "status": PairImportJob.FAILED, "error": "Stopped before it began."}
    ):
        return True
    return bool(
        PairImportJob.objects.filter(pk=job.pk, status=PairImportJob.WORKING).update(stop_requested=True)
    )


def work(job_id: int, worker: str) -> None:
    """Carries a request out for a worker. Why it fails is on the row."""
    with contextlib.suppress(InOtherHands, JobFailed, *EXPECTED):
        claims.carry_out(
            PairImportJob, job_id, _carry_out, worker=worker, progress="reading the files", expected=EXPECTED
        )


def _carry_out(claim: Claim) -> None:
    row: PairImportJob = claim.row
    order = order_for(row)

    def tell(text: str) -> None:
        claim.report(text)
        if PairImportJob.objects.filter(pk=row.pk, stop_requested=True).exists():
            raise Stopped(
                "Stopped. Pairs that were written stay; the same import again passes over them and goes on."
                if not row.dry_run
                else "Stopped. Nothing was written."
            )

    shown = samples(order, SAMPLE)
    if row.dry_run:
        report, found = looked_at(order, tell)
    else:
        report, found = import_pairs(order, tell, claim.confirm), {}
    told = {**summary(order, report), **found, "sample": shown}
    told["refused"] = told["refused"][:REFUSED_KEPT]
    told["reasons"] = dict(list(told["reasons"].items())[:REASONS_KEPT])
    if isinstance(order.form, RecastFormat):
        told["rows"] = order.form.rows_read.total()
        told["passed_over"] = dict(order.form.passed_over.most_common(REASONS_KEPT))
    told["split"] = split_told(order)
    claim.finish(report=told)


def split_told(order: PairOrder) -> str:
    """Which partitions the pairs come into."""
    if order.partition:
        return f"all pairs go into {order.partition}"
    if order.split is None:
        return "the partitions that the files name; pairs without one have none"
    shares = ":".join(map(str, order.split.shares))
    return f"the partitions that the files name; all other pairs {shares}, drawn by group with seed {order.split.seed}"
