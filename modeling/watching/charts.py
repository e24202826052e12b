"""Draws charts of runs: the baselines of a snapshot side by side, where each fails, and the curves of runs."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import F
from django.urls import reverse

from modeling.models import Breakdown, RunProgress, TrainingRun
from modeling.results.run_scores import Experiment, SnapshotTable, results
from shared.charts import Chart, Column, interval, with_values
from shared.findings import Part, beside, compared, in_place, peak, span
from shared.intervals import wilson
from shared.numbers import percent
from snapshots.models import Snapshot
from validation.questions.lookup import Names, named, names_of

MOST_RUNS = 6  # lines that dashes and colours still tell apart
MOST_PARTS = 20  # genres in a picture
POINTS_A_RUN = 60  # of a line of the loss
LABEL, GENRE = "label", "genre"
HYPOTHESIS_ONLY = "hypothesis_only"
# (run, partition) -> dimension -> value -> (pairs, right)
Parts = Mapping[tuple[int, str], Mapping[str, Mapping[str, tuple[int, int]]]]


def comparison_charts(tables: Sequence[SnapshotTable]) -> dict[int, list[Chart]]:
    """Returns snapshot -> its charts: the accuracy of its baselines, and the same by genre and label. Three queries."""
    parts, names = _parts(tables), names_of(table.snapshot.corpus for table in tables)
    return {
        table.snapshot.pk: with_values(
            [_baselines(table, parts), _heat(table, parts, names[table.snapshot.corpus_id])]
        )
        for table in tables
    }


def accuracy_chart(snapshot: Snapshot) -> Chart | None:
    """Returns the chart of the accuracy of the snapshot's baselines; None if no run is done."""
    tables = results([snapshot])
    parts = _parts(tables)
    return next(iter(with_values(_baselines(table, parts) for table in tables)), None)


def _parts(tables: Sequence[SnapshotTable]) -> Parts:
    newest = [experiment.run_ids[-1] for table in tables for experiment in table.experiments]
    rows = Breakdown.objects.filter(
        run__in=newest, dimension__in=(LABEL, GENRE), snapshot=F("run__snapshot")
    ).values_list("run", "partition", "dimension", "rows")
    found: defaultdict[tuple[int, str], dict[str, dict[str, tuple[int, int]]]] = defaultdict(dict)
    for run, partition, dimension, counts in rows:
        found[run, partition][dimension] = {
            value: (pairs, right) for value, pairs, right, _ in counts if right is not None
        }
    return found


def _partition(table: SnapshotTable) -> str:
    """Returns test if any baseline was evaluated on it, else dev."""
    return "test" if any("test" in each.scores for each in table.experiments) else "dev"


def _named(experiments: Sequence[Experiment]) -> list[tuple[str, Experiment]]:
    """Returns experiments with distinct names, for the rows of a chart."""
    found: dict[str, Experiment] = {}
    for each in experiments:
        name = f"{each.baseline} ({each.settings})" if each.settings else each.baseline
        number = sum(other == name or other.startswith(f"{name} #") for other in found)
        found[f"{name} #{number + 1}" if number else name] = each
    return list(found.items())


def _baselines(table: SnapshotTable, parts: Parts) -> Chart | None:
    partition = _partition(table)
    rows: list[dict[str, Any]] = []
    for name, each in _named([each for each in table.experiments if partition in each.scores]):
        score = each.scores[partition]
        pairs = sum(
            pairs for pairs, _ in parts.get((each.run_ids[-1], partition), {}).get(LABEL, {}).values()
        )
        low, high = wilson(score.mean, pairs)
        several = len(each.seeds) > 1
        rows.append(
            {
                "baseline": name,
                "accuracy": score.mean,
                "low": low,
                "high": high,
                "pairs": pairs or None,
                "seeds": len(each.seeds),
                "lowest": score.lowest if several else None,
                "highest": score.highest if several else None,
                "href": reverse("run", args=[each.run_ids[-1]]),
            }
        )
    if not rows:
        return None
    rows.sort(key=lambda row: -row["accuracy"])
    bars = [each.scores[partition].bar for each in table.experiments if partition in each.scores]
    majority = max((bar for bar in bars if bar is not None), default=None)
    alone: list[float] = [row["accuracy"] for row in rows if row["baseline"].startswith(HYPOTHESIS_ONLY)]
    lines: list[dict[str, Any]] = []
    if majority is not None:
        lines.append({"axis": "x", "value": majority, "name": f"majority class ({percent(majority)})"})
    if alone:
        lines.append({"axis": "x", "value": max(alone), "name": f"hypothesis only ({percent(max(alone))})"})
    best = rows[0]
    title = f"{best['baseline']} is right in {percent(best['accuracy'])} of the {partition} pairs"
    if lines:
        bar = max(line["value"] for line in lines)
        title += f", {beside(best['accuracy'], best['pairs'] or 0, bar, f'the bar of {percent(bar)}')}"
    has_seeds = any(row["lowest"] is not None for row in rows)
    return Chart(
        f"baselines-{table.snapshot.pk}",
        "dots",
        f"{title}.",
        [
            Column("baseline", "baseline"),
            Column("accuracy", f"accuracy on {partition}", "share", "The mean over seeds."),
            *interval("The 95% interval after Wilson, over the pairs. Seeds are not in it."),
            Column("pairs", "pairs", "count"),
            Column("seeds", "seeds", "count"),
            *(
                [Column("lowest", "lowest seed", "share"), Column("highest", "highest seed", "share")]
                if has_seeds
                else []
            ),
        ],
        rows,
        {
            "y": "baseline",
            "x": "accuracy",
            "low": "low",
            "high": "high",
            "others": ["lowest", "highest"] if has_seeds else [],
        },
        lines=lines,
        note="A baseline that is not better than both lines has learnt nothing from reading the two sentences together.",
    )


def _heat(table: SnapshotTable, parts: Parts, names: Names) -> Chart | None:
    partition = _partition(table)
    known = [
        (name, each, parts[each.run_ids[-1], partition])
        for name, each in _named(table.experiments)
        if (each.run_ids[-1], partition) in parts and partition in each.scores
    ]
    known.sort(key=lambda row: -row[1].scores[partition].mean)  # as in the chart above it
    sizes: defaultdict[tuple[str, str], int] = defaultdict(int)
    for _, _, of_run in known:
        for dimension, values in of_run.items():
            for value, (pairs, _) in values.items():
                sizes[dimension, value] = max(sizes[dimension, value], pairs)
    genres = sorted(
        (value for dimension, value in sizes if dimension == GENRE), key=lambda value: -sizes[GENRE, value]
    )
    labels = [label for label in table.snapshot.corpus.labels if (LABEL, label) in sizes]
    columns = [*((LABEL, label) for label in labels), *((GENRE, genre) for genre in genres[:MOST_PARTS])]
    if not columns:
        return None
    rows = []
    for name, each, of_run in known:
        row: dict[str, Any] = {"baseline": name, "href": reverse("run", args=[each.run_ids[-1]])}
        for dimension, value in columns:
            pairs, right = of_run.get(dimension, {}).get(value, (0, 0))
            row[f"{dimension}: {value}"] = right / pairs if pairs else None
        rows.append(row)
    best, _, of_best = known[0]
    every = [*((LABEL, label) for label in labels), *((GENRE, genre) for genre in genres)]
    counted = [(named(names, *part), *of_best.get(part[0], {}).get(part[1], (0, 0))) for part in every]
    parts_of_best = [Part.share(name, right / pairs, pairs) for name, pairs, right in counted if pairs]
    found = compared(f"the accuracy of {best}", parts_of_best, "label or genre")
    return Chart(
        f"parts-{table.snapshot.pk}",
        "heat",
        in_place(found or "accuracy by label and genre"),
        [
            Column("baseline", "baseline"),
            *(
                Column(f"{dimension}: {value}", named(names, dimension, value), "share")
                for dimension, value in columns
            ),
        ],
        rows,
        {"y": "baseline", "series": [f"{dimension}: {value}" for dimension, value in columns], "of": "one"},
        note=f"Accuracy on {partition} by gold label, then by genre, of the last seed of each baseline, the best first;"
        " the stronger the colour, the higher.",
    )


def seed_charts(sweep: TrainingRun) -> list[Chart]:
    """Returns the accuracy on dev by epoch of the first six runs of a sweep, in one chart. Two queries."""
    children = list(sweep.children.order_by("pk")[:MOST_RUNS])
    names = {
        child.pk: f"seed {child.seed}" + (f", {child.most:,} pairs" if child.most else "")
        for child in children
    }
    if len(set(names.values())) < len(names):  # they differ in settings
        names = {child.pk: f"run {child.pk}" for child in children}
    note = "" if len(children) < MOST_RUNS else f"The first {MOST_RUNS} runs."
    return with_values([_dev_by_epoch("seeds", names, note)])


def chosen_charts(runs: Sequence[TrainingRun]) -> list[Chart]:
    """Returns accuracy on dev by epoch, and training loss by step, of chosen runs, each in one chart."""
    names = {run.pk: f"run {run.pk}: {run.baseline}" for run in runs}
    return with_values([_dev_by_epoch("dev-accuracy", names), _loss_by_step(runs, names)])


def _dev_by_epoch(key: str, names: Mapping[int, str], note: str = "") -> Chart | None:
    lines = RunProgress.objects.kept().filter(run__in=names, dev_accuracy__isnull=False, epoch__isnull=False)
    by_epoch: defaultdict[Any, dict[int, Any]] = defaultdict(dict)
    for run, epoch, accuracy in lines.order_by("pk").values_list("run", "epoch", "dev_accuracy"):
        by_epoch[epoch][run] = accuracy
    best = {
        run: max(row[run] for row in by_epoch.values() if run in row)
        for run in names
        if any(run in row for row in by_epoch.values())
    }
    if not best:
        return None
    each = "each" if len(best) > 1 else names[next(iter(best))]
    title = (
        f"The best epoch of {each} reaches {span({names[run]: best[run] for run in best}, percent)} on dev"
    )
    return _over_each_other(
        key,
        f"{title}.",
        Column("epoch", "epoch", "count"),
        {run: (names[run], {epoch: row.get(run) for epoch, row in by_epoch.items()}) for run in best},
        "share",
        {"zero": False, "y_name": "accuracy on dev"},
        note,
    )


def _loss_by_step(runs: Sequence[TrainingRun], names: Mapping[int, str]) -> Chart | None:
    found = {
        run.pk: {
            line.step: line.loss for line in run.lines.kept().filter(loss__isnull=False).thinned(POINTS_A_RUN)
        }
        for run in runs
    }
    last = {run: values[max(values)] for run, values in found.items() if len(values) > 1}
    if not last:
        return None
    ends = span({names[run]: loss for run, loss in last.items()}, lambda loss: f"{loss:.3f}")
    return _over_each_other(
        "loss",
        f"Training loss ends at {ends}.",
        Column("step", "step", "count"),
        {run: (names[run], found[run]) for run in last},
        "kappa",
        {"y_name": "training loss"},
    )


def _over_each_other(
    key: str,
    title: str,
    along: Column,
    of_runs: Mapping[int, tuple[str, Mapping[int, float | None]]],
    kind: str,
    draw: Mapping[str, Any],
    note: str = "",
) -> Chart:
    """Returns a chart with a line for each run: (its name, place along the axis -> value)."""
    places = sorted({place for _, values in of_runs.values() for place in values})
    columns = {run: f"run-{run}" for run in of_runs}
    rows = [
        {along.key: place, **{columns[run]: values.get(place) for run, (_, values) in of_runs.items()}}
        for place in places
    ]
    return Chart(
        key,
        "lines",
        title,
        [along, *(Column(columns[run], name, kind) for run, (name, _) in of_runs.items())],
        rows,
        {"x": along.key, "series": list(columns.values()), **draw},
        note=note,
    )


STEP = Column("step", "step", "count")


def curves(lines: Sequence[RunProgress]) -> list[Chart]:
    """Returns the charts that have enough values: two losses, one accuracy.

    The loss of an attempt that was lost is a curve of its own beside that of the run.
    """
    kept = [line for line in lines if not line.is_lost]
    losses: list[dict[str, Any]] = [
        {"step": line.step, "loss": line.loss} for line in kept if line.loss is not None
    ]
    lost: list[dict[str, Any]] = [
        {"step": line.step, "loss": None, "lost": line.loss}
        for line in lines
        if line.is_lost and line.loss is not None
    ]
    scores: list[dict[str, Any]] = [
        {"step": line.step, "epoch": line.epoch, "accuracy": line.dev_accuracy}
        for line in kept
        if line.dev_accuracy is not None
    ]
    return with_values([_loss(losses, lost), _accuracy(scores)])


def _loss(rows: list[dict[str, Any]], lost: list[dict[str, Any]]) -> Chart | None:
    if len(rows) < 2:
        return None
    columns = [STEP, Column("loss", "training loss", "kappa")]
    if lost:
        columns.append(Column("lost", "loss of the attempt that was lost", "kappa"))
    return Chart(
        "loss",
        "lines",
        f"Training loss went from {rows[0]['loss']:.3f} to {rows[-1]['loss']:.3f} in {rows[-1]['step']:,} steps.",
        columns,
        [*({"lost": None, **row} for row in rows), *lost] if lost else rows,
        {"x": "step", "series": [column.key for column in columns[1:]]},
    )


def _accuracy(rows: list[dict[str, Any]]) -> Chart | None:
    if not rows:
        return None
    reached = peak({f"step {row['step']:,}": row["accuracy"] for row in rows}, "", "at", percent)
    return Chart(
        "dev-accuracy",
        "lines",
        f"Accuracy on dev reaches {reached}.",
        [STEP, Column("epoch", "epoch", "count"), Column("accuracy", "accuracy on dev", "share")],
        rows,
        {"x": "step", "series": ["accuracy"], "points": True, "zero": False},
        colours={"accuracy": "--chart-point"},
    )
