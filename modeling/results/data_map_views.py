"""Pages with the data map of a run."""

from collections.abc import Iterator
from typing import Any

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, render

from accounts.pages.access import researcher_page
from accounts.pages.chart_files import chart_file
from collection.texts import direction_of
from modeling.models import TrainingRun
from modeling.results.data_map import HARD, REGIONS, DataMap, NoDataMap, data_map
from modeling.results.predictions import BadChoice, BadPlace
from modeling.results.run_charts import data_map_charts
from modeling.results.run_scores import in_order
from modeling.results.texts import frozen_pairs
from shared.csv_files import csv_file
from shared.csv_tables import csv_lines
from validation.models import Question
from validation.questions.lookup import names_in

PAIRS_A_PAGE = 50


@researcher_page
def read_data_map(request: HttpRequest, pk: int) -> HttpResponse:
    """Shows the map, and the training pairs of a region with their texts. `chart`: one chart as CSV."""
    run = get_object_or_404(TrainingRun.objects.newest_first(), pk=pk)
    asked = {name: request.GET.get(name, "") for name in ("label", "genre", "after")}
    asked["region"] = request.GET.get("region", HARD)
    context: dict[str, Any] = {"run": run, "regions": REGIONS, "asked": asked}
    try:
        found = data_map(run)
        if "chart" in request.GET:
            return chart_file(
                data_map_charts(run, found, names_in(run.snapshot.corpus)), request.GET["chart"], f"run-{pk}"
            )
        context |= _shown(run, found, asked)
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
    return csv_file(csv_lines(_csv_rows(found)), f"run-{run.pk}-data-map")


def _csv_rows(found: DataMap) -> Iterator[list[object]]:
    yield ["pairID", "gold", "genre", "epochs", "confidence", "variability", "correctness"]
    for row in range(len(found.ids)):
        yield list(found.point(row).values())


def _shown(run: TrainingRun, found: DataMap, asked: dict[str, str]) -> dict[str, Any]:
    rows = found.chosen(asked["region"], asked["label"], asked["genre"])
    shown, following = found.page(rows, asked["after"], PAIRS_A_PAGE)
    pairs = frozen_pairs(run.snapshot, [found.ids[row] for row in shown])
    corpus = run.snapshot.corpus
    names = names_in(corpus)
    cards = []
    for row in shown:
        point = found.point(row)
        cards.append({**point, "pair": pairs.get(point["pairID"])})
    return {
        "rows": cards,
        "words": names["label"],
        "genre_names": names["genre"],
        "pairs": len(rows),
        "all_pairs": len(found.ids),
        "following": following,
        "charts": data_map_charts(run, found, names),
        "labels": in_order(found.gold.names, corpus.labels),
        "genres": in_order(found.genre.names, corpus.labels),
        "questions": Question.objects.filter(corpus=corpus).order_by("-is_main", "slug"),
        "language": corpus.language,
        "direction": direction_of(corpus.language),
    }
