"""Reads what the cells of the papers' tables show: stored scores, breakdowns and runs of some snapshots."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from django.db.models import Count

from collection.models import PARTITIONS
from modeling import catalogue
from modeling.folders import predictions_of
from modeling.models import Breakdown, Evaluation, TrainingRun
from modeling.reports.cells import Selection
from modeling.reports.corpus_facts import example, figures_by_genre, origins
from modeling.results.pair_values import PairValues, pair_values
from modeling.results.predicted import Predicted, read_predicted
from modeling.results.run_scores import in_order
from modeling.results.trials import not_chosen_on
from nli.labels import COLLAPSED
from schemas.published import Origin
from snapshots.models import Snapshot, SnapshotPair


def before(wanted: Selection) -> Selection:
    """Returns the selection of the runs from which those of a cell start: of its baseline, on all of a snapshot."""
    assert wanted.start is not None
    return Selection(baseline=wanted.baseline, trained=wanted.start[1], collapse=wanted.collapse)


class Scores:
    """The stored scores, breakdowns and runs of some snapshots, each read once."""

    def __init__(self, snapshots: Sequence[Snapshot], preset: str = "", key: str = "") -> None:
        """Prepares the scores of these snapshots.

        `preset`: use only runs with its settings. `key`: of the metadata, whose values are the rows of properties.
        """
        self.snapshots, self.preset, self.key = list(snapshots), preset, key
        self.names: Sequence[str] = [str(snapshot) for snapshot in snapshots]
        self._predicted: dict[tuple[int, int, str], Predicted | None] = {}
        self._ids: dict[tuple[int, str], list[str]] = {}
        self._pair_values: dict[tuple[int, str], PairValues] = {}
        self._presets: dict[tuple[int, str], tuple[str, ...]] = {}
        self._examples: dict[tuple[Any, ...], Mapping[str, str]] = {}

    @cached_property
    def runs(self) -> list[TrainingRun]:
        done = TrainingRun.objects.filter(snapshot__in=self.snapshots, status=TrainingRun.Status.DONE)
        return list(done.exclude(pk__in=not_chosen_on(self.snapshots)).newest_of_each_seed().order_by("-pk"))

    @cached_property
    def under_way(self) -> list[TrainingRun]:
        return list(TrainingRun.objects.filter(snapshot__in=self.snapshots).under_way())

    @cached_property
    def starts(self) -> dict[int, TrainingRun]:
        """Returns the runs from which others start, by number."""
        numbers = [
            run.regime["start"]["run"] for run in (*self.runs, *self.under_way) if "start" in run.regime
        ]
        found = TrainingRun.objects.filter(pk__in=numbers).select_related("snapshot__corpus")
        return {run.pk: run for run in found}

    @cached_property
    def searched(self) -> dict[int, dict[str, Any]]:
        """Returns the runs that a search over settings asked for, each with the settings that all its trials share."""
        children = TrainingRun.objects.filter(snapshot__in=self.snapshots, parent__isnull=False).order_by()
        searches = children.values("parent").annotate(settings=Count("config", distinct=True))
        found = children.filter(parent__in=searches.filter(settings__gt=1).values("parent"))
        return dict(found.values_list("pk", "parent__config"))

    @cached_property
    def sources(self) -> Sequence[int]:
        """Returns the places of the first snapshot, and of those from whose runs others have started."""
        starts = (self.starts.get(run.regime["start"]["run"]) for run in self.runs if "start" in run.regime)
        begun = {start.snapshot_id for start in starts if start}
        return [place for place, one in enumerate(self.snapshots) if not place or one.pk in begun]

    @cached_property
    def evaluations(self) -> dict[tuple[int, int, str], Evaluation]:
        rows = Evaluation.objects.filter(run__in=[run.pk for run in self.runs], snapshot__in=self.snapshots)
        return {(row.run_id, row.snapshot_id, row.partition): row for row in rows}

    @cached_property
    def breakdowns(self) -> dict[tuple[int | None, int, str, str], list[list[Any]]]:
        mine = Breakdown.objects.filter(snapshot__in=self.snapshots)
        rows = mine.filter(run__in=[run.pk for run in self.runs]) | mine.filter(run=None)
        wanted = rows.exclude(dimension__in=("author", "prompt_version", "arm"))  # no table shows these
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
            parts = [part for part in PARTITIONS if self.gold_pairs[snapshot.pk, part]]
            found.append([part for part in parts if not self.composition(on, part, "label")])
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
        return [[10**power for power in range(1, 10) if 10**power < pairs] for pairs in self.training_pairs]

    @cached_property
    def training_pairs(self) -> list[int]:
        """Returns the number of pairs of each snapshot that a run can learn from."""
        return [self.gold_pairs[snapshot.pk, "train"] for snapshot in self.snapshots]

    @cached_property
    def gold_pairs(self) -> Counter[tuple[int, str]]:
        """Returns (snapshot, partition) -> its pairs with a gold label. One query."""
        pairs = SnapshotPair.objects.filter(snapshot__in=self.snapshots, gold_label__isnull=False)
        rows = pairs.order_by().values_list("snapshot", "partition").annotate(Count("pk"))
        return Counter({(snapshot, part): number for snapshot, part, number in rows})

    def most(self, wanted: Selection) -> int | None:
        """Returns how many training pairs the runs of a cell have drawn once; None for all."""
        if wanted.sample is None:
            return wanted.most
        return max(1, round(wanted.sample * self.training_pairs[wanted.trained]))

    def with_curves(self, trained: int) -> list[str]:
        """Returns the baselines that have learnt from a part of a snapshot's training pairs."""
        own = {
            run.baseline for run in self.runs if run.snapshot_id == self.snapshots[trained].pk and run.most
        }
        return sorted(own)

    @cached_property
    def origins(self) -> list[Origin]:
        """Returns what each snapshot is, by which it stands for a data set of a paper."""
        return origins(self.snapshots)

    @cached_property
    def statistics(self) -> list[dict[str, dict[str, float | None]]]:
        """Returns the figures of each snapshot by genre: {genre: {column of the table `genres`: figure}}."""
        return figures_by_genre(self.snapshots)

    def example(self, wanted: Selection) -> Mapping[str, str]:
        """Returns the texts and the label of the first pair with a gold label of a cell's value; {} if there is none."""
        key = (wanted.on, wanted.partition, wanted.dimension, wanted.value, wanted.label)
        if key not in self._examples:
            self._examples[key] = example(self.snapshots[wanted.on], *key[1:])
        return self._examples[key]

    def labels(self, on: int) -> Sequence[str]:
        return list(self.snapshots[on].corpus.labels)

    def matching(self, wanted: Selection) -> list[TrainingRun]:
        """Returns the runs of a cell, one for each seed, that differ in nothing else.

        Of several settings, those that somebody asked for by themselves go before those that a search chose (but where the
        paper tunes a setting again), then those with more seeds, those of a preset, and the oldest: what is trained later
        changes no table by itself.
        """
        found: dict[str, list[TrainingRun]] = {}
        for run in self.runs:
            if self.matches(run, wanted):
                found.setdefault(self._identity(run), []).append(run)

        def rank(runs: Sequence[TrainingRun]) -> tuple[bool, bool, int, bool, int]:
            own = any(run.pk not in self.searched for run in runs)
            tuned = any(self.is_tuned(run, wanted) for run in runs)
            return (
                tuned,
                own,
                len(runs),
                bool(self._presets_of(runs[0], wanted)),
                -min(run.pk for run in runs),
            )

        return max(found.values(), key=rank, default=[])

    def is_tuned(self, run: TrainingRun, wanted: Selection) -> bool:
        """Returns whether a search over the setting that the paper tunes again for this row chose the run."""
        key = wanted.tuned
        return bool(key) and key in run.config and key not in self.searched.get(run.pk, run.config)

    def _identity(self, run: TrainingRun) -> str:
        """Returns everything that distinguishes a run from others but its seed, that of the run it starts from included."""
        regime = dict(run.regime)
        start = regime.pop("start", None)
        origin = self.starts.get(start["run"]) if start else None
        first = [start["how"], self._identity(origin)] if start and origin else start
        what = [run.baseline, run.snapshot_id, run.most, run.vectors, run.config, regime, first]
        return json.dumps(what, sort_keys=True)

    def premise_readers(self, trained: int) -> list[list[TrainingRun]]:
        """Returns the runs of each baseline that reads premises and learnt from a whole snapshot as it is."""
        readers = (name for name, one in catalogue.baselines().items() if one.reads_premises)
        found = (self.matching(Selection(baseline=name, trained=trained)) for name in readers)
        return [runs for runs in found if runs]

    def of_other_settings(self, run: TrainingRun, wanted: Selection) -> bool:
        """Returns whether a run has neither a preset's settings nor those of the cell's row in the paper."""
        return not self._presets_of(run, wanted)

    def _presets_of(self, run: TrainingRun, wanted: Selection) -> tuple[str, ...]:
        """Returns the presets whose settings a run has, with the changes of the cell's row."""
        known = catalogue.baselines().get(run.baseline)
        changed = {key: value for key, value in wanted.config.items() if known and key not in known.parts}
        if self.is_tuned(run, wanted):
            changed[wanted.tuned] = run.config[wanted.tuned]
        key = (run.pk, repr(changed))
        if key not in self._presets:
            self._presets[key] = catalogue.presets_of(run.baseline, run.config, changed)
        return self._presets[key]

    def matches(self, run: TrainingRun, wanted: Selection) -> bool:
        """Returns whether a run is one of the cell: all of its regime counts, and the settings of the cell's row."""
        place = (wanted.baseline, self.snapshots[wanted.trained].pk, self.most(wanted))
        if (run.baseline, run.snapshot_id, run.most) != place or not self._settings_match(run, wanted):
            return False
        regime = dict(run.regime)
        start = regime.pop("start", None)
        if "mixed" in regime:
            regime["mixed"] = [
                {key: value for key, value in entry.items() if key != "sha256"} for entry in regime["mixed"]
            ]
        if regime != self.regime(wanted) or bool(start) != bool(wanted.start):
            return False
        if not start or not wanted.start:
            return True
        first = self.starts.get(start["run"])
        return first is not None and start["how"] == wanted.start[0] and self.matches(first, before(wanted))

    def _settings_match(self, run: TrainingRun, wanted: Selection) -> bool:
        """Returns whether a run is of the preset, has the settings of the cell, and all other parts of its system."""
        if self.preset and self.preset not in self._presets_of(run, wanted):
            return False
        known = catalogue.baselines().get(run.baseline)
        defaults = {one.key: one.default for one in known.settings} if known else {}
        keys = {*wanted.config, *(known.parts if known else ())}
        named = {key: defaults.get(key) for key in keys}
        own = {key: value for key, value in run.config.items() if key in keys}
        return named | own == named | dict(wanted.config)

    def regime(self, wanted: Selection) -> dict[str, Any]:
        """Returns the regime of the runs of a cell as a request has it, without a start."""
        regime: dict[str, Any] = {}
        if wanted.mixed is not None:
            share = {} if wanted.share == 1 else {"share": wanted.share}
            regime["mixed"] = [{"snapshot": self.names[wanted.mixed], **share}]
        if wanted.genre:
            regime["genre"] = wanted.genre
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
