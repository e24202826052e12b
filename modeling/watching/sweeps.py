"""The table of a sweep, by training size."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from modeling.models import Evaluation, TrainingRun
from modeling.querysets import DISTRIBUTION
from modeling.results.tables import Score, Spread, score_of, spread_of


@dataclass
class Size:
    """The children of a sweep that learn from equally many pairs (None: all): each by its seed, and the mean and
    spread of those that are done, by partition.
    """

    most: int | None
    runs: list[dict[str, Any]] = field(default_factory=list)
    scores: dict[str, Score] = field(default_factory=dict)


def sizes(sweep: TrainingRun) -> list[Size]:
    """A sweep's table: a learning curve where it has several sizes. One query a figure besides the children."""
    found: dict[int | None, Size] = {}
    for child in sweep.children.all():
        size = found.setdefault(child.most, Size(child.most))
        size.runs.append({"run": child.pk, "seed": child.seed, "status": child.status, "error": child.error})
    for row in Evaluation.objects.by_size(sweep):
        found[row["run__most"]].scores[row["partition"]] = score_of(row)
    for figure in DISTRIBUTION:
        for row in Evaluation.objects.by_size(sweep, figure):
            score = found[row["run__most"]].scores.get(row["partition"])
            if score is not None:  # else its first seed has ended since
                score.distribution[figure] = spread_of(row)
    return list(found.values())


def distributions(table: Sequence[Size]) -> list[tuple[int | None, str, dict[str, Spread]]]:
    """Of a sweep's table training size, partition and the spreads of `Score.distribution`, where there are any."""
    return [
        (size.most, partition, score.distribution)
        for size in table
        for partition, score in size.scores.items()
        if score.distribution
    ]
