"""What makes rows of a corpus, as background jobs: a page requests them, a worker carries them out, in portions."""

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from django.core.management.base import CommandError

from accounts.models import User
from accounts.people.gates import answering
from annotation_site.intake.crowd import CrowdOrder, simulate
from annotation_site.intake.crowd import lines as crowd_lines
from annotation_site.intake.files import known_corpus
from annotation_site.intake.incoming import paths_of
from annotation_site.intake.looks import looked_at, looked_through, too_much
from annotation_site.intake.machine_pairs import PairingOrder, pair_premises
from annotation_site.intake.machine_pairs import lines as pairing_lines
from annotation_site.intake.machine_pairs import summary as pairing_summary
from annotation_site.intake.orders import (
    RECIPE,
    CrowdForm,
    ImportForm,
    PremiseForm,
    SceneForm,
    TableForm,
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
from collection.members.actions import MemberRefused, refuse_strangers
from collection.models.imports import PairImportJob
from collection.premises.intake import ReadElsewhere
from collection.recasting.recipe_format import RecastFormat
from jobs import claims
from jobs.claims import Claim, InOtherHands, JobFailed, Stopped
from jobs.tasks import enqueue
from modeling.reports.completing import TableOrder, complete
from nli.wordnet_files import NoWordNet
from snapshots.statistics.job import NoTagger
from validation.pairs.published_labels import main_question
from validation.statistics.cached import Kind, request_statistics

SAMPLE = 5
REASONS_KEPT = 20


# What a person can put right; the text says how.
EXPECTED = (MemberRefused, ValueError, StrictRefusal, ReadElsewhere, NoWordNet, NoTagger, CommandError)
Kinds = PairImportJob.Kind
Tell = Callable[[str], None]


def order_for(row: PairImportJob, tell: Tell) -> PairOrder:
    """Returns the order of the job. Raises ValueError."""
    how = f"{RECIPE}{row.recipe}" if row.recipe else row.options.get("format", "")
    names = row.options.get("names")
    form = ImportForm({**row.options, "corpus": row.corpus_slug, "how": how})
    return form.order(paths_of(row.files), paths_of([names])[0] if names else None, tell)


def checked_order(row: PairImportJob, tell: Tell = lambda text: None) -> Any:
    """Returns the order of a job of any kind. Raises ValueError, also if the corpus belongs to others."""
    try:
        refuse_strangers(row.corpus_slug, row.by)
    except MemberRefused as refusal:
        raise FieldError(str(refusal), "corpus") from None
    if row.kind == Kinds.PAIRS:
        return order_for(row, tell)
    return OTHERS[row.kind].form(row.options).order(row.corpus_slug, paths_of(row.files) if row.files else [])


def request_import(
    *,
    by: User,
    corpus: str,
    files: list[str],
    recipe: str,
    options: dict[str, Any],
    dry_run: bool,
    kind: str = Kinds.PAIRS,
) -> PairImportJob:
    """Creates the row, which waits for a worker. Raises ValueError if it is not possible."""
    row = PairImportJob(
        kind=kind,
        by=by,
        corpus_slug=corpus,
        files=files,
        recipe=recipe,
        options=options,
        dry_run=dry_run,
        **claims.wanted(PairImportJob),
    )
    checked_order(row)
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
        with answering(claim.row.by):
            _import(claim)
    except FieldError as problem:
        raise ValueError(said_on_page(problem)) from problem  # a page asked, so a page shows it


def _import(claim: Claim) -> None:
    row: PairImportJob = claim.row

    def tell(text: str) -> None:
        claim.report(text)
        if claim.stop_asked():
            raise Stopped(_what_stays(row))

    if row.kind != Kinds.PAIRS:
        claim.finish(report=OTHERS[row.kind].do(checked_order(row), row.dry_run, tell))
        return
    order = looked_through(checked_order(row, tell), tell, judges=not row.dry_run)
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
    outcome["reasons"] = dict(list(outcome["reasons"].items())[:REASONS_KEPT])
    if isinstance(order.form, RecastFormat):
        outcome["rows"] = order.form.rows_read.total()
        outcome["passed_over"] = dict(order.form.passed_over.most_common(REASONS_KEPT))
    claim.finish(report=outcome)


def _premises(order: PremiseOrder, dry_run: bool, tell: Tell) -> dict[str, Any]:
    return premise_summary(order, (preview if dry_run else import_premises)(order, tell), dry_run)


def _scenes(order: PairingOrder, dry_run: bool, tell: Tell) -> dict[str, Any]:
    order = replace(order, dry_run=dry_run)
    outcome = pair_premises(order, tell)
    return {**pairing_summary(order, outcome), "lines": pairing_lines(order, outcome)}


def _crowd(order: CrowdOrder, dry_run: bool, tell: Tell) -> dict[str, Any]:
    facts = simulate(order, tell)
    return {**facts, "lines": crowd_lines(facts)}


def _table(order: TableOrder, dry_run: bool, tell: Tell) -> dict[str, Any]:
    told: list[str] = []

    def both(text: str) -> None:
        told.append(text)
        tell(text)

    runs = complete(order, both, "Start this again")
    nothing = "There was nothing to do. What is missing needs further snapshots, or a file of your own."
    return {"runs": runs, "lines": told or [nothing]}


@dataclass(frozen=True)
class Other:
    """A kind beside pairs. form: makes its order; do: carries it out in a worker, and returns the report."""

    form: Any
    do: Callable[[Any, bool, Tell], dict[str, Any]]


OTHERS: dict[str, Other] = {
    Kinds.PREMISES: Other(PremiseForm, _premises),
    Kinds.SCENES: Other(SceneForm, _scenes),
    Kinds.CROWD: Other(CrowdForm, _crowd),
    Kinds.TABLE: Other(TableForm, _table),
}


def _what_stays(row: PairImportJob) -> str:
    """Returns the sentence for a job that was stopped."""
    if row.dry_run:
        return "Stopped. Nothing was written."
    return "Stopped. What was written stays; started again, it goes on."
