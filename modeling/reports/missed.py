"""Finds pairs that all runs of a snapshot, or all but a few, predict wrongly."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from modeling.folders import predictions_of
from modeling.models import TrainingRun
from modeling.results.predicted import Codes, Predicted, read_predicted
from modeling.results.predictions import Predictions
from modeling.results.trials import not_chosen_on
from shared.tables import Column, Table, Value, plain
from snapshots.models import Snapshot

LEFT_OUT = "majority"  # it misses every pair that has not the commonest label, whatever the pair says


@dataclass(frozen=True)
class Answers:
    """What a run answers to each pair, as an index in `names`, and whether it is wrong."""

    run: TrainingRun
    names: list[str]
    codes: Codes
    wrong: npt.NDArray[np.bool_]


def missed(snapshots: list[Snapshot], partition: str, most: int) -> Table:
    """Returns the pairs that most runs predict wrongly, ordered by the number of these runs."""
    (snapshot,) = snapshots
    answers = list(_answers(snapshot, partition))
    columns = (
        Column("pair", kind="pair"),
        Column("premise"),
        Column("hypothesis"),
        Column("gold"),
        Column("predicted"),
        Column("labels"),
        Column("missed by", kind="count"),
        Column("runs", kind="count"),
        Column("baselines that miss it"),
    )
    definitions = [
        f"Of each baseline the newest run of each seed and setting, without {LEFT_OUT} and without runs on two classes."
        " Missed by: runs whose predicted label is not the gold label."
    ]
    if not answers:
        nothing = f"No finished run on {snapshot} has predictions for {partition} on this machine."
        return plain("missed", "Pairs that all runs miss", columns, [], (*definitions, nothing))
    wrong = np.stack([one.wrong for one in answers])
    times = wrong.sum(axis=0)
    everywhere = int((times == len(answers)).sum())
    definitions.append(f"{everywhere:,} of {len(times):,} pairs are missed by all {len(answers)} runs.")
    chosen = np.argsort(-times, kind="stable")[:most]
    rows: list[list[Value]] = []
    shown = Predictions(answers[0].run, partition).rows([int(place) for place in chosen if times[place]])
    for place, row in zip(chosen.tolist(), shown, strict=False):
        by = [one for one in answers if one.wrong[place]]
        rows.append(
            [
                row.pair_id,
                row.premise,
                row.hypothesis,
                row.gold,
                _counted(Counter(one.names[one.codes[place]] for one in by)),
                _counted(Counter(row.votes)),
                len(by),
                len(answers),
                _counted(Counter(one.run.baseline for one in by)),
            ]
        )
    return plain("missed", f"Pairs of {partition} that all runs miss", columns, rows, tuple(definitions))


def _counted(found: Counter[str]) -> str:
    return ", ".join(f"{name} {times}" if times > 1 else name for name, times in found.most_common())


def _answers(snapshot: Snapshot, partition: str) -> Iterator[Answers]:
    """Yields the answers of each run that has any on this machine, in the order of the first run's pairs."""
    done = TrainingRun.objects.filter(snapshot=snapshot, status=TrainingRun.Status.DONE)
    wanted = done.exclude(baseline=LEFT_OUT).exclude(pk__in=not_chosen_on([snapshot]))
    runs = wanted.newest_of_each_seed().select_related("snapshot__corpus")
    first: Predicted | None = None
    for run in runs.order_by("pk"):
        path = None if run.regime.get("collapse") else predictions_of(run, snapshot, partition)
        predicted = read_predicted(path) if path else None
        if predicted and predicted.ids:
            first = first or predicted
            found = predicted.in_order_of(first)
            yield Answers(run, found.names, found.codes, ~found.right)
