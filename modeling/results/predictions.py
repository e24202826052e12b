"""Reads the files of predictions that the training program writes."""

import json
import os
from dataclasses import dataclass
from typing import Any

from collection.models import PARTITIONS
from modeling.folders import folder_of, predictions_in
from modeling.models import TrainingRun

MOST_PREDICTIONS = 1000


class PredictionsMissing(Exception):
    """There are no predictions. The sentence says why."""


class BadPlace(PredictionsMissing):
    """The cursor is not at the beginning of a line."""


@dataclass(frozen=True)
class Predictions:
    """A part of a file of predictions. `next` is the byte where the next part begins, None at the end."""

    rows: list[dict[str, Any]]
    next: int | None


def predictions(
    run: TrainingRun, partition: str, start: int = 0, most: int = 100, *, only_wrong: bool = False
) -> Predictions:
    """Returns at most `most` predictions from byte `start` on, or the wrong ones among them with `only_wrong`.

    Raises PredictionsMissing, BadPlace.
    """
    if partition not in PARTITIONS:
        raise PredictionsMissing(
            f"There is no partition {partition!r}. The partitions: {', '.join(PARTITIONS)}."
        )
    try:
        with predictions_in(folder_of(run), partition).open("rb") as stream:
            _go_to(stream, start)
            rows: list[dict[str, Any]] = []
            while len(rows) < min(most, MOST_PREDICTIONS) and (line := stream.readline()):
                row = json.loads(line)
                if not only_wrong or row["predicted"] != row["gold"]:
                    rows.append(row)
            place = stream.tell()
            return Predictions(rows, place if stream.read(1) else None)
    except FileNotFoundError:
        raise PredictionsMissing(
            f"Run {run.pk} has no predictions for {partition} here: "
            + (
                f"the snapshot has no {partition} pairs with a gold label, or the files are on {run.worker}."
                if run.status == TrainingRun.Status.DONE
                else f"it is {run.status}. They come when it is done."
            )
        ) from None


def _go_to(stream: Any, start: int) -> None:
    """Moves to byte `start`, which must be the beginning of a line."""
    if start:
        size = stream.seek(0, os.SEEK_END)
        # Checked first: the system rejects positions far beyond any file.
        stream.seek(min(start, size) - 1 if size else 0)
        if start > size or stream.read(1) != b"\n":
            raise BadPlace("This cursor is invalid. Begin again without one.")
