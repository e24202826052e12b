"""Stores the scores of runs."""

from collections.abc import Iterator, Mapping
from typing import Any

from collection.models import PARTITIONS
from modeling.models import Evaluation, TrainingRun
from modeling.querysets import DISTRIBUTION
from snapshots.models import Snapshot


def record_evaluation(*, run: TrainingRun, snapshot: Snapshot, metrics: Mapping[str, Any]) -> None:
    """A finished run's scores on any snapshot; scores of an earlier evaluation of the same parts are replaced."""
    rows = [
        Evaluation(run=run, snapshot=snapshot, partition=partition, **part)
        for partition in PARTITIONS
        for part in _parts(metrics.get(partition) or {}, metrics.get("train_pairs"))
    ]
    Evaluation.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["run", "snapshot", "partition", "genre", "gold_label"],
        update_fields=["pairs", "accuracy", "majority", "voted_pairs", *DISTRIBUTION],
    )


def _parts(scores: Mapping[str, Any], train_pairs: int | None) -> Iterator[dict[str, Any]]:
    """The whole, each genre, each gold label; a part without pairs has no accuracy and no row."""
    named: list[tuple[dict[str, str], Mapping[str, Any]]] = [({}, scores)]
    named += [({"genre": genre}, part) for genre, part in scores.get("by_genre", {}).items()]
    named += [({"gold_label": label}, part) for label, part in scores.get("by_label", {}).items()]
    for name, part in named:
        if part.get("accuracy") is not None:
            # Of the training partition the program tells the accuracy alone.
            pairs = part.get("pairs", train_pairs)
            told = {"pairs": pairs, "accuracy": part["accuracy"], "majority": part.get("majority")}
            yield {**name, **told, **_distribution(part.get("distribution"))}


def _distribution(told: Mapping[str, Any] | None) -> dict[str, Any]:
    """How near the prediction is to the annotators; the program tells null where no pair has two labels."""
    return {"voted_pairs": told["pairs"], **{key: told[key] for key in DISTRIBUTION}} if told else {}
