"""Lines on paper: placed here, drawn by a template, told apart by dashes and names. They need no script."""

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 760, 280
LEFT, RIGHT, TOP, BOTTOM = 64, 240, 16, 44
DASHES = ("none", "8 4", "2 4", "10 3 2 3", "4 4", "1 3")
Points = Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Tick:
    """A mark on an axis, in units of the picture, and its text."""

    at: float
    text: str


@dataclass(frozen=True)
class Series:
    """One line: SVG points, the dashes that tell it apart, and where its name in the legend stands."""

    name: str
    points: str
    dash: str
    legend_y: float


@dataclass(frozen=True)
class Plot:
    """Lines over two axes that begin at 0, with what a template needs to draw them."""

    key: str
    title: str
    series: list[Series]
    x_ticks: list[Tick]
    y_ticks: list[Tick]
    x_name: str
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    top: int = TOP
    bottom: int = HEIGHT - BOTTOM
    legend: int = WIDTH - RIGHT + 16


def plot(
    key: str, title: str, lines: Sequence[tuple[str, Points]], *, x_name: str, percent: bool = False
) -> Plot | None:
    """None where there is nothing to draw. `percent`: the values are shares."""
    points = [point for _, line in lines for point in line]
    widest, highest = (max((point[axis] for point in points), default=0.0) for axis in (0, 1))
    if not widest or not highest:
        return None

    def x(value: float) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * value / widest, 1)

    def y(value: float) -> float:
        return round(HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value / highest, 1)

    def text(value: float) -> str:
        return f"{100 * value:.0f}%" if percent else f"{value:,.0f}"

    return Plot(
        key,
        title,
        [
            Series(
                name,
                " ".join(f"{x(across)},{y(up)}" for across, up in line),
                DASHES[number % len(DASHES)],
                TOP + 12 + 20 * number,
            )
            for number, (name, line) in enumerate(lines)
        ],
        [Tick(x(widest * part), f"{widest * part:.4g}") for part in (0, 0.25, 0.5, 0.75, 1)],
        [Tick(y(highest * part), text(highest * part)) for part in (0, 0.5, 1)],
        x_name,
    )
