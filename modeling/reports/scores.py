"""Reads what the cells of the papers' tables show: stored scores, breakdowns and runs of some snapshots."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from collection.models import PARTITIONS
from modeling import catalogue
from modeling.folders import predictions_of
from modeling.models import Breakdown, Evaluation, TrainingRun
from modeling.reports.cells import Selection
from modeling.reports.corpus_facts import example, figures_by_genre
from modeling.results.pair_values import PairValues, pair_values
from modeling.results.predicted import Predicted, read_predicted
from modeling.results.run_scores import in_order
from modeling.results.trials import not_chosen_on
from nli.labels import COLLAPSED
from snapshots.models import Snapshot


class Scores:
    """The stored scores, breakdowns and runs of some snapshots, each read once."""

    def __init__(self, snapshots: Sequence[Snapshot], preset: str = "") -> None:
        """Prepares the scores of these snapshots. `preset`: use only runs with its settings."""
        self.snapshots, self.preset = list(snapshots), preset
        self.names: Sequence[str] = [str(snapshot) for snapshot in snapshots]
        self._predicted: dict[tuple[int, int, str], Predicted | None] = {}
        self._ids: dict[tuple[int, str], list[str]] = {}
        self._pair_values: dict[tuple[int, str], PairValues] = {}
        self._examples: dict[tuple[Any, ...], Mapping[str, str]] = {}

    @cached_property
    def runs(self) -> list[TrainingRun]:
        done = TrainingRun.objects.filter(snapshot__in=self.snapshots, status=TrainingRun.Status.DONE)
        return list(done.exclude(pk__in=not_chosen_on(self.snapshots)).newest_of_each_seed().order_by("-pk"))

    @cached_property
    def under_way(self) -> list[TrainingRun]:
        return list(TrainingRun.objects.filter(snapshot__in=self.snapshots).under_way())

    @cached_property
    def starts(self) -> dict[int, str]:
        """Returns the snapshot of each run from which another one starts."""
        numbers = [
            run.regime["start"]["run"] for run in (*self.runs, *self.under_way) if "start" in run.regime
        ]
        found = TrainingRun.objects.filter(pk__in=numbers).select_related("snapshot__corpus")
        return {run.pk: str(run.snapshot) for run in found}

    @cached_property
    def sources(self) -> Sequence[int]:
        """Returns the places of the first snapshot, and of those from whose runs others have started."""
        begun = {self.starts.get(run.regime["start"]["run"]) for run in self.runs if "start" in run.regime}
        return [place for place, name in enumerate(self.names) if not place or name in begun]

    @cached_property
    def evaluations(self) -> dict[tuple[int, int, str], Evaluation]:
        rows = Evaluation.objects.filter(run__in=[run.pk for run in self.runs], snapshot__in=self.snapshots)
        return {(row.run_id, row.snapshot_id, row.partition): row for row in rows}

    @cached_property
    def breakdowns(self) -> dict[tuple[int | None, int, str, str], list[list[Any]]]:
        mine = Breakdown.objects.filter(snapshot__in=self.snapshots)
        rows = mine.filter(run__in=[run.pk for run in self.runs]) | mine.filter(run=None)
        wanted = rows.exclude(dimension__in=("author", "prompt_version"))  # no table shows these
        return {(row.run_id, row.snapshot_id, row.partition, row.dimension): row.rows for row in wanted}

    def composition(self, on: int, partition: str, dimension: str) -> list[list[Any]]:
        """Returns the rows of a dimension of the pairs themselves.

        Where these are not counted, they are those of a run, unless it read the labels as two.
        """
        key = (self.snapshots[on].pk, partition, dimension)
        own = self.breakdowns.get((None, *key))
        if own is not None:
            return own
        labels = set(self.labels(on))
        of_runs = (rows for (_, *rest), rows in self.breakdowns.items() if tuple(rest) == key)
        return next((rows for rows in of_runs if all(labels.issuperset(gold) for *_, gold in rows)), [])

    @cached_property
    def uncounted(self) -> list[list[str]]:
        """Returns which parts of each snapshot have pairs with a gold label that are not counted yet."""
        found = []
        for on, snapshot in enumerate(self.snapshots):
            parts = [part for part in PARTITIONS if not self.composition(on, part, "label")]
            pairs = snapshot.pairs.filter(gold_label__isnull=False)
            found.append([part for part in parts if pairs.filter(partition=part).exists()])
        return found

    def values(self, on: int, partition: str, dimension: str) -> list[str]:
        found = (row[0] for row in self.composition(on, partition, dimension))
        return in_order(found, self.labels(on))

    def sizes(self, trained: int) -> list[int | None]:
        """Returns the training sizes of the runs, None for all pairs; where no run has learnt from a part, tens."""
        own = (run.most for run in self.runs if run.snapshot_id == self.snapshots[trained].pk)
        return [*(sorted({size for size in own if size}) or self.tens[trained]), None]

    @cached_property
    def tens(self) -> list[list[int]]:
        """Returns 10, 100 and so on for each snapshot, below the number of its training pairs."""
        train = (
            snapshot.pairs.filter(partition="train", gold_label__isnull=False) for snapshot in self.snapshots
        )
        counts = [pairs.count() for pairs in train]
        return [[10**power for power in range(1, 10) if 10**power < pairs] for pairs in counts]

    def with_curves(self, trained: int) -> list[str]:
        """Returns the baselines that have learnt from a part of a snapshot's training pairs."""
        own = {
            run.baseline for run in self.runs if run.snapshot_id == self.snapshots[trained].pk and run.most
        }
        return sorted(own)

    @cached_property
    def statistics(self) -> list[dict[str, dict[str, float | None]]]:
        """Returns the figures of each snapshot by genre: {genre: {column of the table `genres`: figure}}."""
        return figures_by_genre(self.snapshots)

    def example(self, wanted: Selection) -> Mapping[str, str]:
        """Returns the texts and the label of the first pair with a gold label of a cell's value; {} if there is none."""
        key = (wanted.on, wanted.partition, wanted.dimension, wanted.value)
        if key not in self._examples:
            self._examples[key] = example(self.snapshots[wanted.on], *key[1:])
        return self._examples[key]

    def labels(self, on: int) -> Sequence[str]:
        return list(self.snapshots[on].corpus.labels)

    def matching(self, wanted: Selection) -> list[TrainingRun]:
        """Returns the runs of a cell, one for each seed, all with the same settings: those with the most seeds."""
        found: dict[str, list[TrainingRun]] = {}
        for run in self.runs:
            if self.matches(run, wanted):
                found.setdefault(repr((run.vectors, run.config)), []).append(run)
        return max(found.values(), key=len, default=[])  # of equally many, the newest

    def premise_readers(self, trained: int) -> list[list[TrainingRun]]:
        """Returns the runs that read premises and learnt from a whole snapshot as it is, by baseline and settings."""
        known = catalogue.baselines()
        found: dict[str, list[TrainingRun]] = {}
        for run in self.runs:
            as_it_is = run.snapshot_id == self.snapshots[trained].pk and not run.regime and run.most is None
            reads = run.baseline in known and known[run.baseline].reads_premises
            if as_it_is and reads and self._is_of_preset(run):
                found.setdefault(repr((run.baseline, run.vectors, run.config)), []).append(run)
        return list(found.values())

    def _is_of_preset(self, run: TrainingRun) -> bool:
        return not self.preset or self.preset in catalogue.presets_of(run.baseline, run.config)

    def matches(self, run: TrainingRun, wanted: Selection) -> bool:
        if (run.baseline, run.snapshot_id, run.most) != (
            wanted.baseline, self.snapshots[wanted.trained].pk, wanted.most,
        ):  # fmt: skip
            return False
        return self._settings_match(run, wanted) and self._regime_of(run) == self.regime(wanted)

    def _settings_match(self, run: TrainingRun, wanted: Selection) -> bool:
        """Returns whether the run is of the preset, and the system of the cell: with the same parts left out."""
        if not self._is_of_preset(run):
            return False
        known = catalogue.baselines().get(run.baseline)
        parts = {one.key: one.default for one in known.settings if one.key in known.parts} if known else {}
        own = {key: value for key, value in run.config.items() if key in parts}
        return parts | own == parts | dict(wanted.config)

    def _regime_of(self, run: TrainingRun) -> dict[str, Any]:
        regime = dict(run.regime)
        if "mixed" in regime:
            regime["mixed"] = [entry["snapshot"] for entry in regime["mixed"]]
        if "start" in regime:
            regime["start"] = (regime["start"]["how"], self.starts.get(regime["start"]["run"], ""))
        return regime

    def regime(self, wanted: Selection) -> dict[str, Any]:
        """Returns the regime of the runs of a cell, with names in place of runs and hashes."""
        regime: dict[str, Any] = {}
        if wanted.mixed is not None:
            regime["mixed"] = [self.names[wanted.mixed]]
        if wanted.genre:
            regime["genre"] = wanted.genre
        if wanted.start:
            regime["start"] = (wanted.start[0], self.names[wanted.start[1]])
        if wanted.collapse and self.snapshots[wanted.trained].corpus.scheme != COLLAPSED:
            regime["collapse"] = True
        return regime

    def predicted(self, run: TrainingRun, on: int, partition: str) -> Predicted | None:
        """Returns the predictions of a run, None where they are not on this machine."""
        snapshot = self.snapshots[on]
        key = (run.pk, snapshot.pk, partition)
        if key not in self._predicted:
            path = predictions_of(run, snapshot, partition)
            self._predicted[key] = self._with_shared_ids(read_predicted(path), key[1:]) if path else None
        return self._predicted[key]

    def _with_shared_ids(self, found: Predicted, part: tuple[int, str]) -> Predicted:
        """Returns predictions with the list of ids of others on the same part, if it is equal: a list for each run takes
        most of the memory.
        """
        ids = self._ids.setdefault(part, found.ids)
        return replace(found, ids=ids) if found.ids == ids else found

    def pair_values(self, on: int, partition: str) -> PairValues:
        """Returns the values of the pairs of a partition."""
        if (on, partition) not in self._pair_values:
            self._pair_values[on, partition] = pair_values(self.snapshots[on], partition)
        return self._pair_values[on, partition]
