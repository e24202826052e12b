"""Researchers' pages about pairs: list, one pair, opening pairs, extra labels, adjudication."""

from typing import Any, cast

from django.contrib import messages
from django.db.models import F, Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone

from accounts.models import User
from accounts.pages.access import researcher_form, researcher_page
from accounts.pages.chart_files import chart_file
from collection.models import Pair, ReturnedText
from collection.models.querysets import PairQuerySet
from collection.texts import direction_of
from nli.gold import ADJUDICATED, AUTHOR, NONE, PUBLISHED, VOTED
from nli.labels import NO_GOLD
from shared import figures
from shared.csv_files import csv_file
from shared.facets import AGREEMENTS, chosen_agreement, facets
from shared.findings import is_early
from validation.errors import AlreadyDecided, NotLookedAt, TooManyLabels, ValidationError
from validation.gold.queries import split_pairs, with_gold_label
from validation.models import Adjudication, BatchItem, Label, Question
from validation.models.querysets import LabelQuerySet
from validation.pairs.adjudication import adjudicate, pair_to_decide, take_back
from validation.pairs.door import WORDS, look_before_opening, shown
from validation.pairs.forms import MOST_AT_ONCE, OpenPairsForm
from validation.pairs.listing import (
    VOTES,
    Wanted,
    charts_of,
    csv_of,
    doubts_of,
    in_ranked_order,
    numbers_of,
    pairs_to_read,
    runs_for,
    sample_of,
    tenths_of,
    votes_on,
)
from validation.pairs.opening import (
    labels_a_day,
    open_for_validation,
    open_more_labels,
    preview_opening,
    since_first,
    unopened_pairs,
)
from validation.pairs.returning import why_not_returned
from validation.questions.addresses import address_in, also, asked_question, back_from, number_in, text_in
from validation.questions.choices import choices_of
from validation.questions.lookup import answer_words, names_in, words_of
from validation.statistics.cached import Kind, is_large, waiting_for_decision
from validation.statistics.cached_pages import CACHED, cached_part, count_or_stop
from validation.statistics.stock_charts import STOCK
from validation.statistics.vote_patterns import DIMENSIONS

# The sources of gold labels (nli.gold.SOURCES) and their names on pages.
SOURCES = {
    VOTED: "the votes",
    ADJUDICATED: "a researcher's decision",
    PUBLISHED: "the published file",
    AUTHOR: "the author's label alone",
    NONE: "there is none",
}
TEXT_FILTERS = (
    "genre",
    "author",
    "author_label",
    "gold",
    "source",
    "votes",
    "text",
    "premise",
    "by",
    "group",
)
FACET_NAMES = {"gold": "Gold label", "votes": "Votes", "genre": "Genre", "author_label": "Author’s label"}
SIBLINGS_SHOWN = 20
NEWEST, RANDOM, DOUBTED = "newest", "random", "doubted"  # values of `order`; the usual one is the first added
ORDERS = {
    "": "first added",
    NEWEST: "last added",
    RANDOM: "a random sample of fifty",
    DOUBTED: "most doubted by the run",
}
LONGEST = 10_000  # characters of a hypothesis
MOST_LABELS = 1000
DECIDED_SHOWN = 10


@researcher_page
def pair_list(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Lists pairs, fifty per page, with filters; the address holds them all. `as=csv`: all that pass, as CSV."""
    question = asked_question(request, slug)
    given: dict[str, Any] = {
        name: request.GET.get(name, "").replace("\0", "")[:200].strip() for name in TEXT_FILTERS
    }
    if given["by"] and given["by"] not in DIMENSIONS:
        raise Http404(f"There are no pairs by {given['by']}.")
    lengths: dict[str, Any] = {name: number_in(request, name, 0, LONGEST) for name in ("shortest", "longest")}
    agreement, doubt = (
        number_in(request, name, 0, 100) // step * step
        for name, step in (("agreement", 100 // AGREEMENTS), ("doubt", 10))
    )
    wanted = Wanted(
        **given,
        **lengths,
        skipped=request.GET.get("skipped") == "yes",
        agreement=chosen_agreement(agreement),
    )
    # Pairs of one tenth of the doubts stand in their order.
    order, runs = DOUBTED if doubt else request.GET.get("order", ""), runs_for(question.corpus_id)
    # The order by doubt needs a run: the newest, if none is chosen.
    run = number_in(request, "run", runs[0][0] if runs and order == DOUBTED else 0, 2**31)
    doubts = doubts_of(run, question.corpus_id) if run else None
    ids = doubts.ranked(doubt // 10) if doubts and doubt else None
    if request.GET.get("as") == "csv":
        lines = csv_of(question, wanted, doubts and doubts.by_id, None if ids is None else frozenset(ids))
        return csv_file(lines, f"{slug}-pairs")
    after_key, seed = number_in(request, "after", 0, 2**62), number_in(request, "seed", 1, 2**31)
    if order == RANDOM:
        pairs, after = sample_of(question, wanted, seed), None
    elif order == DOUBTED and doubts is not None:
        pairs, after = in_ranked_order(question, wanted, doubts.ranked() if ids is None else ids, after_key)
    else:
        pairs, after = pairs_to_read(question, wanted, after=after_key, newest_first=order == NEWEST)
    votes = votes_on(question, pairs)
    shares = {"agreement": agreement, "doubt": doubt}
    chosen: dict[str, str | int] = {
        name: value for name, value in (given | lengths | shares).items() if value
    }
    if wanted.skipped:
        chosen["skipped"] = "yes"
    is_narrowed = bool(chosen)
    if order in ORDERS and order:
        chosen["order"] = order
    if run:
        chosen["run"] = run
    numbers = numbers_of(question, wanted, ids)

    genres, answers = list(question.corpus.genres.order_by("slug")), answer_words(question)
    words = {
        "gold": {NO_GOLD: "none", **answers},
        "author_label": answers,
        "genre": {genre.slug: genre.name for genre in genres},
    }

    def with_others(values: dict[str, Any]) -> str:
        return address_in("pairs", question, **{**chosen, **values})

    charts = charts_of(numbers, wanted, tenths_of(question, wanted, doubts), doubt, with_others)
    if "chart" in request.GET:
        return chart_file(charts, request.GET["chart"], f"{slug}-pairs")

    context = {
        "question": question,
        "words": answers,
        "pairs": pairs,
        "rows": [
            (pair, votes[pair.pk], doubts.by_id.get(pair.public_id) if doubts else None) for pair in pairs
        ],
        "runs": runs,
        "run": run,
        "has_doubts": doubts is not None,
        "wanted": wanted,
        "facets": facets(
            numbers.values, FACET_NAMES, given, lambda name, value: with_others({name: value}), words
        ),
        "charts": [(chart, with_others({"chart": chart.key})) for chart in charts],
        "shares": shares,
        "order": order if order in ORDERS else "",
        "orders": ORDERS,
        "another": address_in("pairs", question, **chosen, seed=seed + 1) if order == RANDOM else "",
        "is_narrowed": is_narrowed,
        "genres": genres,
        "votes": VOTES,
        "sources": SOURCES,
        "numbers": numbers,
        "first": address_in("pairs", question, **chosen) if after_key else "",
        "more": address_in("pairs", question, **chosen, after=after) if after else "",
        "csv": address_in("pairs", question, **chosen, **{"as": "csv"}),
    }
    return render(request, "validation/pairs/pair_list.html", context)


@researcher_page
def pair_page(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """Shows a pair: its texts and their sources, its gold label, and its history. For htmx, without the workspace around."""
    question = asked_question(request, slug)
    asked = get_object_or_404(Pair, corpus=question.corpus, public_id=public_id)
    rows = with_gold_label(Pair.objects.all(), question, [asked.pk])
    rows = rows.select_related("premise__genre", "author", "prompt_version__prompt", "source", "vetting")
    pair = get_object_or_404(rows)
    in_drawer = bool(request.htmx)  # type: ignore[attr-defined]
    context = {
        "frame": "workspace/drawer_frame.html" if in_drawer else "workspace.html",
        "question": question,
        "pair": pair,
        "source": SOURCES[pair.gold_source],  # type: ignore[attr-defined]
        "words": answer_words(question),
        "labels": _worded(labels_on(pair)),
        "skips": skips_of(pair),
        "decisions": _worded(decisions_on(pair)),
        "direction": direction_of(question.corpus.language),
        "is_open": Label.objects.seats().filter(question=question, pair=pair).exists(),
        "may_be_adjudicated": question.gold_rule == Question.GoldRule.ADJUDICATED,
        **_returned(pair),
        "may_return": not why_not_returned(pair),
        "before_it": pair.pk - 1,
        **_beside(pair),
    }
    return render(request, "validation/pairs/pair.html", context)


def _worded(rows: QuerySet[Any]) -> list[Any]:
    """Adds to rows about questions the `words` of their answers, as the corpus has them."""
    found = list(rows.prefetch_related("question__label_wordings"))
    for row in found:
        row.words = answer_words(row.question)
    return found


def _returned(pair: Pair) -> dict[str, ReturnedText | None]:
    """Returns the pair's return to its writer, and the return that this pair mends."""
    rows = list(
        ReturnedText.objects.filter(Q(pair=pair) | Q(mended=pair))
        .select_related("mended", "pair")
        .order_by("pk")
    )
    return {
        "returned": next((row for row in rows if row.pair_id == pair.pk), None),
        "mends": next((row for row in rows if row.mended_id == pair.pk), None),
    }


def _beside(pair: Pair) -> dict[str, Any]:
    """Returns the previous and the next pair in the order of the list, and the other pairs of the same premise."""
    standing = Pair.objects.standing().filter(corpus=pair.corpus_id).only("public_id", "corpus_id")
    others = Pair.objects.standing().filter(premise=pair.premise_id).exclude(pk=pair.pk).order_by("pk")
    return {
        "previous": standing.filter(pk__lt=pair.pk).order_by("-pk").first(),
        "next": standing.filter(pk__gt=pair.pk).order_by("pk").first(),
        "siblings": others[:SIBLINGS_SHOWN],
    }


@researcher_form
def open_pairs(request: HttpRequest, slug: str) -> HttpResponse:
    """Opens pairs that have no seats yet for labelling: by number, by share, or by id. `chart`: its chart as CSV."""
    question = asked_question(request, slug)
    if request.POST.get("what") == CACHED[Kind.BIAS][0]:
        count_or_stop(request, question, Kind.BIAS)
        return redirect(address_in("open-pairs", question))
    if request.GET.get("part") == CACHED[Kind.BIAS][0]:
        return cached_part(request, question, Kind.BIAS)
    unopened = unopened_pairs(question)
    count = unopened.count()
    look = look_before_opening(question, unopened) if count else None
    is_preview = request.POST.get("do") == "preview"
    form = OpenPairsForm(
        question.corpus,
        request.POST or None,
        initial={"number": min(count, MOST_AT_ONCE), "seed": 0},
    )
    # A slider needs an end: what a number of pairs may be at most.
    form.fields["number"].widget.attrs |= {"data-slider": "How many", "data-most": min(count, MOST_AT_ONCE)}
    preview, days, is_too_early = None, None, False
    if is_preview and form.is_valid():
        preview = preview_opening(question=question, **_chosen(question, form.cleaned_data))
        now = timezone.now()
        pace, is_too_early = labels_a_day(question, now), is_early(*since_first(question, now))
        days = preview.labels / pace if pace else None
    elif form.is_valid():
        chosen = _chosen(question, form.cleaned_data)
        seed, without_look = form.cleaned_data["seed"], form.cleaned_data["unseen"]
        try:
            opened = open_for_validation(question=question, seed=seed, without_look=without_look, **chosen)
        except NotLookedAt:
            form.add_error("unseen", f"Please count what the hypotheses give away first, or write: {WORDS}")
        else:
            messages.success(
                request, f"{opened:,} pair{' is' if opened == 1 else 's are'} open for labelling."
            )
            return redirect(back_from(request, question, "open-pairs"))
    stock = None if request.method == "POST" else STOCK.stored(question, figures.Parameters())[0]
    context = {
        "question": question,
        "form": form,
        "charts": list(figures.shown([STOCK], question, stock)) if stock else [],
        "also": also(question),
        "count": count,
        "most": MOST_AT_ONCE,
        "preview": preview,
        "days": days,
        "is_early": is_too_early,
        "look": look,
        "cached": look.row if look else None,
        "answers": answer_words(question),
        **(shown(look.found, question, names_in(question.corpus)) if look else {}),
    }
    status = 422 if form.errors else 200
    return render(request, "validation/pairs/open_pairs.html", context, status=status)


def _chosen(question: Question, form: dict[str, Any]) -> dict[str, Any]:
    """Returns what a preview and an opening take. A share includes open pairs, so it is computed over all pairs."""
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
    return {"pairs": pairs, **limits[how]}


@researcher_form
def more_labels(request: HttpRequest, slug: str) -> HttpResponse:
    """Adds seats to pairs whose votes split; a preview shows for how many pairs.

    The page of a large corpus without choices (`votes`) comes first, and loads the number by itself.
    """
    question = asked_question(request, slug)
    most = min(question.most_labels, MOST_LABELS)
    labels = number_in(request, "labels", 2 * question.seats, most)
    votes = number_in(request, "votes", question.threshold, question.seats)
    seed, error = number_in(request, "seed", 0, 2**31 - 1), ""
    waits = request.method == "GET" and "votes" not in request.GET and is_large(question)
    pairs = None if waits else split_pairs(question, votes).count()
    if request.method == "POST" and request.POST.get("do") != "preview":
        try:
            asked = open_more_labels(question=question, labels=labels, most_votes=votes, seed=seed)
            messages.success(request, f"Pairs that now get {labels} labels in all: {asked:,}.")
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
        "counted": address_in("more-labels", question, votes=votes),
        "error": error,
    }
    return render(request, "validation/pairs/more_labels.html", context, status=422 if error else 200)


@researcher_form
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
            word = answer_words(question).get(decision.label, decision.label)
            messages.success(request, f"The gold label is now {word}, marked as adjudicated.")
            return redirect(address_in("adjudication", question))
        except AlreadyDecided as refusal:
            messages.info(request, str(refusal))
            return redirect(address_in("adjudication", question))
        except ValidationError as refusal:
            error = str(refusal)
    # After an error the page shows the same pair again, if it still waits.
    before = pair.pk - 1 if error else number_in(request, "after", 0, 2**62)
    shown, further = pair_to_decide(question, after=before)
    decided = Adjudication.objects.standing().filter(question=question)
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
        "decided_number": decided.count(),
        "all_decided": address_in("pairs", question, source=ADJUDICATED),
        "decided_csv": address_in("pairs", question, source=ADJUDICATED, **{"as": "csv"}),
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


def labels_on(pair: Pair) -> LabelQuerySet:
    """Returns all labels of a pair by question, each with `counts`: those in seats by position, then the others."""
    rows = Label.objects.with_counts().filter(pair=pair, label__isnull=False)
    return rows.select_related("question__corpus", "annotator").order_by(
        "-question__is_main",
        "question",
        "sentence",
        F("withdrawn_at").asc(nulls_first=True),
        F("position").asc(nulls_last=True),
        "pk",
    )


def judgements(pair: Pair, question: Question) -> LabelQuerySet:
    """Returns the labels of a pair under one question, each with `counts`: those in seats by position, then the others."""
    labels = Label.objects.cast().with_counts().filter(question=question, pair=pair, sentence=0)
    return labels.select_related("annotator").order_by(F("position").asc(nulls_last=True), "pk")


def skips_of(pair: Pair) -> QuerySet[BatchItem]:
    """Returns who skipped the pair, and why; newest first."""
    rows = BatchItem.objects.filter(seat__pair=pair, skip_reason__isnull=False)
    return rows.select_related("assignment__annotator", "seat__question").order_by(
        "-assignment__created_at", "pk"
    )


def decisions_on(pair: Pair) -> QuerySet[Adjudication]:
    """Returns the decisions about a pair, including those that were taken back."""
    rows = Adjudication.objects.filter(pair=pair).select_related("question", "by", "withdrawn_by")
    return rows.order_by("pk")
