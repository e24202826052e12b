"""Researchers' pages about pairs: list, one pair, opening pairs, extra labels, adjudication."""

from typing import Any, cast

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from accounts.models import User
from accounts.pages.access import researcher_required
from collection.models import Pair
from collection.models.querysets import PairQuerySet
from collection.texts import direction_of
from nli.gold import ADJUDICATED, AUTHOR, NONE, PUBLISHED, VOTED
from validation.errors import AlreadyDecided, TooManyLabels, ValidationError
from validation.gold.queries import split_pairs, with_gold_label
from validation.models import Adjudication, Question
from validation.pairs.adjudication import adjudicate, pair_to_decide, take_back
from validation.pairs.forms import MOST_AT_ONCE, OpenPairsForm
from validation.pairs.history import decisions_on, judgements, labels_on, skips_of
from validation.pairs.listing import VOTES, Wanted, pairs_to_read
from validation.pairs.opening import open_for_validation, open_more_labels, unopened_pairs
from validation.questions.addresses import address_in, asked_question, number_in, text_in
from validation.questions.choices import choices_of
from validation.questions.lookup import words_of
from validation.statistics.cached import waiting_for_decision

# The sources of gold labels (nli.gold.SOURCES) and their names on pages.
SOURCES = {
    VOTED: "the votes",
    ADJUDICATED: "a researcher's decision",
    PUBLISHED: "the published file",
    AUTHOR: "the author's label alone",
    NONE: "there is none",
}
TEXT_FILTERS = ("genre", "author", "author_label", "gold", "source", "votes", "text")
MOST_LABELS = 1000
DECIDED_SHOWN = 10


@never_cache
@require_safe
@researcher_required
def pair_list(request: HttpRequest, slug: str) -> HttpResponse:
    """Lists pairs, fifty per page, with filters."""
    question = asked_question(request, slug)
    given = {name: request.GET.get(name, "").replace("\0", "")[:200].strip() for name in TEXT_FILTERS}
    wanted = Wanted(**given, skipped=request.GET.get("skipped") == "yes")
    pairs, after = pairs_to_read(question, wanted, after=number_in(request, "after", 0, 2**62))
    chosen: dict[str, str | int] = {name: value for name, value in given.items() if value}
    if wanted.skipped:
        chosen["skipped"] = "yes"
    context = {
        "question": question,
        "pairs": pairs,
        "wanted": wanted,
        "is_narrowed": bool(chosen),
        "genres": question.corpus.genres.order_by("slug"),
        "votes": VOTES,
        "sources": SOURCES,
        "more": address_in("pairs", question, **chosen, after=after) if after else "",
    }
    return render(request, "validation/pairs/pair_list.html", context)


@never_cache
@require_safe
@researcher_required
def pair_page(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """Shows a pair: its texts and their sources, its gold label, and its history."""
    question = asked_question(request, slug)
    asked = get_object_or_404(Pair, corpus=question.corpus, public_id=public_id)
    rows = with_gold_label(Pair.objects.all(), question, [asked.pk])
    rows = rows.select_related("premise__genre", "author", "prompt_version__prompt", "source")
    pair = get_object_or_404(rows)
    context = {
        "question": question,
        "pair": pair,
        "source": SOURCES[pair.gold_source],  # type: ignore[attr-defined]
        "labels": labels_on(pair),
        "skips": skips_of(pair),
        "decisions": decisions_on(pair),
        "direction": direction_of(question.corpus.language),
    }
    return render(request, "validation/pairs/pair.html", context)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@researcher_required
def open_pairs(request: HttpRequest, slug: str) -> HttpResponse:
    """Opens pairs that have no seats yet for validation: by number, by share, or by id."""
    question = asked_question(request, slug)
    count = unopened_pairs(question).count()
    form = OpenPairsForm(
        question.corpus, request.POST or None, initial={"number": min(count, MOST_AT_ONCE), "seed": 0}
    )
    if form.is_valid():
        opened = open_for_validation(question=question, **_chosen(question, form.cleaned_data))
        messages.success(request, f"{opened:,} pairs are open for validation.")
        return redirect(address_in("open-pairs", question))
    context = {"question": question, "form": form, "count": count, "most": MOST_AT_ONCE}
    status = 422 if form.is_bound else 200
    return render(request, "validation/pairs/open_pairs.html", context, status=status)


def _chosen(question: Question, form: dict[str, Any]) -> dict[str, Any]:
    """Returns the arguments of `open_for_validation`. A share includes open pairs, so it is taken of all pairs."""
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
    """Adds seats to pairs whose votes split; a preview shows for how many pairs."""
    question = asked_question(request, slug)
    most = min(question.most_labels, MOST_LABELS)
    labels = number_in(request, "labels", 2 * question.seats, most)
    votes = number_in(request, "votes", question.threshold, question.seats)
    seed, error = number_in(request, "seed", 0, 2**31 - 1), ""
    pairs = split_pairs(question, votes).count()
    if request.method == "POST" and request.POST.get("do") != "preview":
        try:
            asked = open_more_labels(question=question, labels=labels, most_votes=votes, seed=seed)
            messages.success(request, f"{asked:,} pairs now get up to {labels} labels each.")
            return redirect(address_in("more-labels", question))
        except TooManyLabels as refusal:
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
    return render(request, "validation/pairs/more_labels.html", context, status=422 if error else 200)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@researcher_required
def adjudication(request: HttpRequest, slug: str) -> HttpResponse:
    """Shows the next pair that waits for a decision, with its labels; POST stores a decision with its reason."""
    question = asked_question(request, slug)
    error = ""
    if request.method == "POST" and "take_back" in request.POST:
        return _take_back(request, question)
    if request.method == "POST":
        pair = get_object_or_404(Pair, corpus=question.corpus, public_id=text_in(request, "pair"))
        try:
            decision = adjudicate(
                question=question,
                pair=pair,
                label=request.POST.get("label", ""),
                reason=text_in(request, "reason"),
                by=cast(User, request.user),
            )
            messages.success(request, f"The gold label is now {decision.label}, marked as adjudicated.")
            return redirect(address_in("adjudication", question))
        except AlreadyDecided as refusal:
            messages.info(request, str(refusal))
            return redirect(address_in("adjudication", question))
        except ValidationError as refusal:
            error = str(refusal)
    # After an error the page shows the same pair again, if it still waits.
    before = pair.pk - 1 if error else number_in(request, "after", 0, 2**62)
    shown, further = pair_to_decide(question, after=before)
    decided = Adjudication.objects.filter(question=question, withdrawn_at=None)
    decided = decided.select_related("pair", "by").order_by("-pk")
    context = {
        "question": question,
        "waiting": waiting_for_decision(question),
        "pair": shown,
        "further": further,
        "judgements": judgements(shown, question) if shown else [],
        "choices": choices_of(question),
        "words": words_of(question),
        "decided": decided[:DECIDED_SHOWN],
        "direction": direction_of(question.corpus.language),
        "error": error,
        "posted": request.POST,
    }
    return render(request, "validation/pairs/adjudication.html", context, status=422 if error else 200)


def _take_back(request: HttpRequest, question: Question) -> HttpResponse:
    decision = get_object_or_404(
        Adjudication, question=question, pair__public_id=text_in(request, "take_back"), withdrawn_at=None
    )
    try:
        take_back(adjudication=decision, reason=text_in(request, "because"), by=cast(User, request.user))
        messages.success(request, "The decision was taken back. It stays in the history of the pair.")
    except ValidationError as refusal:
        messages.error(request, str(refusal))
    return redirect(address_in("adjudication", question))
