"""Pages with the predictions of a run and with its data map; opens pairs for labelling that were chosen on them."""

from collections.abc import Iterator
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.defaultfilters import pluralize
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme

from accounts.pages.access import researcher_form, researcher_page, researcher_post
from collection.models import Pair
from collection.texts import direction_of
from modeling.models import TrainingRun
from modeling.results.data_map import HARD, REGIONS, DataMap, NoDataMap, data_map
from modeling.results.dimensions import definition_of, order_of
from modeling.results.predictions import (
    ALL,
    IN_FILE,
    LEAST_GOLD,
    LEAST_PVI,
    SUREST,
    Answer,
    BadChoice,
    BadPlace,
    Choice,
    Predictions,
    PredictionsMissing,
    Row,
    asked_choice,
    asked_predictions,
    other_runs,
)
from modeling.results.run_figures import OF_MAP
from modeling.results.run_scores import in_order
from modeling.results.texts import frozen_pairs
from shared.csv_files import csv_file, csv_lines
from shared.figures import shown
from shared.lists import Filter, Shown, View
from shared.lists import Row as ListRow
from shared.numbers import percent
from shared.tables import Column
from snapshots.models import Snapshot
from snapshots.statistics.scope import names_on
from validation.errors import NotLookedAt
from validation.models import Question
from validation.pairs.acting import ACTS
from validation.pairs.acting_pages import act_on_pairs
from validation.pairs.opening import open_for_validation
from validation.questions.lookup import Names, names_in

PAIRS_A_PAGE = 50
MOST_CHOSEN = 1000
MOST_OPTIONS = 300  # of a dimension with more values, such as the author, one types the value
ALWAYS_SHOWN = ("label", "predicted", "genre")


@researcher_form
def read_predictions(request: HttpRequest, pk: int, partition: str) -> HttpResponse:
    """Shows predictions with their texts, filtered and sorted, page by page. POST: what to do with chosen pairs."""
    run = get_object_or_404(TrainingRun.objects.newest_first(), pk=pk)
    given = request.GET.dict()
    context: dict[str, Any] = {"run": run, "partition": partition}
    try:
        predictions, choice = asked_predictions(run, partition, given), asked_choice(given)
        if request.method == "POST":
            ids, places = predictions.first.ids, predictions.chosen(choice).tolist()
            corpus = predictions.snapshot.corpus
            return act_on_pairs(request, corpus, lambda: (ids[place] for place in places))
        context |= {"predictions": predictions, "list": _shown(request, predictions, choice)}
    except (PredictionsMissing, BadChoice) as error:
        context["error"] = str(error)
        status = 404 if isinstance(error, PredictionsMissing) and not isinstance(error, BadPlace) else 422
        return render(request, "modeling/predictions.html", context, status=status)
    return render(request, "modeling/predictions.html", context)


@researcher_page
def predictions_csv(request: HttpRequest, pk: int, partition: str) -> HttpResponse | StreamingHttpResponse:
    """Returns all pages of the same choice as CSV."""
    run = get_object_or_404(TrainingRun.objects.newest_first(), pk=pk)
    given = request.GET.dict()
    try:
        predictions, choice = asked_predictions(run, partition, given), asked_choice(given)
        predictions.chosen(choice)  # an error comes here, and not in the middle of the file
    except (PredictionsMissing, BadChoice) as error:
        return HttpResponse(str(error), content_type="text/plain; charset=utf-8", status=404)
    return csv_file(csv_lines(_csv_rows(predictions, choice)), f"run-{run.pk}-{partition}")


# Key of a column -> the order that its head leads to.
BY: dict[str, tuple[str | None, str | None]] = {
    "pair": (IN_FILE, None),
    "gold": (LEAST_GOLD, None),
    "first": (None, SUREST),
    "pvi": (LEAST_PVI, None),
}


def _shown(request: HttpRequest, predictions: Predictions, choice: Choice) -> Shown:
    run, beside, corpus = predictions.run, predictions.beside, predictions.snapshot.corpus
    columns = [
        Column("pair", "Pair, genre", "name"),
        Column("premise", "Premise", "passage"),
        Column("hypothesis", "Hypothesis", "passage"),
        Column("votes", "All labels", "votes"),
        Column("gold", "Gold label", "label"),
        Column("first", f"Run {run.pk}" if beside else "Predicted", "label"),
    ]
    columns += [Column("second", f"Run {beside.pk}", "label")] if beside else []
    columns += [] if predictions.pvi is None else [Column("pvi", "PVI, bits", "number")]
    by = {key: orders for key, orders in BY.items() if {*orders} & {*predictions.sorts}}
    view = View(request, columns, predictions.sorts, by, SUREST, "sort")
    page = predictions.page(choice, request.GET.get("after", ""), view.size)
    names, counts = names_in(corpus), predictions.counts(choice)
    known = sorted(predictions.dimensions.items(), key=lambda item: order_of(item[0]))
    filters = [
        Filter(
            "outcome", "Which", {name: words for name, words in predictions.outcomes.items() if name != ALL}
        )
    ]
    for name, values in known:
        ordered = in_order(values.names, corpus.labels)
        words = names.get(name, {})
        options = {value: words.get(value, value) for value in ordered}
        filters.append(
            Filter(
                name,
                definition_of(name).capitalize(),
                options if len(ordered) <= MOST_OPTIONS else None,
                is_folded=name not in ALWAYS_SHOWN,
            )
        )
        numbers = dict(counts[name])
        counts[name] = [(value, numbers[value]) for value in ordered if value in numbers]
    others = other_runs(run, predictions.snapshot)
    named = {str(other.pk): _named(other, predictions.snapshot) for other in others}
    filters.append(Filter("with", "Beside run", named, is_choice=True))
    csv = reverse("run-predictions-csv", args=[run.pk, predictions.partition])
    query = view.query().urlencode()
    return Shown(
        view,
        [_row(predictions, row, names) for row in page.rows],
        total=(page.pairs, False),
        facets=view.facets(filters, counts),
        filters=filters,
        chips=view.chips(filters),
        first=view.address({}) if request.GET.get("after") else "",
        next=view.address({"after": page.next}) if page.next else "",
        csv=f"{csv}?{query}" if query else csv,
        acts=ACTS,
        language=corpus.language,
        direction=direction_of(corpus.language),
        words=names["label"],
    )


def _named(run: TrainingRun, snapshot: Snapshot) -> str:
    twin = ", hypothesis-only twin" if run.regime.get("hypothesis_only") else ""
    elsewhere = ", trained elsewhere" if run.snapshot_id != snapshot.pk else ""
    return f"{run.pk}: {run.baseline}, seed {run.seed}{twin}{elsewhere}"


def _row(predictions: Predictions, row: Row, names: Names) -> ListRow:
    corpus, pair = predictions.snapshot.corpus, row.pair
    cells: dict[str, Any] = {
        "pair": (
            row.pair_id,
            reverse("pair", args=[corpus.slug, row.pair_id]) if pair else "",
            names["genre"].get(row.genre, row.genre),
        ),
        "hypothesis": "The texts of this pair are not on this site.",
        "gold": (row.gold, ""),
        "first": _answer(row.first, names),
        "second": _answer(row.second, names) if row.second else None,
        "pvi": row.pvi,
        "votes": ({}, corpus.labels, 0, ""),
    }
    if pair:
        decided = ", ".join(
            f"{votes} {names['label'].get(label, label)}" for label, votes in pair.decided.items()
        )
        cells |= {
            "premise": pair.sentences,
            "hypothesis": pair.hypothesis,
            "votes": (pair.votes, corpus.labels, pair.left_out, f"{decided} decided" if decided else ""),
        }
    return ListRow(row.pair_id if pair else "", cells)


def _answer(answer: Answer, names: Names) -> tuple[str, str, str]:
    shares = [
        f"{names['label'].get(label, label)} {share:.3f}" for label, share in answer.probabilities.items()
    ]
    return (
        answer.predicted,
        f"{'right' if answer.right else 'wrong'}, {percent(answer.probability)}",
        ", ".join(shares),
    )


def _csv_rows(predictions: Predictions, choice: Choice) -> Any:
    names, two = predictions.first.names, predictions.beside
    head = [
        "pairID", "premise", "hypothesis", "genre", "gold", "annotator_labels", "votes", "predicted", *names,
    ]  # fmt: skip
    if two:
        head += [f"run {two.pk}: {name}" for name in ("predicted", *names)]
    yield head + ([] if predictions.pvi is None else ["pvi"])
    for row in predictions.all_rows(choice):
        yield _csv_row(row)


def _csv_row(row: Row) -> list[object]:
    answers = [row.first] if row.second is None else [row.first, row.second]
    of_runs = [cell for one in answers for cell in (one.predicted, *one.probabilities.values())]
    texts = [row.pair_id, row.premise, row.hypothesis, row.genre, row.gold]
    labels = [" ".join(row.labels), ", ".join(f"{votes} {label}" for label, votes in row.votes.items())]
    return [*texts, *labels, *of_runs, *([] if row.pvi is None else [row.pvi])]


@researcher_post
def open_chosen(request: HttpRequest, pk: int) -> HttpResponse:
    """Opens the chosen pairs under a question of the corpus, by default the main one, and redirects back."""
    run = get_object_or_404(TrainingRun.objects.newest_first(), pk=pk)
    corpus = run.snapshot.corpus
    slug = request.POST.get("question", "").replace("\0", "")
    which = {"slug": slug} if slug else {"is_main": True}
    question = get_object_or_404(Question.objects.select_related("corpus"), corpus=corpus, **which)
    names = {name.replace("\0", "") for name in request.POST.getlist("pair")[:MOST_CHOSEN]}
    pairs = Pair.objects.filter(corpus=corpus, public_id__in=names)
    if not names:
        messages.warning(request, "No pair was chosen: tick the pairs that annotators shall label.")
    else:
        try:
            _tell(request, question, len(names), open_for_validation(question=question, pairs=pairs))
        except NotLookedAt as refusal:
            messages.warning(request, f"{refusal} Count it on the page “Open pairs” of {corpus.name} first.")
    back = request.POST.get("next", "")
    if url_has_allowed_host_and_scheme(
        back, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    ):
        return redirect(back)
    return redirect("run", pk)


def _tell(request: HttpRequest, question: Question, chosen: int, opened: int) -> None:
    if opened:
        messages.success(
            request,
            f"{opened:,} pair{pluralize(opened, ' is,s are')} open for labelling."
            " Annotators see neither gold labels nor predictions.",
        )
    if opened < chosen:
        left = chosen - opened
        messages.info(
            request,
            f"{left:,} of the chosen pairs {pluralize(left, 'was,were')} not opened: they have seats or labels under this"
            f" question already, were withdrawn, or are not in {question.corpus.name}. To label such pairs again, choose"
            " another question; pairs whose labels split can get extra labels.",
        )


@researcher_page
def read_data_map(request: HttpRequest, pk: int) -> HttpResponse:
    """Shows the map, and the training pairs of a region with their texts."""
    run = get_object_or_404(TrainingRun.objects.newest_first(), pk=pk)
    asked = {name: request.GET.get(name, "") for name in ("label", "genre", "after")}
    asked["region"] = request.GET.get("region", HARD)
    context: dict[str, Any] = {"run": run, "regions": REGIONS, "asked": asked}
    try:
        context |= _shown_on_map(run, data_map(run), asked)
    except (NoDataMap, BadPlace) as error:
        return render(request, "modeling/data_map.html", context | {"error": str(error)}, status=404)
    except BadChoice as error:
        return render(request, "modeling/data_map.html", context | {"error": str(error)}, status=422)
    query = request.GET.copy()
    query.pop("after", None)
    context |= {"query": query.urlencode(), "here": request.get_full_path()}
    return render(request, "modeling/data_map.html", context)


@researcher_page
def data_map_csv(request: HttpRequest, pk: int) -> HttpResponse | StreamingHttpResponse:
    """Returns the whole map as CSV."""
    run = get_object_or_404(TrainingRun, pk=pk)
    try:
        found = data_map(run)
    except NoDataMap as error:
        return HttpResponse(str(error), content_type="text/plain; charset=utf-8", status=404)
    return csv_file(csv_lines(_map_rows(found)), f"run-{run.pk}-data-map")


def _map_rows(found: DataMap) -> Iterator[list[object]]:
    yield ["pairID", "gold", "genre", "epochs", "confidence", "variability", "correctness"]
    for row in range(len(found.ids)):
        yield list(found.point(row).values())


def _shown_on_map(run: TrainingRun, found: DataMap, asked: dict[str, str]) -> dict[str, Any]:
    rows = found.chosen(asked["region"], asked["label"], asked["genre"])
    places, following = found.page(rows, asked["after"], PAIRS_A_PAGE)
    pairs = frozen_pairs(run.snapshot, [found.ids[row] for row in places])
    corpus = run.snapshot.corpus
    names = names_on(run.snapshot)
    cards = []
    for row in places:
        point = found.point(row)
        cards.append({**point, "pair": pairs.get(point["pairID"])})
    return {
        "rows": cards,
        "words": names["label"],
        "genre_names": names["genre"],
        "pairs": len(rows),
        "all_pairs": len(found.ids),
        "following": following,
        "charts": shown(OF_MAP, run, (corpus.slug, found)),
        "labels": in_order(found.gold.names, corpus.labels),
        "genres": in_order(found.genre.names, corpus.labels),
        "questions": Question.objects.filter(corpus=corpus).order_by("-is_main", "slug"),
        "language": corpus.language,
        "direction": direction_of(corpus.language),
    }
