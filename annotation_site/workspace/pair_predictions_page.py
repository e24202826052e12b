"""Shows what the runs predicted for one pair: a part of the pair's page, which requests it by itself."""

from dataclasses import dataclass

from django.db.models import F, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from accounts.pages.access import researcher_page
from collection.models import Pair
from modeling.folders import predictions_of
from modeling.models import Evaluation, TrainingRun
from modeling.results.predicted import read_predicted
from snapshots.models import Snapshot, SnapshotPair
from validation.questions.lookup import main_wordings

MOST_RUNS = 20  # each reads a file


@dataclass(frozen=True)
class Prediction:
    """The answer of a run for the pair. `gold`: the label in the snapshot, which today's may differ from."""

    run: TrainingRun
    snapshot: Snapshot
    partition: str
    predicted: str
    probability: float
    gold: str


@researcher_page
def pair_predictions(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """Lists the predictions of the newest runs that were evaluated on a snapshot with this pair."""
    pair = get_object_or_404(Pair.objects.select_related("corpus"), corpus__slug=slug, public_id=public_id)
    context = {
        "corpus": pair.corpus,
        "pair": pair,
        "predictions": predictions_for(pair),
        "most": MOST_RUNS,
        "words": main_wordings(pair.corpus),
    }
    return render(request, "workspace/pair_predictions.html", context)


def predictions_for(pair: Pair) -> list[Prediction]:
    """Returns the predictions of the newest runs, the newest first; of files on another machine, none."""
    places = dict(
        SnapshotPair.objects.filter(pair=pair, snapshot__status=Snapshot.Status.FROZEN)
        .order_by()
        .values_list("snapshot", "partition")
    )
    here = Q()
    for snapshot, partition in places.items():
        here |= Q(snapshot=snapshot, partition=partition)
    if not here:
        return []
    evaluations = Evaluation.objects.filter(here, run__status=TrainingRun.Status.DONE)
    rows = evaluations.select_related("run__snapshot__corpus", "snapshot__corpus").order_by(
        "-run", F("snapshot").desc()
    )
    found = (_prediction(row, pair) for row in rows[:MOST_RUNS])
    return [each for each in found if each is not None]


def _prediction(row: Evaluation, pair: Pair) -> Prediction | None:
    path = predictions_of(row.run, row.snapshot, row.partition)
    if path is None:
        return None
    read = read_predicted(path)
    place = read.places.get(pair.public_id)
    if place is None:  # a pair without a gold label is not evaluated
        return None
    code, gold = int(read.codes[place]), int(read.gold[place])
    probability = float(read.shares[place, code])
    return Prediction(row.run, row.snapshot, row.partition, read.names[code], probability, read.names[gold])
