"""Stores the scores of runs."""

from collections.abc import Mapping
from typing import Any

from collection.models import PARTITIONS
from modeling.models import Evaluation, TrainingRun
from modeling.querysets import DISTRIBUTION
from nli.lines import ALL
from snapshots.models import Snapshot


def record_evaluation(*, run: TrainingRun, snapshot: Snapshot, metrics: Mapping[str, Any]) -> None:
    """Stores a run's scores on partitions of a snapshot. They replace earlier scores on the same partitions."""
    rows = [
        Evaluation(
            run=run, snapshot=snapshot, partition=partition, **_scores(part, metrics.get("train_pairs"))
        )
        for partition in PARTITIONS
        if (part := metrics.get(partition) or {}).get("accuracy") is not None
    ]
    Evaluation.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["run", "snapshot", "partition"],
        update_fields=["pairs", "accuracy", "majority", "voted_pairs", "voted_labels", *DISTRIBUTION],
    )


def _scores(part: Mapping[str, Any], train_pairs: int | None) -> dict[str, Any]:
    # Of the training partition the program reports the accuracy only.
    scores = {
        "pairs": part.get("pairs", train_pairs), "accuracy": part["accuracy"], "majority": part.get("majority"),
    }  # fmt: skip
    distribution = part.get("distribution")  # null if no pair has two labels
    if distribution:
        scores |= {
            "voted_pairs": distribution["pairs"],
            "voted_labels": distribution.get("labels", ALL),
        }  # of earlier versions: all
        scores |= {key: distribution[key] for key in DISTRIBUTION}
    return scores
