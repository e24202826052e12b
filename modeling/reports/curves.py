"""Learning curves, SNLI's Figure 4 from the runs on a snapshot: as data for a chart, and as SVG without a browser."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import cycle

from modeling.models import TrainingRun
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


TOP, BOTTOM, LEFT, RIGHT = 16, 48, 56, 150
WIDTH, HEIGHT = 720, 400
NAME_HEIGHT = 15
STEP = 10  # percent, between two lines of the grid
COLOURS = ("#0b5fa5", "#b3410e", "#2e7d32", "#6a1b9a")
DASHES = ("none", "8 4", "2 3", "10 3 2 3")  # told apart without colours too
FRAME = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img"
  font-family="sans-serif" font-size="13">
<title>{title}</title>
<rect width="{width}" height="{height}" fill="white"/>
{parts}
</svg>
"""


def curve_picture(title: str, lines: Mapping[str, Mapping[int, float | None]]) -> str:
    """Draws {name: {training pairs: accuracy in percent}} on a logarithmic axis.

    Skips accuracies that are None; at least one must be a number.
    """
    known = [(size, value) for line in lines.values() for size, value in line.items() if value is not None]
    sizes, values = zip(*known, strict=True)
    first = math.floor(math.log10(min(sizes)))
    last = max(math.ceil(math.log10(max(sizes))), first + 1)
    lowest = STEP * math.floor(min(values) / STEP)
    highest = max(STEP * math.ceil(max(values) / STEP), lowest + STEP)

    def x(size: float) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * (math.log10(size) - first) / (last - first), 1)

    def y(percent: float) -> float:
        return round(HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (percent - lowest) / (highest - lowest), 1)

    grid = range(lowest, highest + 1, STEP)
    parts = [text(LEFT - 8, y(value) + 4, f"{value}%", "end") for value in grid]
    parts += [
        f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(value)}" y2="{y(value)}" stroke="#ddd"/>'
        for value in grid
    ]
    parts += [
        text(x(10**power), HEIGHT - BOTTOM + 20, f"{10**power:,}", "middle")
        for power in range(first, last + 1)
    ]
    parts.append(text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, "training pairs", "middle"))
    taken: list[tuple[float, float]] = []
    for (name, line), colour, dash in zip(lines.items(), cycle(COLOURS), cycle(DASHES), strict=False):
        points = [(x(size), y(value)) for size, value in sorted(line.items()) if value is not None]
        if points:
            taken.append(free_place(points[-1], taken))
            parts += one_line(name, points, taken[-1], colour, dash)
    return FRAME.format(width=WIDTH, height=HEIGHT, title=escape(title), parts="\n".join(parts))


def free_place(end: tuple[float, float], taken: list[tuple[float, float]]) -> tuple[float, float]:
    """Returns the place of a line's name: at its end, above or below the names of other lines there."""
    x, y = end[0] + 8, end[1] + 4
    free = (y + step * sign for step in range(0, HEIGHT, 2) for sign in (-1, 1))
    near = [other for place, other in taken if abs(place - x) < RIGHT]
    return x, next(one for one in free if all(abs(one - other) >= NAME_HEIGHT for other in near))


def one_line(
    name: str, points: list[tuple[float, float]], place: tuple[float, float], colour: str, dash: str
) -> list[str]:
    """Returns the line, its points and its name at the given place."""
    path = " ".join(f"{x},{y}" for x, y in points)
    return [
        f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"/>',
        *(f'<circle cx="{x}" cy="{y}" r="3.5" fill="{colour}"/>' for x, y in points),
        text(*place, name, "start", colour),
    ]


def text(x: float, y: float, said: str, anchor: str, colour: str = "#333") -> str:
    """Returns a text at a place, in units of the picture."""
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" fill="{colour}">{escape(said)}</text>'
