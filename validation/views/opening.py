"""Choosing pairs: which are opened for validation, and where more labels are asked for."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.pages.access import researcher_required
from collection.models.querysets import PairQuerySet
from validation import actions
from validation.forms import MOST_AT_ONCE, OpenPairsForm
from validation.gold import split_pairs
from validation.models import Question
from validation.offers import unopened_pairs
from validation.views.asked import address_in, asked_question, number_in

MOST_LABELS = 1000


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@researcher_required
def open_pairs(request: HttpRequest, slug: str) -> HttpResponse:
    """Chooses pairs for validation: of those that nobody has been asked about, by number, share, or name."""
    question = asked_question(request, slug)
    count = unopened_pairs(question).count()
    form = OpenPairsForm(
        question.corpus, request.POST or None, initial={"number": min(count, MOST_AT_ONCE), "seed": 0}
    )
    if form.is_valid():
        opened = actions.open_for_validation(question=question, **_chosen(question, form.cleaned_data))
        messages.success(request, f"{opened:,} pairs are open for validation.")
        return redirect(address_in("open-pairs", question))
    context = {"question": question, "form": form, "count": count, "most": MOST_AT_ONCE}
    status = 422 if form.is_bound else 200
    return render(request, "validation/open_pairs.html", context, status=status)


def _chosen(question: Question, form: dict[str, Any]) -> dict[str, Any]:
    """What `open_for_validation` is to be asked. Shares count what is open already, so they go over all pairs."""
    how, number = form["how"], form["number"]
    pairs: PairQuerySet = unopened_pairs(question)
    if how == "percent_a_genre":
        pairs = pairs.model._default_manager.filter(corpus=question.corpus_id)
    if form["genre"]:
        pairs = pairs.by_genre(form["genre"])
    limits: dict[str, dict[str, Any]] = {
        "pairs": {},
        "number": {"number": int(number or 0)},
        "number_a_genre": {"number_a_genre": int(number or 0), "number": MOST_AT_ONCE},
        "percent_a_genre": {"share_a_genre": (number or 0) / 100, "number": MOST_AT_ONCE},
    }
    if how == "pairs":
        pairs = pairs.filter(public_id__in=form["pairs"])
    return {"pairs": pairs, "seed": form["seed"], **limits[how]}


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@researcher_required
def more_labels(request: HttpRequest, slug: str) -> HttpResponse:
    """Asks for more labels where the first ones split; says first for how many pairs."""
    question = asked_question(request, slug)
    most = min(question.most_labels, MOST_LABELS)
    labels = number_in(request, "labels", 2 * question.seats, most)
    votes = number_in(request, "votes", question.threshold, question.seats)
    seed, error = number_in(request, "seed", 0, 2**31 - 1), ""
    pairs = split_pairs(question, votes).count()
    if request.method == "POST" and request.POST.get("do") != "preview":
        try:
            asked = actions.open_more_labels(question=question, labels=labels, most_votes=votes, seed=seed)
            messages.success(request, f"Asked for {labels} labels in all; pairs: {asked:,}.")
            return redirect(address_in("more-labels", question))
        except actions.TooManyLabels as refusal:
            error = str(refusal)
    context = {
        "question": question,
        "labels": labels,
        "votes": votes,
        "seed": seed,
        "most": most,
        "pairs": pairs,
        "error": error,
    }
    return render(request, "validation/more_labels.html", context, status=422 if error else 200)
