"""Fills the cells of the papers' tables from stored scores and breakdowns, and tests them against the paper's bar."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from modeling import catalogue
from modeling.launching.regimes import regime_text, settings_text
from modeling.models import TrainingRun
from modeling.paired_tests import mean_and_spread, paired_p
from modeling.reports.beside import Beside
from modeling.reports.cells import Cell, Report, Selection
from modeling.reports.corpus_facts import ALL
from modeling.reports.definitions import BETTER, HYPOTHESIS_ONLY, MAJORITY, TABLES, Axis, Entry, PaperTable
from modeling.reports.pair_figures import COUNTS, of_pairs
from modeling.reports.scores import Scores, before
from modeling.reports.unscored import Unscored
from modeling.results.breakdowns import aligned
from modeling.results.predicted import Predicted
from nli.labels import readable_together
from shared.numbers import percent
from snapshots.models import Snapshot

TEXTS = ("commonest", "protocol", "best", "approach", "example", "example_premise", "example_label")
NO_SNAPSHOT = "a further snapshot is not named"


def against_bar(
    scores: Scores, bar: str, wanted: Selection, runs: Sequence[TrainingRun]
) -> tuple[float | None, str, float | None]:
    """Returns the p-value of the exact paired test against the bar, the bar, and its accuracy on these pairs.

    (None, "", None) without predictions here.

    Of two bars, it is tested against the one with the higher accuracy.
    """
    ours = {run.seed: scores.predicted(run, wanted.on, wanted.partition) for run in runs}
    first = next(iter(ours.values()))
    pairs = None if first is None else _pairs_of(scores, wanted, first)
    if first is None or pairs is None:
        return None, "", None
    found = []
    if bar in (MAJORITY, BETTER):
        right = first.gold == np.bincount(first.gold[pairs]).argmax()
        found.append((_against(ours, dict.fromkeys(ours, right), pairs), MAJORITY))
    if bar in (HYPOTHESIS_ONLY, BETTER) and wanted.baseline != HYPOTHESIS_ONLY:
        plain = Selection(
            baseline=HYPOTHESIS_ONLY,
            trained=wanted.trained,
            on=wanted.on,
            partition=wanted.partition,
            collapse=wanted.collapse,
        )
        theirs = {
            run.seed: scores.predicted(run, wanted.on, wanted.partition)
            for run in scores.matching(plain)
            if run.seed in ours
        }
        bars = {seed: None if one is None else one.right for seed, one in theirs.items()}
        found.append((_against(ours, bars, pairs), HYPOTHESIS_ONLY))
    compared = [(accuracy, p, name) for (accuracy, p), name in found if p is not None]
    accuracy, p, against = max(compared, default=(None, None, ""), key=lambda one: one[0] or 0.0)
    return p, against.replace("_", "-"), accuracy


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


def fill(
    name: str, snapshots: Sequence[Snapshot], *, scores: Scores | None = None, tests: bool = False
) -> Report:
    """Fills a table. `tests`: also the exact paired test of each accuracy against the paper's reference (bar)."""
    table, scores = TABLES[name], scores or Scores(snapshots)
    columns, beside = entries(table.columns, scores), Beside(name, scores)
    rows, shown = [], set[int]()
    for title, row in entries(table.rows, scores):
        cells = []
        for column, given in columns:
            wanted = Selection(**{**given, **row, **_both(row, given)})
            shown.update(range(len(snapshots)) if wanted.everywhere else wanted.snapshots())
            cells.append(_cell(scores, table, wanted, tests))
            beside.put(cells[-1], wanted, title, column)
        rows.append((title, cells))
    notes = [note for one in table.notes if (note := one(scores) if callable(one) else one)]
    left_out = [one for place, one in enumerate(scores.names) if rows and place not in shown]
    if left_out:
        notes.append(f"Not in this table: {', '.join(left_out)}.")
    return Report(
        name,
        table,
        [title for title, _ in columns],
        rows,
        [*notes, *beside.notes()],
        _settings(scores, rows),
    )


def _settings(scores: Scores, rows: Sequence[tuple[str, Sequence[Cell]]]) -> dict[str, str]:
    """Returns which preset or which settings of each baseline the cells show, those of other settings left out."""
    cells = [cell for _, row in rows for cell in row if cell.mean is not None and not cell.other]
    shown = {number for cell in cells for number in cell.runs}
    found: dict[str, dict[str, None]] = {}
    for run in scores.runs:
        if run.pk in shown:
            preset = catalogue.preset_of(run.baseline, run.config)
            text = f"preset {preset}" if preset else settings_text(run.config)
            found.setdefault(run.baseline, {})[text] = None
    return {baseline: "; ".join(texts) for baseline, texts in sorted(found.items())}


def _both(row: Mapping[str, Any], column: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the selection of row and column together: a fixed model is of one snapshot in all columns."""
    if "fixed" in row:
        return {"trained": row["fixed"]}
    if "dimension" in row and column.get("partition") == "all":
        return {"partition": "all"}
    if "partition" in column and "partition" in row:
        return {"partition": column["partition"]}
    return {}


def entries(axis: Axis, scores: Scores) -> list[Entry]:
    """Returns the entries of an axis, without those that require a snapshot that is not named."""
    entries = list(axis(scores)) if callable(axis) else list(axis)
    named = len(scores.snapshots)
    return [(title, given) for title, given in entries if max(Selection(**given).snapshots()) < named]


def _cell(scores: Scores, table: PaperTable, wanted: Selection, tests: bool) -> Cell:
    kind = "text" if wanted.measure in TEXTS else "count" if wanted.measure in COUNTS else "share"
    on_itself = (wanted.start and wanted.start[1] == wanted.trained) or (
        wanted.fixed is not None and wanted.on == wanted.trained
    )
    if on_itself or max(wanted.snapshots()) >= len(scores.snapshots):
        return Cell(kind, missing=NO_SNAPSHOT)
    if wanted.collapse and not readable_together([scores.snapshots[wanted.trained].corpus.scheme]):
        return Cell(kind, missing=f"the labels of {scores.names[wanted.trained]} are not read as two classes")
    match wanted.measure:
        case "accuracy" | "gain" | "relative_gain":
            return _of_runs(scores, table, wanted, tests)
        case "points":
            return _points(scores, table, wanted)
        case "best":
            return _best(scores, wanted)
        case "statistic":
            return _of_statistics(scores, wanted)
    value = of_pairs(scores, wanted)
    if value is not None:
        return Cell(kind, value)
    if wanted.everywhere:
        lacking = (on for on, parts in enumerate(scores.uncounted) if parts)
        wanted = replace(wanted, on=next(lacking, wanted.on))
    name, uncounted = scores.names[wanted.on], scores.uncounted[wanted.on]
    if wanted.measure.startswith("example") and wanted.label:
        return Cell(kind, missing=f"{' '.join(wanted.value)} has no pair that is {wanted.label}".strip())
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


def _of_runs(scores: Scores, table: PaperTable, wanted: Selection, tests: bool) -> Cell:
    runs = scores.matching(wanted)
    cell = Cell("share", runs=[run.pk for run in runs])
    if not runs:
        cell.missing, cell.wanted = _missing_run(scores, wanted)
        cell.waits = cell.wanted is None
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
    if scores.of_other_settings(runs[0], wanted):
        cell.other = f"{wanted.baseline} {settings_text(runs[0].config)}"
    values, of_a_label = list(found.values()), wanted.dimension == "label"
    if wanted.measure != "accuracy":
        # Within one label, the majority is always right: its bar is how common the label is.
        bar = of_pairs(scores, replace(wanted, measure="share" if of_a_label else "majority"))
        if not isinstance(bar, float) or not bar:
            cell.missing = f"{scores.names[wanted.on]} {wanted.partition}: its pairs are not counted"
            return cell
        values = [(value - bar) / (bar if wanted.measure == "relative_gain" else 1) for value in values]
    cell.mean, cell.spread = mean_and_spread(values)
    is_tested = wanted.measure == "accuracy" and wanted.partition != "train" and not of_a_label
    if tests and table.bar and is_tested:
        cell.p, cell.against, cell.bar = against_bar(scores, table.bar, wanted, list(found))
    return cell


def _points(scores: Scores, table: PaperTable, wanted: Selection) -> Cell:
    """Returns by how much the accuracy is above that without pre-training (DNC, footnote 16), means over seeds."""
    after, before_it = (
        _of_runs(scores, table, replace(wanted, measure="accuracy", start=start), tests=False)
        for start in (wanted.start, None)
    )
    if isinstance(after.mean, float) and isinstance(before_it.mean, float):
        return Cell("share", after.mean - before_it.mean, runs=[*after.runs, *before_it.runs], is_gain=True)
    return Cell("share", missing=after.missing or before_it.missing)


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
    name, starts = f"{wanted.baseline} on {scores.names[wanted.trained]}", {}
    regime, most = scores.regime(wanted), scores.most(wanted)
    details = [regime_text(regime, most)]
    details += [f"{wanted.start[0]} of a run on {scores.names[wanted.start[1]]}"] if wanted.start else []
    details += [f"preset {scores.preset}"] if scores.preset else []
    details += [f"{key}={catalogue.as_typed(value)}" for key, value in wanted.config.items()]
    if any(details):
        name += f" ({', '.join(filter(None, details))})"
    waiting = [run for run in scores.under_way if scores.matches(run, wanted)]
    if waiting:
        return f"{name}: run {waiting[0].pk} is {waiting[0].status}", None
    if wanted.start:
        first = scores.matching(before(wanted))
        if not first:
            missing, request = _missing_run(scores, before(wanted))
            return f"{name}: first {missing}", request
        regime["start"] = {"run": first[0].pk, "how": wanted.start[0]}
        starts = {run.seed: run.pk for run in first}
    if most:
        regime["most"] = most
    request = {
        "snapshot": scores.snapshots[wanted.trained],
        "baseline": wanted.baseline,
        "preset": scores.preset or catalogue.DEFAULT,
        "config": {key: catalogue.as_typed(value) for key, value in wanted.config.items()},
        "regime": regime,
        "starts": starts,
    }
    return name, request
