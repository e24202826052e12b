"""Pages with the predictions of a run and with its data map; opens pairs for labelling that were chosen on them."""

from collections.abc import Iterator
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.defaultfilters import pluralize
from django.utils.http import url_has_allowed_host_and_scheme

from accounts.pages.access import researcher_page, researcher_post
from collection.models import Pair
from collection.texts import direction_of
from modeling.models import TrainingRun
from modeling.results.data_map import HARD, REGIONS, DataMap, NoDataMap, data_map
from modeling.results.dimensions import definition_of, order_of
from modeling.results.predictions import (
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
from snapshots.statistics.scope import names_on
from validation.errors import NotLookedAt
from validation.models import Question
from validation.pairs.opening import open_for_validation
from validation.questions.lookup import names_in

PREDICTIONS_A_PAGE = PAIRS_A_PAGE = 50
MOST_CHOSEN = 1000
MOST_OPTIONS = 300  # of a dimension with more values, such as the author, one types the value
ALWAYS_SHOWN = ("label", "predicted", "genre")


@researcher_page
def read_predictions(request: HttpRequest, pk: int, partition: str) -> HttpResponse:
    """Shows predictions with their texts, filtered and sorted, page by page."""
    run = get_object_or_404(TrainingRun.objects.newest_first(), pk=pk)
    given = request.GET.dict()
    context: dict[str, Any] = {"run": run, "partition": partition, "choice": asked_choice(given)}
    try:
        predictions = asked_predictions(run, partition, given)
        context |= _shown(predictions, context["choice"], given.get("after", ""))
    except (PredictionsMissing, BadChoice) as error:
        context["error"] = str(error)
        status = 404 if isinstance(error, PredictionsMissing) and not isinstance(error, BadPlace) else 422
        return render(request, "modeling/predictions.html", context, status=status)
    query = request.GET.copy()
    query.pop("after", None)
    context |= {"query": query.urlencode(), "here": request.get_full_path()}
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


def _shown(predictions: Predictions, choice: Choice, after: str) -> dict[str, Any]:
    page = predictions.page(choice, after, PREDICTIONS_A_PAGE)
    corpus = predictions.snapshot.corpus
    names = names_in(corpus)
    filters = [
        {
            "name": name,
            "definition": definition_of(name),
            "chosen": choice.values.get(name, ""),
            "options": in_order(values.names, corpus.labels) if len(values.names) <= MOST_OPTIONS else [],
            "folded": name not in ALWAYS_SHOWN and name not in choice.values,
        }
        for name, values in sorted(predictions.dimensions.items(), key=lambda item: order_of(item[0]))
    ]
    return {
        "predictions": predictions,
        "names": names,
        "words": names["label"],
        "genre_names": names["genre"],
        "page": page,
        "after": after,
        "filters": [one for one in filters if not one["folded"]],
        "folded": [one for one in filters if one["folded"]],
        "others": other_runs(predictions.run, predictions.snapshot),
        "questions": Question.objects.filter(corpus=predictions.run.snapshot.corpus).order_by(
            "-is_main", "slug"
        ),
        "can_choose": predictions.snapshot.corpus_id == predictions.run.snapshot.corpus_id,
        "language": corpus.language,
        "direction": direction_of(corpus.language),
    }


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
