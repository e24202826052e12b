"""Reads the requested predictions from an address; pages, CSV and REST have the same parameters."""

from collections.abc import Mapping

from modeling.models import TrainingRun
from modeling.results.dimensions import DIMENSIONS, OWN
from modeling.results.predictions import ALL, SUREST, BadChoice, Choice, Predictions, PredictionsMissing
from snapshots.models import Snapshot

LONGEST = 400  # characters of a value


def asked_predictions(run: TrainingRun, partition: str, given: Mapping[str, str]) -> Predictions:
    """Returns the predictions that `on` (CORPUS@VERSION) and `with` (the number of a second run) name.

    Raises PredictionsMissing, BadChoice.
    """
    on, other = given.get("on", ""), given.get("with", "")
    snapshot = Snapshot.objects.named(on).first() if on else None
    if on and snapshot is None:
        raise PredictionsMissing(f"There is no snapshot {on!r}. Name one as CORPUS@VERSION.")
    beside = None
    if other:
        number = int(other) if other.isascii() and other.isdigit() and len(other) < 18 else 0
        beside = TrainingRun.objects.newest_first().filter(pk=number).exclude(pk=run.pk).first()
        if beside is None:
            raise BadChoice("with", other, ["the number of another run"])
    return Predictions(run, partition, on=snapshot, beside=beside)


def asked_choice(given: Mapping[str, str]) -> Choice:
    """Returns the choice: `outcome`, `sort`, and a value for each dimension that is named."""
    values = {
        name: value[:LONGEST]
        for name, value in given.items()
        if value and (name in DIMENSIONS or name.startswith(OWN))
    }
    return Choice(given.get("outcome") or ALL, given.get("sort") or SUREST, values)


def other_runs(run: TrainingRun, snapshot: Snapshot) -> list[TrainingRun]:
    """Returns the finished runs with scores on a snapshot that can be compared with a run, the newest first."""
    rows = TrainingRun.objects.filter(evaluations__snapshot=snapshot, status=TrainingRun.Status.DONE)
    return list(rows.exclude(pk=run.pk).distinct().order_by("-pk")[:200])
