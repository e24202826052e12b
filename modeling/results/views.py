"""Pages with the predictions of a run and with its data map."""

from collections.abc import Iterator
from typing import Any

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse

from accounts.pages.access import researcher_form, researcher_page
from collection.models import Corpus
from collection.texts import direction_of
from modeling.models import TrainingRun
from modeling.results.data_map import HARD, REGIONS, DataMap, NoDataMap, data_map
from modeling.results.dimensions import definition_of, order_of
from modeling.results.predictions import (
    ALL,
    IN_FILE,
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
from modeling.results.texts import FrozenPair, frozen_pairs
from shared.csv_files import csv_file, csv_lines
from shared.facets import several
from shared.figures import shown
from shared.lists import Filter, Shown, View, heads_of, orders_of
from shared.lists import Row as ListRow
from shared.numbers import percent
from shared.tables import Column
from snapshots.models import Snapshot
from snapshots.statistics.scope import names_on
from validation.pairs.acting import ACTS
from validation.pairs.acting_pages import act_on_pairs
from validation.questions.lookup import Names, named, names_in

MOST_OPTIONS = 300  # of a dimension with more values, such as the author, one types the value
ALWAYS_SHOWN = ("label", "predicted", "genre")


@researcher_form
def read_predictions(request: HttpRequest, pk: int, partition: str) -> HttpResponse:
    """Shows predictions with their texts, filtered and sorted, page by page. POST: what to do with chosen pairs."""
    run = get_object_or_404(TrainingRun.objects.newest_first(), pk=pk)
    given = request.GET
    context: dict[str, Any] = {"run": run, "partition": partition}
    try:
        predictions, choice = asked_predictions(run, partition, given.dict()), asked_choice(given)
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
    given = request.GET
    try:
        predictions, choice = asked_predictions(run, partition, given.dict()), asked_choice(given)
        predictions.chosen(choice)  # an error comes here, and not in the middle of the file
    except (PredictionsMissing, BadChoice) as error:
        return HttpResponse(str(error), content_type="text/plain; charset=utf-8", status=404)
    return csv_file(csv_lines(_csv_rows(predictions, choice)), f"run-{run.pk}-{partition}")


OF_PAIRS = [
    Column("pair", "Pair, genre", "name"),
    Column("premise", "Premise", "passage"),
    Column("hypothesis", "Hypothesis", "passage"),
    Column("votes", "All labels", "votes"),
    Column("gold", "Gold label", "label"),
]
# Key of a column -> the order that its head leads to.
BY: dict[str, tuple[str | None, str | None]] = {
    "pair": (IN_FILE, None),
    "votes": ("agreement", "-agreement"),
    "gold": ("label", "-label"),
    "first": ("predicted", "-predicted"),
    "pvi": (LEAST_PVI, None),
}


def _shown(request: HttpRequest, predictions: Predictions, choice: Choice) -> Shown:
    run, beside, corpus = predictions.run, predictions.beside, predictions.snapshot.corpus
    columns = [
        *OF_PAIRS,
        Column("first", f"Run {run.pk}" if beside else "Predicted", "label"),
    ]
    columns += [Column("second", f"Run {beside.pk}", "label")] if beside else []
    columns += [] if predictions.pvi is None else [Column("pvi", "PVI, bits", "number")]
    by = {key: orders for key, orders in BY.items() if {*orders} & {*predictions.sorts}}
    view = View(request, columns, predictions.sorts, by, SUREST, "sort")
    page = predictions.page(choice, request.GET.get("after", ""), view.size)
    names, counts = names_in(corpus), predictions.counts(choice)
    known = sorted(predictions.dimensions.items(), key=lambda item: order_of(item[0]))
    outcomes = {name: words for name, words in predictions.outcomes.items() if name != ALL}
    filters = [Filter("text", "Words of premise or hypothesis"), Filter("outcome", "Which", outcomes)]
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
    return view.page_of(
        [_row(predictions, row, names) for row in page.rows],
        filters,
        total=(page.pairs, False),
        numbers=counts,
        first=view.address({}) if request.GET.get("after") else "",
        after=page.next,
        csv=f"{csv}?{query}" if query else csv,
        acts=ACTS,
        marked=choice.text,
        language=corpus.language,
        direction=direction_of(corpus.language),
        words=names["label"],
    )


def _named(run: TrainingRun, snapshot: Snapshot) -> str:
    twin = ", hypothesis-only twin" if run.regime.get("hypothesis_only") else ""
    elsewhere = ", trained elsewhere" if run.snapshot_id != snapshot.pk else ""
    return f"{run.pk}: {run.baseline}, seed {run.seed}{twin}{elsewhere}"


def _row(predictions: Predictions, row: Row, names: Names) -> ListRow:
    missing = "The texts of this pair are not on this site."
    cells = _cells(
        predictions.snapshot.corpus, names, row.pair_id, row.genre, row.gold, row.pair, missing
    ) | {
        "first": _answer(row.first, names),
        "second": _answer(row.second, names) if row.second else None,
        "pvi": row.pvi,
    }
    return ListRow(row.pair_id if row.pair else "", cells)


def _cells(
    corpus: Corpus, names: Names, name: str, genre: str, gold: str, pair: FrozenPair | None, missing: str
) -> dict[str, Any]:
    """Returns the cells of a frozen pair. missing: what stands in place of texts that are not here."""
    genre = names["genre"].get(genre, genre)
    if pair is None:
        return {
            "pair": (name, "", genre),
            "hypothesis": missing,
            "gold": (gold, ""),
            "votes": ({}, (), 0, ""),
        }
    decided = ", ".join(f"{votes} {named(names, 'label', label)}" for label, votes in pair.decided.items())
    return {
        "pair": (name, reverse("pair", args=[corpus.slug, name]), genre),
        "premise": pair.sentences,
        "hypothesis": pair.hypothesis,
        "votes": (pair.votes, corpus.labels, pair.left_out, f"{decided} decided" if decided else ""),
        "gold": (gold, ""),
    }


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


@researcher_form
def read_data_map(request: HttpRequest, pk: int) -> HttpResponse:
    """Shows the map, and the training pairs of a region with their texts. POST: what to do with chosen pairs."""
    run = get_object_or_404(TrainingRun.objects.newest_first(), pk=pk)
    context: dict[str, Any] = {"run": run}
    try:
        found = data_map(run)
        region = request.GET.get("region", HARD)
        wanted = {name: several(request.GET.getlist(name)) for name in OF_MAP_PAIRS}
        rows = found.chosen(region, **wanted)
        if request.method == "POST":
            places = rows.tolist()
            return act_on_pairs(request, run.snapshot.corpus, lambda: (found.ids[place] for place in places))
        counts = found.counts(region, **wanted)
        context |= {
            "list": _shown_on_map(request, run, found, rows, counts),
            "all_pairs": len(found.ids),
            "charts": shown(OF_MAP, run, (run.snapshot.corpus.slug, found)),
        }
    except (NoDataMap, BadPlace) as error:
        return render(request, "modeling/data_map.html", context | {"error": str(error)}, status=404)
    except BadChoice as error:
        return render(request, "modeling/data_map.html", context | {"error": str(error)}, status=422)
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


OF_MAP_PAIRS = ("label", "genre")  # filters of a region
MEASURES = [
    Column("confidence", "Confidence", "kappa"),
    Column("variability", "Variability", "kappa"),
    Column("correctness", "Correct", "share"),
    Column("epochs", "Epochs", "count", on_page=False),
]


def _shown_on_map(
    request: HttpRequest, run: TrainingRun, found: DataMap, rows: Any, counts: dict[str, Any]
) -> Shown:
    """counts: as DataMap.counts returns them."""
    corpus, names = run.snapshot.corpus, names_on(run.snapshot)
    by = [column for column in (*OF_PAIRS, *MEASURES) if column.key in found.keys]
    orders = {"": "the most typical of the region first", **orders_of([*by, Column("genre", "Genre")])}
    view = View(request, [*OF_PAIRS, *MEASURES], orders, heads_of(by), sort="sort")
    places, following = found.page(found.ordered(rows, view.order), view.text("after"), view.size)
    pairs = frozen_pairs(run.snapshot, [found.ids[row] for row in places])
    filters = []
    for key, title in (("label", "Gold label"), ("genre", "Genre")):
        numbers = dict(counts[key])
        ordered = in_order([*numbers], corpus.labels)
        filters.append(Filter(key, title, {name: names[key].get(name, name) for name in ordered}))
        counts[key] = [(name, numbers[name]) for name in ordered]
    elsewhere = "The texts of this pair are in another snapshot, with which the training was mixed."
    filters.insert(0, Filter("region", "Region", REGIONS, is_single=True))
    shown_rows = []
    for point in map(found.point, places):
        name = point["pairID"]
        cells = _cells(corpus, names, name, point["genre"], point["gold"], pairs.get(name), elsewhere)
        shown_rows.append(ListRow(name if name in pairs else "", point | cells))
    return view.page_of(
        shown_rows,
        filters,
        total=(len(rows), False),
        numbers=counts,
        first=view.address({}) if request.GET.get("after") else "",
        after=following,
        csv=reverse("data-map-csv", args=[run.pk]),
        acts=ACTS,
        language=corpus.language,
        direction=direction_of(corpus.language),
        words=names["label"],
    )
