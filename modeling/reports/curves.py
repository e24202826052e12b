"""Learning curves as data for a chart: SNLI's Figure 4 from the runs on a snapshot."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from modeling.models import TrainingRun
from modeling.reports.curve_picture import curve_picture
from modeling.reports.filling import fill
from modeling.reports.scores import Scores
from shared.findings import span
from shared.numbers import percent
from shared.tables import Column, Table

FIGURE, SVG = "figure-4", "svg"


@dataclass(frozen=True)
class Point:
    """Mean accuracy over seeds of the runs that learnt from so many pairs; `spread` is the sample standard deviation."""

    pairs: int
    mean: float
    spread: float | None
    runs: list[int]


def learning_curves(scores: Scores) -> dict[str, list[Point]]:
    """Returns the test accuracies of each system of the figure on the first snapshot, by training pairs.

    Systems without runs are left out.
    """
    report = fill(FIGURE, scores.snapshots[:1], scores=scores)
    learnt = {run.pk: _pairs(run) for run in scores.runs}
    found: dict[str, list[Point]] = {}
    for _, cells in report.rows:
        for system, cell in zip(report.columns, cells, strict=True):
            pairs = next((learnt[number] for number in cell.runs if learnt[number]), None)
            if isinstance(cell.mean, float) and pairs:
                found.setdefault(system, []).append(Point(pairs, cell.mean, cell.spread, cell.runs))
    return {system: sorted(points, key=lambda point: point.pairs) for system, points in found.items()}


def curve_chart(found: Mapping[str, Sequence[Point]]) -> Table | None:
    """Returns the curves as a chart, if any system learnt from two numbers of pairs or more."""
    curves = _curves(found)
    if not curves:
        return None
    sizes = sorted({point.pairs for points in curves.values() for point in points})
    means = {system: {point.pairs: point for point in points} for system, points in curves.items()}
    reached = {system: points[-1].mean for system, points in curves.items() if points[-1].pairs == sizes[-1]}
    columns = [Column("pairs", "training pairs", "count")]
    for system in curves:
        columns += [
            Column(system, system, "share", "Mean accuracy on test over seeds."),
            Column(f"{system} ±", f"{system} ±", "share", "Sample standard deviation over seeds."),
        ]
    rows = []
    for size in sizes:
        row: dict[str, float | None] = {"pairs": size}
        for system, points in means.items():
            point = points.get(size)
            row[system], row[f"{system} ±"] = (point.mean, point.spread) if point else (None, None)
        rows.append(row)
    return Table(
        "learning-curves",
        "lines",
        f"From {sizes[-1]:,} pairs, accuracy on test is {span(reached, percent)}.",
        columns,
        rows,
        {
            "x": "pairs",
            "x_type": "log",
            "series": list(curves),
            "points": True,
            "zero": False,
            "y_name": "accuracy on test",
        },
    )


def drawn(scores: Scores) -> str:
    """Draws the figure as SVG; "" if no system learnt from two numbers of pairs or more."""
    curves = _curves(learning_curves(scores))
    lines = {system: {each.pairs: 100 * each.mean for each in points} for system, points in curves.items()}
    title = f"Test accuracy on {scores.names[0]} by the number of training pairs"
    return curve_picture(title, lines) if lines else ""


def _curves(found: Mapping[str, Sequence[Point]]) -> dict[str, Sequence[Point]]:
    """Returns the systems that learnt from two numbers of pairs or more."""
    return {system: points for system, points in found.items() if len(points) > 1}


def _pairs(run: TrainingRun) -> int | None:
    return run.most or run.train_pairs
