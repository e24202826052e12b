"""Fills the cells of the papers' tables from stored scores and breakdowns."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from collection.models import PARTITIONS
from modeling import catalogue
from modeling.folders import predictions_of
from modeling.launching.regimes import settings_text
from modeling.models import Breakdown, Evaluation, TrainingRun
from modeling.paired_tests import mean_and_spread, paired_p
from modeling.reports.corpus_facts import ALL, example, figures_by_genre
from modeling.reports.definitions import BETTER, HYPOTHESIS_ONLY, MAJORITY, TABLES, Axis, Entry, PaperTable
from modeling.reports.unscored import Unscored
from modeling.results.breakdowns import BETWEEN, aligned, crossed
from modeling.results.dimensions import APPROACH
from modeling.results.pair_values import PairValues, pair_values
from modeling.results.predicted import Predicted, read_predicted
from modeling.results.run_scores import in_order
from modeling.results.trials import not_chosen_on
from nli.labels import COLLAPSED
from shared.numbers import percent
from snapshots.models import Snapshot

COUNTS, TEXTS = (
    ("pairs", "label_pairs", "labels"),
    ("commonest", "protocol", "best", "approach", "example", "example_premise", "example_label"),
)
NO_SNAPSHOT = "a further snapshot is not named"


@dataclass(frozen=True)
class Selection:
    """What a cell shows. `trained`, `on`, `mixed` and the second part of `start` are positions in the list of snapshots."""

    baseline: str = ""
    config: Mapping[str, Any] = field(default_factory=dict)
    trained: int = 0
    on: int = 0
    partition: str = "test"
    dimension: str = ""
    value: tuple[str, ...] = ()
    measure: str = "accuracy"
    label: str = ""
    most: int | None = None
    collapse: bool = False
    genre: str | None = None
    mixed: int | None = None
    start: tuple[str, int] | None = None
    fixed: bool = False  # trained on the first snapshot, whatever the column says

    def snapshots(self) -> list[int]:
        return [
            self.trained,
            self.on,
            *([self.mixed] if self.mixed else []),
            *([self.start[1]] if self.start else []),
        ]


@dataclass
class Cell:
    """`mean` is a share, a count or a text; None where `missing` says what is missing. `runs` are the runs behind it.

    Beside a mean, `missing` names a run that is not in it yet.

    `p` is of the exact paired test against the system `against`.
    """

    kind: str
    mean: float | int | str | None = None
    spread: float | None = None
    p: float | None = None
    against: str = ""
    runs: list[int] = field(default_factory=list)
    missing: str = ""
    wanted: dict[str, Any] | None = None  # the request of the run that is missing
    unscored: list[Unscored] = field(default_factory=list)  # finished runs that are not in the mean yet


@dataclass
class Report:
    """A filled table: its columns, and rows of a title and cells."""

    name: str
    table: PaperTable
    columns: list[str]
    rows: list[tuple[str, list[Cell]]]
    settings: dict[str, str] = field(
        default_factory=dict
    )  # baseline -> the settings of the runs in the cells

    @property
    def missing(self) -> list[str]:
        """Returns what is missing, without repetitions, in the order of the cells."""
        return list(dict.fromkeys(cell.missing for _, cells in self.rows for cell in cells if cell.missing))

    def requests(self) -> list[dict[str, Any]]:
        """Returns the runs to request for missing cells, without repetitions."""
        found = [cell.wanted for _, cells in self.rows for cell in cells if cell.wanted]
        return [one for place, one in enumerate(found) if one not in found[:place]]

    def unscored(self) -> list[Unscored]:
        """Returns the finished runs that lack scores which cells show, without repetitions."""
        found = (one for _, cells in self.rows for cell in cells for one in cell.unscored)
        return list(dict.fromkeys(found))

    @property
    def bars(self) -> set[str]:
        """Returns the systems against which cells are tested."""
        return {cell.against for _, cells in self.rows for cell in cells if cell.p is not None}

    @property
    def filled(self) -> int:
        return sum(cell.mean is not None for _, cells in self.rows for cell in cells)

    @property
    def total(self) -> int:
        return sum(len(cells) for _, cells in self.rows)


class Scores:
    """The stored scores, breakdowns and runs of some snapshots, each read once."""

    def __init__(self, snapshots: Sequence[Snapshot], preset: str = "") -> None:
        """Prepares the scores of these snapshots. `preset`: use only runs with its settings."""
        self.snapshots, self.preset = list(snapshots), preset
        self.names: Sequence[str] = [str(snapshot) for snapshot in snapshots]
        self._predicted: dict[tuple[int, int, str], Predicted | None] = {}
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
            self._predicted[key] = read_predicted(path) if path else None
        return self._predicted[key]

    def pair_values(self, on: int, partition: str) -> PairValues:
        """Returns the values of the pairs of a partition."""
        if (on, partition) not in self._pair_values:
            self._pair_values[on, partition] = pair_values(self.snapshots[on], partition)
        return self._pair_values[on, partition]


def fill(
    name: str, snapshots: Sequence[Snapshot], *, scores: Scores | None = None, tests: bool = False
) -> Report:
    """Fills a table. `tests`: also the exact paired test of each accuracy against the paper's reference (bar)."""
    table, scores = TABLES[name], scores or Scores(snapshots)
    columns = _entries(table.columns, scores)
    rows = []
    for title, row in _entries(table.rows, scores):
        cells = [
            _cell(scores, table, Selection(**{**column, **row, **_both(row, column)}), tests)
            for _, column in columns
        ]
        rows.append((title, cells))
    return Report(name, table, [title for title, _ in columns], rows, _settings(scores, rows))


def _settings(scores: Scores, rows: Sequence[tuple[str, Sequence[Cell]]]) -> dict[str, str]:
    """Returns which preset or which settings of each baseline the cells show."""
    shown = {number for _, cells in rows for cell in cells if cell.mean is not None for number in cell.runs}
    found: dict[str, dict[str, None]] = {}
    for run in scores.runs:
        if run.pk in shown:
            preset = catalogue.preset_of(run.baseline, run.config)
            text = f"preset {preset}" if preset else settings_text(run.config)
            found.setdefault(run.baseline, {})[text] = None
    return {baseline: "; ".join(texts) for baseline, texts in sorted(found.items())}


def _both(row: Mapping[str, Any], column: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the selection of row and column together: a fixed model is always of the first snapshot."""
    if row.get("fixed"):
        return {"trained": 0}
    if "dimension" in row and column.get("partition") == "all":
        return {"partition": "all"}
    if "partition" in column and "partition" in row:
        return {"partition": column["partition"]}
    return {}


def _entries(axis: Axis, scores: Scores) -> list[Entry]:
    """Returns the entries of an axis, without those that require a snapshot that is not named."""
    entries = list(axis(scores)) if callable(axis) else list(axis)
    named = len(scores.snapshots)
    return [(title, given) for title, given in entries if max(Selection(**given).snapshots()) < named]


def _cell(scores: Scores, table: PaperTable, wanted: Selection, tests: bool) -> Cell:
    kind = "text" if wanted.measure in TEXTS else "count" if wanted.measure in COUNTS else "share"
    on_itself = (wanted.start and wanted.start[1] == wanted.trained) or (
        wanted.fixed and wanted.on == wanted.trained
    )
    if on_itself or max(wanted.snapshots()) >= len(scores.snapshots):
        return Cell(kind, missing=NO_SNAPSHOT)
    match wanted.measure:
        case "accuracy" | "gain" | "relative_gain":
            return _of_runs(scores, table, wanted, tests)
        case "best":
            return _best(scores, wanted)
        case "statistic":
            return _of_statistics(scores, wanted)
    value = _of_pairs(scores, wanted)
    if value is not None:
        return Cell(kind, value)
    name, uncounted = scores.names[wanted.on], scores.uncounted[wanted.on]
    if wanted.measure == "approach" and not uncounted:
        what = f"{name} {' '.join(wanted.value)}".strip()
        return Cell(kind, missing=f"{what} does not say how its pairs were recast")
    if wanted.partition != "all" and wanted.partition not in uncounted and not wanted.dimension:
        return Cell(kind, missing=f"{name} has no pair with a gold label in {wanted.partition}")
    is_whole = wanted.partition == "all" and uncounted
    what = "its pairs are not counted" + ("" if is_whole else ", or it has none")
    where = f"{name} {' and '.join(uncounted) if is_whole else wanted.partition}"
    return Cell(kind, missing=f"{where}: {what}. The command `report` counts them")


def _best(scores: Scores, wanted: Selection) -> Cell:
    """Names the system with the highest mean accuracy over seeds among those that read premises and all pairs."""
    found = []
    for runs in scores.premise_readers(wanted.trained):
        scored = [(score, run.pk) for run in runs if (score := _accuracy(scores, run, wanted)) is not None]
        if scored:
            found.append((mean_and_spread([score for score, _ in scored])[0], runs[0].baseline, scored))
    if not found:
        return Cell("text", missing=f"a model that reads premises on {scores.names[wanted.trained]}")
    mean, baseline, scored = max(found, key=lambda one: one[0])
    return Cell("text", f"{baseline} {percent(mean)}", runs=[number for _, number in scored])


def _of_statistics(scores: Scores, wanted: Selection) -> Cell:
    """Returns a figure of the table `genres`: of a genre, or of all."""
    kind, name = "number" if wanted.label.startswith("words") else "share", scores.names[wanted.on]
    by_genre = scores.statistics[wanted.on]
    if not by_genre:
        return Cell(
            kind,
            missing=f"{name}: its statistics are not counted. The command `report {name} genres` counts them",
        )
    row = by_genre.get(wanted.value[0] if wanted.value else ALL) or {}
    if row.get(wanted.label) is None:
        return Cell(kind, missing=f"{name}: {wanted.label}, which its files do not give")
    return Cell(kind, row[wanted.label])


def _of_pairs(scores: Scores, wanted: Selection) -> float | int | str | None:
    if wanted.measure == "labels":
        return len(scores.labels(wanted.on))
    if wanted.measure == "protocol":
        return scores.snapshots[wanted.on].corpus.protocol
    if wanted.measure.startswith("example"):
        return scores.example(wanted).get(wanted.measure)
    if wanted.measure == "approach":
        return _approaches(scores, wanted)
    if wanted.measure == "more_than_second":
        first, second = (_of_pairs(scores, replace(wanted, measure="share", on=on)) for on in (0, 1))
        return first - second if isinstance(first, float) and isinstance(second, float) else None
    if wanted.partition == "all" and scores.uncounted[wanted.on]:
        return None
    partitions = PARTITIONS if wanted.partition == "all" else (wanted.partition,)
    whole: Counter[str] = Counter()
    part: Counter[str] = Counter()
    for partition in partitions:
        for _, _, _, gold in scores.composition(wanted.on, partition, "label"):
            whole.update(gold)
        for value, _, _, gold in scores.composition(wanted.on, partition, wanted.dimension or "label"):
            part.update(gold if not wanted.dimension or value in wanted.value else {})
    total, pairs = sum(whole.values()), sum(part.values())
    if not total and wanted.measure == "pairs" and not {*partitions} & {*scores.uncounted[wanted.on]}:
        return 0
    if not total and not (pairs and wanted.measure in COUNTS):  # marks may be counted before all other values
        return None
    match wanted.measure:
        case "pairs":
            return pairs
        case "share":
            counted = not wanted.dimension or scores.composition(
                wanted.on, wanted.partition, wanted.dimension
            )
            return pairs / total if counted else None
        case "label_pairs":
            return part[wanted.label]
        case "commonest":
            label, count = max(part.items(), key=lambda item: item[1], default=("", 0))
            return f"{label} {100 * count / pairs:.1f}%" if pairs else None
        case _:
            return max(part.values()) / pairs if pairs else None


def _approaches(scores: Scores, wanted: Selection) -> str | None:
    """Names how the pairs were recast, None where their files do not say it."""
    dimension = crossed(wanted.dimension) if wanted.dimension else APPROACH
    values = {
        row[0] for partition in PARTITIONS for row in scores.composition(wanted.on, partition, dimension)
    }
    parts = (value.rpartition(BETWEEN) for value in values)
    return ", ".join(sorted({how for name, _, how in parts if not name or name in wanted.value})) or None


def _of_runs(scores: Scores, table: PaperTable, wanted: Selection, tests: bool) -> Cell:
    runs = scores.matching(wanted)
    cell = Cell("share", runs=[run.pk for run in runs])
    if not runs:
        cell.missing, cell.wanted = _missing_run(scores, wanted)
        return cell
    found = {run: score for run in runs if (score := _accuracy(scores, run, wanted)) is not None}
    cell.unscored = [
        Unscored(run, scores.snapshots[wanted.on], wanted.partition, wanted.dimension)
        for run in runs
        if run not in found
    ]
    cell.missing = "; ".join(map(str, cell.unscored))
    if not found:
        return cell
    cell.runs = [run.pk for run in found]
    values, of_a_label = list(found.values()), wanted.dimension == "label"
    if wanted.measure != "accuracy":
        # Within one label, the majority is always right: its bar is how common the label is.
        bar = _of_pairs(scores, replace(wanted, measure="share" if of_a_label else "majority"))
        if not isinstance(bar, float) or not bar:
            cell.missing = f"{scores.names[wanted.on]} {wanted.partition}: its pairs are not counted"
            return cell
        values = [(value - bar) / (bar if wanted.measure == "relative_gain" else 1) for value in values]
    cell.mean, cell.spread = mean_and_spread(values)
    is_tested = wanted.measure == "accuracy" and wanted.partition != "train" and not of_a_label
    if tests and table.bar and is_tested:
        cell.p, cell.against = _test(scores, table.bar, wanted, list(found))
    return cell


def _accuracy(scores: Scores, run: TrainingRun, wanted: Selection) -> float | None:
    snapshot = scores.snapshots[wanted.on].pk
    if not wanted.dimension:
        row = scores.evaluations.get((run.pk, snapshot, wanted.partition))
        return None if row is None else row.accuracy
    rows = scores.breakdowns.get((run.pk, snapshot, wanted.partition, wanted.dimension), [])
    chosen = [(pairs, right) for value, pairs, right, _ in rows if value in wanted.value]
    total = sum(pairs for pairs, _ in chosen)
    return sum(right for _, right in chosen) / total if total else None


def _missing_run(scores: Scores, wanted: Selection) -> tuple[str, dict[str, Any] | None]:
    """Returns the name of the missing run, and its request, if no other run must come first."""
    name = f"{wanted.baseline} on {scores.names[wanted.trained]}"
    regime = scores.regime(wanted)
    details = [
        f"{key} {' '.join(value) if isinstance(value, tuple | list) else value}"
        for key, value in regime.items()
    ]
    details += [f"preset {scores.preset}"] if scores.preset else []
    details += [f"{wanted.most:,} training pairs"] if wanted.most else []
    details += [f"{key}={value}" for key, value in wanted.config.items()]
    if details:
        name += f" ({', '.join(details)})"
    waiting = [run for run in scores.under_way if scores.matches(run, wanted)]
    if waiting:
        return f"{name}: run {waiting[0].pk} is {waiting[0].status}", None
    if "mixed" in regime:
        regime["mixed"] = [{"snapshot": each} for each in regime["mixed"]]
    if wanted.start:
        before = Selection(baseline=wanted.baseline, trained=wanted.start[1])
        first = scores.matching(before)
        if not first:
            missing, request = _missing_run(scores, before)
            return f"{name}: first {missing}", request
        regime["start"] = {"run": first[0].pk, "how": wanted.start[0]}
    if wanted.most:
        regime["most"] = wanted.most
    request = {
        "snapshot": scores.snapshots[wanted.trained],
        "baseline": wanted.baseline,
        "preset": scores.preset or catalogue.DEFAULT,
        "config": {key: str(value).lower() for key, value in wanted.config.items()},
        "regime": regime,
    }
    return name, request


def _test(
    scores: Scores, bar: str, wanted: Selection, runs: Sequence[TrainingRun]
) -> tuple[float | None, str]:
    """Returns the p-value of the exact paired test against the bar, and the bar; (None, "") without predictions here.

    Of two bars, it is tested against the one with the higher accuracy.
    """
    ours = {run.seed: scores.predicted(run, wanted.on, wanted.partition) for run in runs}
    first = next(iter(ours.values()))
    pairs = None if first is None else _pairs_of(scores, wanted, first)
    if first is None or pairs is None:
        return None, ""
    found = []
    if bar in (MAJORITY, BETTER) and wanted.baseline != MAJORITY:
        right = first.gold == np.bincount(first.gold[pairs]).argmax()
        found.append((_against(ours, dict.fromkeys(ours, right), pairs), MAJORITY))
    if bar in (HYPOTHESIS_ONLY, BETTER) and wanted.baseline != HYPOTHESIS_ONLY:
        plain = Selection(
            baseline=HYPOTHESIS_ONLY, trained=wanted.trained, on=wanted.on, partition=wanted.partition
        )
        theirs = {
            run.seed: scores.predicted(run, wanted.on, wanted.partition)
            for run in scores.matching(plain)
            if run.seed in ours
        }
        bars = {seed: None if one is None else one.right for seed, one in theirs.items()}
        found.append((_against(ours, bars, pairs), HYPOTHESIS_ONLY))
    compared = [(accuracy, p, name) for (accuracy, p), name in found if p is not None]
    _, p, against = max(compared, default=(0.0, None, ""), key=lambda one: one[0])
    return p, against.replace("_", "-")


def _pairs_of(scores: Scores, wanted: Selection, predicted: Predicted) -> npt.NDArray[np.bool_] | None:
    """Returns which predicted pairs the cell is about; None if their values are not on this machine."""
    if not wanted.dimension:
        return np.ones(len(predicted.gold), dtype=np.bool_)
    try:
        values = aligned(scores.pair_values(wanted.on, wanted.partition), predicted).dimensions
    except ValueError:
        return None
    if wanted.dimension not in values:
        return None
    names, codes = values[wanted.dimension].names, values[wanted.dimension].codes
    wanted_codes = [code for code, name in enumerate(names) if name in wanted.value]
    return np.asarray(np.isin(codes, wanted_codes).any(axis=1))


def _against(
    ours: Mapping[int, Predicted | None],
    bar: Mapping[int, npt.NDArray[np.bool_] | None],
    pairs: npt.NDArray[np.bool_],
) -> tuple[float, float | None]:
    """Returns the accuracy of a bar on these pairs and the p-value over its seeds, None if predictions are missing.

    `bar`: which pairs it predicts correctly, by seed; each seed is in `ours`.
    """
    both = [(one.right, right) for seed, right in bar.items() if (one := ours[seed]) and right is not None]
    if not both or len(both) < len(bar):
        return 0.0, None
    mine, theirs = (np.array(each)[:, pairs] for each in zip(*both, strict=True))
    return float(theirs.mean()), paired_p(mine.sum(axis=0), theirs.sum(axis=0))
