"""Tables of scores: experiments over seeds, and the parts of an evaluation."""

import json
import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from django.db.models import F, QuerySet
from django.urls import reverse
from django.utils.http import urlencode

from accounts.people.gates import viewer
from collection.models import PARTITIONS
from modeling.launching.regimes import regime_text, settings_text
from modeling.models import Breakdown, Evaluation, TrainingRun
from modeling.results.dimensions import definition_of, order_of
from modeling.results.trials import hides_test, not_chosen_on
from nli.lines import ALL
from shared.intervals import wilson
from snapshots.models import Snapshot


@dataclass(frozen=True)
class Spread:
    """A statistic over runs. `spread` is the sample standard deviation, None for one run."""

    mean: float
    spread: float | None
    lowest: float
    highest: float


@dataclass(frozen=True)
class Score(Spread):
    """Accuracy over the runs of an experiment.

    `bar` is the share of the most frequent label among the evaluated pairs.

    `distribution` has `kl`, `jsd` (nats) and `entropy_correlation` of the predicted probabilities and the annotators'
    shares; it is empty where no pair has two annotator labels.
    """

    bar: float | None
    distribution: dict[str, Spread] = field(default_factory=dict)


@dataclass
class Experiment:
    """Runs that differ only by seed; of several with one seed, the newest."""

    baseline: str
    vectors: str
    config: dict[str, Any]
    regime: str = ""
    seeds: list[int] = field(default_factory=list)
    run_ids: list[int] = field(default_factory=list)
    scores: dict[str, Score] = field(default_factory=dict)

    @property
    def settings(self) -> str:
        return ", ".join(filter(None, (self.regime, settings_text(self.config))))

    @property
    def runs(self) -> list[tuple[int, int]]:
        """Returns seed and run id of each run."""
        return list(zip(self.seeds, self.run_ids, strict=True))


@dataclass(frozen=True)
class SnapshotTable:
    """The finished experiments of one snapshot."""

    snapshot: Snapshot
    experiments: list[Experiment]


def results(snapshots: Sequence[Snapshot]) -> list[SnapshotTable]:
    """Returns the table of baselines of each snapshot, by four queries."""
    found: dict[int, dict[tuple[str, ...], Experiment]] = defaultdict(dict)
    done = TrainingRun.objects.filter(snapshot__in=snapshots, status=TrainingRun.Status.DONE)
    runs = done.exclude(pk__in=not_chosen_on(snapshots)).newest_of_each_seed()
    for run in runs.order_by("baseline", "vectors", F("most").asc(nulls_last=True), "seed"):
        first = found[run.snapshot_id].setdefault(
            _key(run.baseline, run.vectors, run.config, run.regime, run.most),
            Experiment(run.baseline, run.vectors, run.config, regime_text(run.regime, run.most)),
        )
        first.seeds.append(run.seed)
        first.run_ids.append(run.pk)
    for row in Evaluation.objects.of_runs(runs).by_experiment():
        key = _key(*(row[f"run__{name}"] for name in ("baseline", "vectors", "config", "regime", "most")))
        experiment = found[row["run__snapshot_id"]].get(key)
        if experiment is not None:  # else its first run has ended meanwhile
            experiment.scores[row["partition"]] = score_of(row)
    return [
        SnapshotTable(snapshot, list(found[snapshot.pk].values()))
        for snapshot in snapshots
        if found[snapshot.pk]
    ]


def _key(*what: Any) -> tuple[str, ...]:
    """Returns the key that runs of one experiment share, with all digits."""
    return tuple(json.dumps(one, sort_keys=True) for one in what)


def score_of(row: Mapping[str, Any]) -> Score:
    return Score(**vars(spread_of(row)), bar=row["bar"])


def spread_of(row: Mapping[str, Any]) -> Spread:
    return Spread(row["mean"], row["spread"], row["lowest"], row["highest"])


def distribution_text(distances: Mapping[str, Any]) -> str:
    """Returns a partition's `distribution` as a line of text."""
    correlation = distances["entropy_correlation"]
    related = "none" if correlation is None else f"{correlation:.4f}"
    return (
        f"to people's shares, of {distances.get('labels', ALL)}: KL {distances['kl']:.4f}, JSD {distances['jsd']:.4f} nats"
        f", entropy correlation {related}  ({distances['pairs']:,} pairs with two labels or more)"
    )


@dataclass(frozen=True)
class Part:
    """One value of a breakdown.

    `majority` is the share of its most frequent gold label, `gold` its pairs by gold label.
    """

    value: str
    pairs: int
    accuracy: float | None
    majority: float
    gold: dict[str, int]


@dataclass(frozen=True)
class ShownBreakdown:
    """A breakdown as pages, REST and commands show it."""

    snapshot: Snapshot
    partition: str
    dimension: str
    definition: str
    parts: list[Part]


@dataclass(frozen=True)
class Confusion:
    """The number of pairs of each gold label with each predicted label.

    `rows`: gold label, counts, share of correct ones.
    """

    labels: list[str]
    rows: list[tuple[str, list[int], float | None]]
    precision: list[float | None]


@dataclass
class Evaluated:
    """The scores of a run on one partition of one snapshot: all pairs, and by each dimension."""

    snapshot: Snapshot
    partition: str
    whole: Evaluation
    breakdowns: list[ShownBreakdown] = field(default_factory=list)

    @property
    def is_own(self) -> bool:
        """Returns whether the run was trained on this snapshot."""
        return self.snapshot.pk == self.whole.run.snapshot_id

    @property
    def where(self) -> str:
        """Returns the partition, with the snapshot where it is not the run's own."""
        return self.partition if self.is_own else f"{self.partition} of {self.snapshot}"

    @property
    def mark(self) -> str:
        """Returns what tells it from the other scores of its run, for names of files and of parts of a page."""
        return self.partition if self.is_own else f"{self.partition}-{self.snapshot.pk}"

    @property
    def interval(self) -> tuple[float | None, float | None]:
        """Returns the 95% interval of the accuracy after Wilson, over the pairs."""
        return wilson(self.whole.accuracy, self.whole.pairs)

    @property
    def has_predictions(self) -> bool:
        """Returns whether the program writes its predictions for these pairs: not for those that it learns from."""
        return self.partition != "train" or not self.is_own

    @property
    def predictions(self) -> str:
        """Returns the address of the page with the predictions."""
        return self.predictions_with()

    def predictions_with(self, **chosen: str) -> str:
        """Returns the address of the predictions that these filters choose."""
        on = {} if self.is_own else {"on": str(self.snapshot)}
        query = urlencode({**on, **chosen})
        return reverse("run-predictions", args=[self.whole.run_id, self.partition]) + (query and f"?{query}")

    @cached_property
    def confusion(self) -> Confusion | None:
        """Returns the breakdown by predicted label as a matrix; None if the run has none."""
        parts = next((one.parts for one in self.breakdowns if one.dimension == "predicted"), [])
        if not parts:
            return None
        counts = {part.value: part.gold for part in parts}
        known = {*counts, *(label for gold in counts.values() for label, pairs in gold.items() if pairs)}
        labels = in_order(known, self.snapshot.corpus.labels)
        table = [[counts.get(predicted, {}).get(gold, 0) for predicted in labels] for gold in labels]
        columns = list(zip(*table, strict=True))
        return Confusion(
            labels,
            [
                (gold, row, row[place] / sum(row) if sum(row) else None)
                for place, (gold, row) in enumerate(zip(labels, table, strict=True))
            ],
            [column[place] / sum(column) if sum(column) else None for place, column in enumerate(columns)],
        )


def evaluations(run: TrainingRun) -> list[Evaluated]:
    """Returns the scores of a run, its own snapshot first; those on test only where they may be seen."""
    rows = _seen(run, Evaluation.objects.filter(run=run)).select_related("run", "snapshot__corpus")
    found = {(row.snapshot_id, row.partition): Evaluated(row.snapshot, row.partition, row) for row in rows}
    for shown in breakdowns(run):
        if (shown.snapshot.pk, shown.partition) in found:
            found[shown.snapshot.pk, shown.partition].breakdowns.append(shown)
    return sorted(
        found.values(),
        key=lambda one: (
            one.snapshot.pk != run.snapshot_id,
            one.snapshot.pk,
            PARTITIONS.index(one.partition),
        ),
    )


def _seen(run: TrainingRun, rows: QuerySet[Any]) -> QuerySet[Any]:
    rows = rows.filter(snapshot__in=Snapshot.objects.of(user)) if (user := viewer()) is not None else rows
    return rows.exclude(partition="test") if hides_test(run) else rows


def breakdowns(run: TrainingRun) -> list[ShownBreakdown]:
    """Returns the breakdowns of a run, in the order of the dimensions; those on test only where they may be seen."""
    rows = _seen(run, Breakdown.objects.filter(run=run)).select_related("snapshot__corpus")
    return [shown_breakdown(row) for row in sorted(rows, key=lambda row: order_of(row.dimension))]


def shown_breakdown(row: Breakdown) -> ShownBreakdown:
    """Returns a breakdown with shares in place of counts, its values in their order."""
    labels = row.snapshot.corpus.labels
    parts = [
        Part(value, pairs, None if right is None else right / pairs, max(gold.values()) / pairs, gold)
        for value, pairs, right, gold in row.rows
    ]
    parts.sort(key=lambda part: reading_order(part.value, labels))
    return ShownBreakdown(row.snapshot, row.partition, row.dimension, definition_of(row.dimension), parts)


def in_order(values: Iterable[str], labels: Sequence[str]) -> list[str]:
    """Returns values of a dimension in reading order."""
    return sorted(values, key=lambda value: reading_order(value, labels))


def reading_order(value: str, labels: Sequence[str]) -> tuple[float, str]:
    """Returns the sort key of a value: labels as in their scheme, then numbers, then texts."""
    return (labels.index(value), "") if value in labels else natural_order(value)


def natural_order(value: str) -> tuple[float, str]:
    """Returns a key that sorts `<= 5` before `<= 10`, and texts by the alphabet."""
    number = re.fullmatch(r"(<= |> )?(\d+(?:\.\d+)?)", value)
    return (float(number[2]) + (number[1] == "> ") * 0.1, "") if number else (math.inf, value)
