"""Finds pairs that all runs of a snapshot, or all but a few, predict wrongly."""

from collections import Counter

import numpy as np

from modeling.folders import predictions_of
from modeling.models import TrainingRun
from modeling.results.predicted import Predicted, read_predicted
from modeling.results.predictions import Predictions
from modeling.results.trials import not_chosen_on
from snapshots.models import Snapshot
from snapshots.statistics.paper_tables import Cell, Column, Table

LEFT_OUT = "majority"  # it misses every pair that has not the commonest label, whatever the pair says


def missed(snapshots: list[Snapshot], partition: str, most: int) -> Table:
    """Returns the pairs that most runs predict wrongly, ordered by the number of these runs."""
    (snapshot,) = snapshots
    answers = list(_answers(snapshot, partition).items())
    columns = (
        Column("pair", "pair"),
        Column("premise"),
        Column("hypothesis"),
        Column("gold"),
        Column("predicted"),
        Column("labels"),
        Column("missed by", "count"),
        Column("runs", "count"),
        Column("baselines that miss it"),
    )
    definitions = [
        f"Of each baseline the newest run of each seed and setting, without {LEFT_OUT} and without runs on two classes."
        " Missed by: runs whose predicted label is not the gold label."
    ]
    if not answers:
        nothing = f"No finished run on {snapshot} has predictions for {partition} on this machine."
        return Table("missed", "Pairs that all runs miss", columns, [], (*definitions, nothing))
    first_run, first = answers[0]
    wrong = np.stack([_wrong(first, other) for _, other in answers])
    times = wrong.sum(axis=0)
    everywhere = int((times == len(answers)).sum())
    definitions.append(f"{everywhere:,} of {len(first.ids):,} pairs are missed by all {len(answers)} runs.")
    chosen = np.argsort(-times, kind="stable")[:most]
    rows: list[list[Cell]] = []
    shown = Predictions(first_run, partition).rows([int(place) for place in chosen if times[place]])
    for place, row in zip(chosen.tolist(), shown, strict=False):
        by = [run for (run, _), is_wrong in zip(answers, wrong[:, place], strict=True) if is_wrong]
        answers_given = Counter(
            other.names[other.codes[other.places[row.pair_id]]]
            for (_, other), is_wrong in zip(answers, wrong[:, place], strict=True)
            if is_wrong
        )
        rows.append(
            [
                row.pair_id,
                row.premise,
                row.hypothesis,
                row.gold,
                _counted(answers_given),
                _counted(Counter(row.votes)),
                len(by),
                len(answers),
                _counted(Counter(run.baseline for run in by)),
            ]
        )
    return Table("missed", f"Pairs of {partition} that all runs miss", columns, rows, tuple(definitions))


def _counted(found: Counter[str]) -> str:
    return ", ".join(f"{name} {times}" if times > 1 else name for name, times in found.most_common())


def _answers(snapshot: Snapshot, partition: str) -> dict[TrainingRun, Predicted]:
    """Returns the predictions of each run that has any on this machine."""
    done = TrainingRun.objects.filter(snapshot=snapshot, status=TrainingRun.Status.DONE)
    wanted = done.exclude(baseline=LEFT_OUT).exclude(pk__in=not_chosen_on([snapshot]))
    runs = wanted.newest_of_each_seed().select_related("snapshot__corpus")
    found: dict[TrainingRun, Predicted] = {}
    for run in runs.order_by("pk"):
        if run.regime.get("collapse"):
            continue
        path = predictions_of(run, snapshot, partition)
        predicted = read_predicted(path) if path else None
        if predicted and predicted.ids:
            found[run] = predicted
    return found


def _wrong(first: Predicted, other: Predicted) -> np.ndarray:
    """Returns which pairs `other` predicts wrongly, in the order of `first`."""
    if other.ids == first.ids:
        return ~other.right
    return ~other.right[[other.places[name] for name in first.ids]]
