"""Pages with the predictions of a run."""

from typing import Any

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, render

from accounts.pages.access import researcher_page
from collection.texts import direction_of
from modeling.models import TrainingRun
from modeling.results.dimensions import definition_of, order_of
from modeling.results.prediction_parameters import asked_choice, asked_predictions, other_runs
from modeling.results.predictions import BadChoice, BadPlace, Choice, Predictions, PredictionsMissing, Row
from modeling.results.run_scores import in_order
from shared.csv_files import csv_file
from shared.csv_tables import csv_lines
from validation.models import Question
from validation.questions.lookup import names_in

PREDICTIONS_A_PAGE = 50
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
