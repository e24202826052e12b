"""Researchers' pages that look across the apps."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.access import researcher_required
from annotation_site.forms import MOST_AT_ONCE, OpenPairsForm
from collection.models import Corpus
from snapshots.tables import percent, share_rows
from validation.actions import open_for_validation
from validation.agreement import DEFINITIONS, DIMENSIONS, NAMES, AgreementReport
from validation.measuring import Kind, request_figures, shown, shown_agreement, shown_annotators
from validation.models import Question
from validation.offers import unopened_pairs
from validation.quality import MEANINGS, RULES
from validation.tasks import enqueue_figures

PAIRWISE_SHOWN = 50


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@researcher_required
def agreement_page(request: HttpRequest, slug: str) -> HttpResponse:
    """The table of the papers with our numbers and their intervals, kappas, one dimension (`by`) at a time, and the
    confusion of author and gold. With `as=csv` the same as a table for a spreadsheet. POST asks for a fresh count."""
    corpus = get_object_or_404(Corpus, slug=slug)
    question = Question.objects.select_related("corpus").filter(corpus=corpus, is_main=True).first()
    context: dict[str, Any] = {"corpus": corpus, "question": question}
    if question is not None:
        by = request.GET.get("by", "genre")
        if by not in DIMENSIONS:
            raise Http404(f"There is no agreement by {by}.")
        if request.method == "POST":
            enqueue_figures(request_figures(question=question, kind=Kind.AGREEMENT, by=by))
            return redirect(f"{request.path}?by={by}")
        found, row = shown_agreement(question, by)
        if request.GET.get("as") == "csv" and found is not None:
            return HttpResponse(found.as_csv(), content_type="text/csv; charset=utf-8")
        context |= {"kept": row, "by": by, "dimensions": DIMENSIONS}
        if found is not None:
            context |= agreement_context(found, question)
    return render(request, "annotation_site/agreement.html", context)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@researcher_required
def annotators_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Who is good and who may be guessing: a row an annotator, flags with their rules, kappas of two and two.

    POST asks for a fresh count: of the models of reliability with `what=models`, else of the figures.
    """
    question = get_object_or_404(Question.objects.select_related("corpus"), corpus__slug=slug, is_main=True)
    if request.method == "POST":
        figures = (Kind.ANNOTATORS, Kind.PAIRWISE)
        for kind in (Kind.MODELS,) if request.POST.get("what") == "models" else figures:
            enqueue_figures(request_figures(question=question, kind=kind))
        return redirect("annotators", slug=slug)
    models, models_kept = shown(question, Kind.MODELS)
    found, kept = shown_annotators(question)
    pairwise, _ = shown(question, Kind.PAIRWISE)
    reliability = models["annotators"] if models else {}
    context = {
        "corpus": question.corpus,
        "labels": question.labels,
        "annotators": [(each, reliability.get(each.code)) for each in found or ()],
        "kept": kept,
        "models": models,
        "models_kept": models_kept,
        "pairwise": (pairwise or [])[:PAIRWISE_SHOWN],
        "meanings": MEANINGS,
        "rules": RULES,
        "definitions": DEFINITIONS,
    }
    return render(request, "annotation_site/annotators.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@researcher_required
def open_pairs(request: HttpRequest, slug: str) -> HttpResponse:
    """Chooses pairs for validation: a number of those that nobody has been asked about."""
    question = get_object_or_404(Question.objects.select_related("corpus"), corpus__slug=slug, is_main=True)
    waiting = unopened_pairs(question)
    count = waiting.count()
    form = OpenPairsForm(request.POST or None, initial={"number": min(count, MOST_AT_ONCE), "seed": 0})
    if form.is_valid():
        chosen = form.cleaned_data
        opened = open_for_validation(
            question=question, pairs=waiting, seed=chosen["seed"], number=chosen["number"]
        )
        messages.success(request, f"{opened:,} pairs are open for validation.")
        return redirect("open-pairs", slug=slug)
    context = {"corpus": question.corpus, "question": question, "form": form, "count": count}
    status = 422 if form.is_bound else 200
    return render(request, "annotation_site/open_pairs.html", context, status=status)


def agreement_context(found: AgreementReport, question: Question) -> dict[str, Any]:
    """`figures`, `rows` (as the papers' table, with intervals), `kappas`, `breakdown`, `confusion`, and `groups`."""
    alone = found.breakdown["validators_alone"]
    kappas = [("All labels", "fleiss_kappa"), ("Validators alone", "fleiss_kappa_validators")]
    return {
        "figures": found.figures,
        "alpha_interval": found.intervals["krippendorff_alpha"],
        "rows": [
            {
                "row": row,
                "interval": percent_interval(found.intervals[key]),
                "alone": percent(alone[key]) if alone else "",
                "without": percent(found.without_self_validated[key]) if found.without_self_validated else "",
            }
            for key, row in zip(NAMES, share_rows(found.figures), strict=True)
        ],
        "has_validators_alone": alone is not None,
        "self_validated": found.self_validated,
        "labels": question.labels,
        "kappas": [
            (
                name,
                [
                    (found.figures[key][each], found.intervals[key][each])
                    for each in ("overall", *question.labels)
                ],
            )
            for name, key in kappas
        ],
        "breakdown": found.breakdown,
        "by_label": [
            (
                label,
                found.breakdown["gold_labels"][label],
                found.breakdown["individual_equals_gold_by_label"][label],
            )
            for label in question.labels
        ],
        "single_premises": found.single_premises,
        "more_labels": found.more_labels,
        "groups": found.rows,
        "confusion": confusion_rows(found.confusion, question.labels),
        "definitions": DEFINITIONS,
    }


def percent_interval(ends: list[float] | None) -> str:
    return f"{percent(ends[0])} to {percent(ends[1])}" if ends else ""


def confusion_rows(
    counts: dict[tuple[str, str | None], int], labels: tuple[str, ...]
) -> list[tuple[str, list[int]]]:
    """A row an author label; columns are the gold labels in order, the last one is "no gold label"."""
    if not counts:
        return []
    return [(author, [counts.get((author, gold), 0) for gold in (*labels, None)]) for author in labels]
