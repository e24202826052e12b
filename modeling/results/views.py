"""Pages with the predictions of a run."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.pages.access import researcher_required
from collection.models import Pair
from collection.texts import direction_of
from modeling.models import TrainingRun
from modeling.results.predictions import PredictionsMissing, predictions

PREDICTIONS_A_PAGE = 50


@never_cache
@require_safe
@researcher_required
def read_predictions(request: HttpRequest, pk: int, partition: str) -> HttpResponse:
    """Predictions with their texts, one part of the file at a time. With `wrong=1`, only wrong ones."""
    found = get_object_or_404(TrainingRun.objects.newest_first(), pk=pk)
    start = request.GET.get("from", "0")
    only_wrong = request.GET.get("wrong") == "1"
    context: dict[str, Any] = {"run": found, "partition": partition, "only_wrong": only_wrong}
    try:
        place = int(start) if start.isascii() and start.isdigit() and len(start) < 19 else 0
        context["predictions"] = predictions(
            found, partition, place, PREDICTIONS_A_PAGE, only_wrong=only_wrong
        )
        context["rows"] = _with_texts(found, context["predictions"].rows)
        context["direction"] = direction_of(found.snapshot.corpus.language)
    except PredictionsMissing as error:
        context["error"] = str(error)
    return render(request, "modeling/predictions.html", context, status=404 if "error" in context else 200)


def _with_texts(found: TrainingRun, rows: Sequence[Mapping[str, Any]]) -> list[tuple[Any, Pair | None]]:
    """Returns each prediction with its pair, or None if the corpus has no such pair."""
    pairs = Pair.objects.filter(
        corpus=found.snapshot.corpus_id, public_id__in=[row["pairID"] for row in rows]
    ).select_related("premise")
    texts = {pair.public_id: pair for pair in pairs}
    return [(row, texts.get(row["pairID"])) for row in rows]
