"""Researchers' pages that look across the apps."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from accounts.access import researcher_required
from annotation_site.forms import MOST_AT_ONCE, OpenPairsForm
from collection.models import Corpus, Pair
from snapshots.tables import share_rows
from validation.actions import open_for_validation
from validation.agreement import (
    DEFINITIONS,
    agreement,
    agreement_by_genre,
    author_against_gold,
)
from validation.models import Question
from validation.offers import unopened_pairs


@require_GET
@researcher_required
def agreement_page(request: HttpRequest, slug: str) -> HttpResponse:
    """The table of the papers with our numbers, kappas, genres and the confusion of author and gold."""
    corpus = get_object_or_404(Corpus, slug=slug)
    question = Question.objects.select_related("corpus").filter(corpus=corpus, is_main=True).first()
    context: dict[str, Any] = {"corpus": corpus, "question": question}
    if question is not None:
        context |= agreement_context(question)
    return render(request, "annotation_site/agreement.html", context)


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


def agreement_context(question: Question) -> dict[str, Any]:
    """`figures`, `rows` (as the papers' table), `kappas`, `genres`, `confusion`, `definitions`."""
    pairs = Pair.objects.filter(corpus=question.corpus)
    figures = agreement(pairs, question)
    kappas = [
        ("All labels", figures["fleiss_kappa"]),
        ("Validators alone", figures["fleiss_kappa_validators"]),
    ]
    return {
        "figures": figures,
        "rows": share_rows(figures),
        "labels": question.labels,
        "kappas": [(name, [kappa[key] for key in ("overall", *question.labels)]) for name, kappa in kappas],
        "genres": agreement_by_genre(question),
        "confusion": confusion_rows(author_against_gold(pairs, question), question.labels),
        "definitions": DEFINITIONS,
    }


def confusion_rows(
    counts: dict[tuple[str, str | None], int], labels: tuple[str, ...]
) -> list[tuple[str, list[int]]]:
    """A row an author label; columns are the gold labels in order, the last one is "no gold label"."""
    if not counts:
        return []
    return [(author, [counts.get((author, gold), 0) for gold in (*labels, None)]) for author in labels]
