"""Researchers' pages about pairs: list, one pair, opening pairs, extra labels, adjudication."""

from collections import Counter
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
from collection.models.withdrawal import WITHHELD
from collection.texts import direction_of
from nli.gold import ADJUDICATED, AUTHOR, NONE, PUBLISHED, VOTED
from nli.labels import NO_GOLD
from nli.lines import LONGEST_SET_NAME
from shared import figures
from shared.csv_files import csv_file
from shared.facets import AGREEMENTS, chosen_agreement
from shared.findings import is_early
from shared.lists import Filter, Row, View, chosen_numbers, orders_of
from shared.tables import Column
from validation.errors import AlreadyDecided, NotLookedAt, TooManyLabels, ValidationError
from validation.gold.queries import split_pairs, with_gold_label
from validation.models import Adjudication, BatchItem, Label, Question
from validation.models.querysets import LabelQuerySet
from validation.pairs.acting import ACTS
from validation.pairs.acting_pages import act_on_pairs
from validation.pairs.adjudication import adjudicate, pair_to_decide, take_back
from validation.pairs.door import WORDS, look_before_opening, shown
from validation.pairs.forms import MOST_AT_ONCE, OpenPairsForm
from validation.pairs.listing import (
    LIMITS,
    MOST_EXAMINED,
    ORDERS,
    SEVERAL,
    SORTED,
    SORTED_BY_VOTES,
    VOTES,
    Wanted,
    charts_of,
    csv_of,
    doubts_of,
    in_order_of_votes,
    in_ranked_order,
    names_of,
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
from validation.pairs.pair_sets import sets_of
from validation.pairs.returning import why_not_returned
from validation.pairs.withholding import withholding_of
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
SIBLINGS_SHOWN = 20
RANDOM, DOUBTED = "random", "doubted"  # orders beside those by a column
BY_VOTES = (("gold", "gold label"), ("agreement", "agreement"))
TITLES = {
    "": "first added",
    "newest": "last added",
    "id": "id, A to Z",
    "-id": "id, Z to A",
    "characters": "shortest hypothesis first",
    "-characters": "longest hypothesis first",
    RANDOM: "a random sample",
    DOUBTED: "most doubted by the run",
    **orders_of(Column(name, title) for name, title in (*[(name, name) for name in SORTED], *BY_VOTES)),
}
COLUMNS = [
    Column("pair", "Pair, genre", "name"),
    Column("premise", "Premise", "passage"),
    Column("hypothesis", "Hypothesis", "passage"),
    Column("votes", "Labels", "votes"),
    Column("gold", "Gold, author’s", "label"),
    Column("author", "Author", on_page=False),
    Column("characters", "Characters", "count", on_page=False),
    Column("added", "Added", "day", on_page=False),
]
DOUBT = Column("doubt", "Doubt", "number")
# Key of a column -> the orders that its head leads to.
BY: dict[str, tuple[str | None, str | None]] = {
    "pair": ("id", "-id"),
    "characters": ("characters", "-characters"),
    "added": ("", "newest"),
    "doubt": (None, DOUBTED),
    "author": ("author", "-author"),
    "votes": ("agreement", "-agreement"),
    "gold": ("gold", "-gold"),
}
LONGEST = 10_000  # characters of a hypothesis
MOST_LABELS = 1000
DECIDED_SHOWN = 10


@researcher_form
def pair_list(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Lists pairs, page by page, with filters; the address holds the view. `as=csv`: all that pass, as CSV.

    POST: what to do with chosen pairs (acting_pages.py).
    """
    question = asked_question(request, slug)
    runs, genres = runs_for(question.corpus_id), question.corpus.genres.order_by("slug")
    orders = {name: title for name, title in TITLES.items() if name != DOUBTED or runs}
    view = View(request, COLUMNS, orders, BY)
    words = answer_words(question)
    filters = filters_of(question, dict(genres.values_list("slug", "name")), dict(runs))
    given: dict[str, Any] = {name: view.text(name) for name in ("by", "group", *TEXT_FILTERS)}
    given |= {name: view.chosen(name) for name in SEVERAL}
    if given["by"] and given["by"] not in DIMENSIONS:
        raise Http404(f"There are no pairs by {given['by']}.")
    lengths: dict[str, Any] = {name: view.number(name, 0, LONGEST) for name in LIMITS}
    agreement, doubt = (
        view.number(name, 0, 100) // step * step
        for name, step in (("agreement", 100 // AGREEMENTS), ("doubt", 10))
    )
    wanted = Wanted(
        **given, **lengths, skipped=view.text("skipped") == "yes", agreement=chosen_agreement(agreement)
    )
    # Pairs of one tenth of the doubts stand in their order, which needs a run: the newest, if none is chosen.
    view.forced = DOUBTED if doubt and runs else ""
    order = view.order
    run = view.number("run", runs[0][0] if runs and order == DOUBTED else 0, 2**31)
    doubts = doubts_of(run, question.corpus_id) if run else None
    ids = doubts.ranked(doubt // 10) if doubts and doubt else None
    wanted = wanted.searched(question)
    if request.method == "POST":
        return act_on_pairs(request, question.corpus, lambda: names_of(question, wanted, ids))
    if request.GET.get("as") == "csv":
        lines = csv_of(question, wanted, doubts and doubts.by_id, None if ids is None else frozenset(ids))
        return csv_file(lines, f"{slug}-pairs")
    after_key, seed = view.number("after", 0, 2**62), view.number("seed", 1, 2**31)
    after: int | None = None
    sorted_by_votes, too_many = None, 0
    if order.removeprefix("-") in SORTED_BY_VOTES:
        sorted_by_votes = in_order_of_votes(question, wanted, order, after_key, view.size)
        if sorted_by_votes is None:
            view.orders = {
                name: title
                for name, title in view.orders.items()
                if name.removeprefix("-") not in SORTED_BY_VOTES
            }
            too_many, after_key = MOST_EXAMINED, 0
    if order == RANDOM:
        pairs = sample_of(question, wanted, seed, view.size)
    elif sorted_by_votes is not None:
        pairs, after = sorted_by_votes
    elif order == DOUBTED and doubts is not None:
        ranked = doubts.ranked() if ids is None else ids
        pairs, after = in_ranked_order(question, wanted, ranked, after_key, view.size)
    else:
        by_column = view.order if view.order in ORDERS else ""
        pairs, after = pairs_to_read(question, wanted, after=after_key, order=by_column, size=view.size)
    if doubts is not None:
        view.columns = [*COLUMNS, DOUBT]
    numbers = numbers_of(question, wanted, ids)
    charts = charts_of(numbers, wanted, tenths_of(question, wanted, doubts), doubt, view.address)
    if "chart" in request.GET:
        return chart_file(charts, request.GET["chart"], f"{slug}-pairs")
    votes = votes_on(question, pairs)
    group = {("by", "group"): f"{wanted.by}: {wanted.group}" if wanted.by else ""}
    context = {
        "question": question,
        "pairs": pairs,
        "doubts": doubts,
        "run": run,
        "numbers": numbers,
        "too_many": too_many,
        "list": view.page_of(
            [_row(question, pair, votes[pair.pk], doubts, words) for pair in pairs],
            filters,
            total=numbers.total,
            numbers=numbers.values,
            charts=charts,
            chosen=chosen_numbers(**lengths, agreement=agreement, doubt=doubt) | group,
            marked=wanted.text,
            first=view.address({}) if after_key else "",
            after=after,
            another=view.address({"seed": seed + 1}) if order == RANDOM else "",
            acts=ACTS,
            language=question.corpus.language,
            words=words,
        ),
    }
    return render(request, "validation/pairs/pair_list.html", context)


def filters_of(question: Question, genres: dict[str, str], runs: dict[int, str]) -> list[Filter]:
    """Returns the filters of the list, as researchers read them."""
    words = answer_words(question)
    gold = {label: words.get(label, label) for label in question.rule.gold_labels}
    found = [
        Filter("text", "Words of premise or hypothesis"),
        Filter("votes", "Votes", VOTES),
        Filter("gold", "Gold label", {**gold, NO_GOLD: "none"}),
        Filter("genre", "Genre", genres),
        Filter("author_label", "Author’s label", gold),
        Filter("source", "Source of the gold label", SOURCES),
        Filter("skipped", "Skips", {"yes": "somebody skipped it"}),
        Filter("set", "Set", {name: name for name in sets_of(question.corpus)}),
        Filter("author", "Author’s code"),
        Filter("premise", "Id of the premise"),
    ]
    if runs:
        found.append(
            Filter("run", "Doubt of the run", {str(pk): name for pk, name in runs.items()}, is_choice=True)
        )
    return found


TEXT_FILTERS = ("author", "text", "premise")


def _row(question: Question, pair: Any, votes: Counter[str], doubts: Any, words: dict[str, str]) -> Row:
    """pair: one of `pairs_to_read`."""
    own = (
        words.get(pair.author_label, pair.author_label)
        if pair.author_label != pair.gold_label
        else "the same"
    )
    notes = [
        f"author: {own}" if pair.author_label else "",
        SOURCES[pair.gold_source] if pair.gold_source not in (VOTED, NONE) else "",
        pair.gold_note,
    ]
    left_out = pair.answers_left_out if question.is_main else 0
    waits = f"{pair.votes} of {pair.seats}" if pair.votes < pair.seats else ""
    cells = {
        "pair": (pair.public_id, address_in("pair", question, pair.public_id), pair.premise.genre.name),
        "premise": pair.premise.sentences,
        "hypothesis": pair.hypothesis,
        "votes": (votes, question.labels, left_out, waits),
        "gold": (pair.gold_label, ", ".join(filter(None, notes))),
        "author": pair.author.code if pair.author else "",
        "characters": len(pair.hypothesis),
        "added": pair.created_at.isoformat(),
        "doubt": doubts.by_id.get(pair.public_id) if doubts else None,
    }
    return Row(pair.public_id, cells)


@researcher_page
def pair_page(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """Shows a pair: its texts and their sources, its gold label, and its history. For htmx, without the workspace around."""
    question = asked_question(request, slug)
    asked = get_object_or_404(Pair, corpus=question.corpus, public_id=public_id)
    rows = with_gold_label(Pair.objects.all(), question, [asked.pk])
    rows = rows.select_related("premise__genre", "author", "prompt_version__prompt", "source", "vetting")
    pair = get_object_or_404(rows)
    withholding = withholding_of(pair)
    is_hidden = withholding is not None and not withholding.may_read(request.user)
    if withholding is not None:  # the view counts no withheld votes
        pair.gold_label, pair.gold_source = None, NONE  # type: ignore[attr-defined]
    if is_hidden:
        pair.gold_label = pair.author_label = pair.published_label = None  # type: ignore[attr-defined]
        pair.answers_left_out = 0
    in_drawer = bool(request.htmx)  # type: ignore[attr-defined]
    context = {
        "frame": "workspace/drawer_frame.html" if in_drawer else "workspace.html",
        "question": question,
        "pair": pair,
        "source": SOURCES[pair.gold_source],  # type: ignore[attr-defined]
        "words": answer_words(question),
        "withholding": withholding,
        "is_hidden": is_hidden,
        "labels": [] if is_hidden else _worded(labels_on(pair)),
        "skips": [] if is_hidden else skips_of(pair),
        "decisions": [] if is_hidden else _worded(decisions_on(pair)),
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
    within, error = request.GET.get("set", "").replace("\0", "")[:LONGEST_SET_NAME], ""
    here = address_in("adjudication", question, **({"set": within} if within else {}))
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
            return redirect(here)
        except AlreadyDecided as refusal:
            messages.info(request, str(refusal))
            return redirect(here)
        except ValidationError as refusal:
            error = str(refusal)
    # After an error the page shows the same pair again, if it still waits.
    before = pair.pk - 1 if error else number_in(request, "after", 0, 2**62)
    shown, further = pair_to_decide(question, after=before, within=within)
    decided = Adjudication.objects.standing().filter(question=question)
    decided = decided.exclude(pair__withdrawn_because=WITHHELD)
    decided = decided.select_related("pair", "by").order_by("-pk")
    context = {
        "question": question,
        "waiting": waiting_for_decision(question),
        "pair": shown,
        "within": within,
        "here": here,
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
