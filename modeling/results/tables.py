"""Tables of scores: experiments over seeds, and the parts of an evaluation."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import F

from collection.models import PARTITIONS
from modeling.launching.regimes import regime_text
from modeling.models import Evaluation, TrainingRun
from snapshots.models import Snapshot


@dataclass(frozen=True)
class Spread:
    """A figure over runs. `spread` is the sample standard deviation, None of one run."""

    mean: float
    spread: float | None
    lowest: float
    highest: float


@dataclass(frozen=True)
class Score(Spread):
    """Accuracy over the runs of an experiment. `bar` is the share of the commonest label of what was evaluated.

    `distribution` has `kl`, `jsd` (nats) and `entropy_correlation` of the predicted probabilities and the annotators'
    shares; it is empty where no pair has two annotator labels.
    """

    bar: float | None
    distribution: dict[str, Spread] = field(default_factory=dict)


@dataclass
class Experiment:
    """Runs that differ by seed alone; of those of one seed the newest."""

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
        """Seed and run id."""
        return list(zip(self.seeds, self.run_ids, strict=True))


@dataclass(frozen=True)
class SnapshotTable:
    """The finished experiments of one snapshot."""

    snapshot: Snapshot
    experiments: list[Experiment]


def settings_text(config: dict[str, Any]) -> str:
    return ", ".join(f"{key}={_plain(value)}" for key, value in sorted(config.items()))


def _plain(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def results(snapshots: Sequence[Snapshot]) -> list[SnapshotTable]:
    """Returns the table of baselines of each snapshot, by two queries."""
    found: dict[int, dict[tuple[str, ...], Experiment]] = defaultdict(dict)
    done = TrainingRun.objects.filter(snapshot__in=snapshots, status=TrainingRun.Status.DONE)
    runs = done.newest_of_each_seed()
    for run in runs.order_by("baseline", "vectors", F("most").asc(nulls_last=True), "seed"):
        first = found[run.snapshot_id].setdefault(
            _key(run.baseline, run.vectors, run.config, run.regime, run.most),
            Experiment(run.baseline, run.vectors, run.config, regime_text(run.regime, run.most)),
        )
        first.seeds.append(run.seed)
        first.run_ids.append(run.pk)
    for row in Evaluation.objects.whole_partitions().of_runs(runs).by_experiment():
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
    """Returns what runs of one experiment share, with all digits."""
    return tuple(json.dumps(one, sort_keys=True) for one in what)


def score_of(row: Mapping[str, Any]) -> Score:
    return Score(**vars(spread_of(row)), bar=row["bar"])


def spread_of(row: Mapping[str, Any]) -> Spread:
    return Spread(row["mean"], row["spread"], row["lowest"], row["highest"])


def distribution_text(told: Mapping[str, Any]) -> str:
    """Returns a partition's `distribution` as a line of text."""
    correlation = told["entropy_correlation"]
    return (
        f"to the annotators' shares: KL {told['kl']:.4f}, JSD {told['jsd']:.4f} nats, entropy correlation "
        f"{'none' if correlation is None else f'{correlation:.4f}'}  ({told['pairs']:,} pairs with two labels or more)"
    )


@dataclass
class Evaluated:
    """The scores of a run on one partition of one snapshot: all pairs, then by genre, then by gold label."""

    snapshot: Snapshot
    partition: str
    whole: Evaluation | None = None
    genres: list[Evaluation] = field(default_factory=list)
    labels: list[Evaluation] = field(default_factory=list)


def evaluations(run: TrainingRun) -> list[Evaluated]:
    """Returns the scores of a run, its own snapshot first. One query."""
    rows = Evaluation.objects.filter(run=run).select_related("snapshot__corpus")
    found: dict[tuple[int, str], Evaluated] = {}
    for row in sorted(rows, key=lambda row: (row.genre, _place(row))):
        one = found.setdefault((row.snapshot_id, row.partition), Evaluated(row.snapshot, row.partition))
        if row.genre:
            one.genres.append(row)
        elif row.gold_label:
            one.labels.append(row)
        else:
            one.whole = row
    return sorted(
        found.values(),
        key=lambda one: (
            one.snapshot.pk != run.snapshot_id,
            one.snapshot.pk,
            PARTITIONS.index(one.partition),
        ),
    )


def _place(row: Evaluation) -> int:
    """Returns the position of the row's gold label in its scheme."""
    labels = row.snapshot.corpus.labels
    # A run that reads labels as two classes has labels that the corpus has not.
    return labels.index(row.gold_label) if row.gold_label in labels else 0
