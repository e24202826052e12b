"""The table of a sweep, by training size."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from modeling.models import Evaluation, TrainingRun
from modeling.querysets import DISTRIBUTION
from modeling.results.run_scores import Score, Spread, score_of, spread_of


@dataclass
class Size:
    """The runs of a sweep with one training size (None: all pairs), and the mean scores of those that are done."""

    most: int | None
    runs: list[dict[str, Any]] = field(default_factory=list)
    scores: dict[str, Score] = field(default_factory=dict)


def sizes(sweep: TrainingRun) -> list[Size]:
    """Returns the table of a sweep: with several sizes, a learning curve. Empty for a search over settings."""
    found: dict[int | None, Size] = {}
    if sweep.is_search:
        return []  # a mean over settings says nothing: see results/trials.py
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
    """Returns training size, partition and spreads of each `Score.distribution` in the table."""
    return [
        (size.most, partition, score.distribution)
        for size in table
        for partition, score in size.scores.items()
        if score.distribution
    ]
