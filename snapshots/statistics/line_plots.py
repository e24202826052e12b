"""Compute the coordinates of line plots, which a template draws as SVG without a script."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

DASHES = ("none", "8 4", "2 4", "10 3 2 3", "4 4", "1 3")
Points = Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Tick:
    """A mark on an axis, in units of the picture, and its text."""

    at: float
    text: str


@dataclass(frozen=True)
class Paper:
    """The size of a picture, and where its axes stand in it."""

    width: int
    height: int
    left: int
    right: int
    top: int
    bottom: int

    def x(self, share: float) -> float:
        """Return the x coordinate of a share (0 to 1) of the horizontal axis."""
        return round(self.left + (self.right - self.left) * share, 1)

    def y(self, share: float) -> float:
        """Return the y coordinate of a share (0 to 1) of the vertical axis."""
        return round(self.bottom - (self.bottom - self.top) * share, 1)

    def line(self, points: Points) -> str:
        """Return points, given in shares of both axes, as the points of an SVG polyline."""
        return " ".join(f"{self.x(across)},{self.y(up)}" for across, up in points)


# With space on the right for the legend.
WITH_LEGEND = Paper(width=760, height=280, left=64, right=520, top=16, bottom=236)


@dataclass(frozen=True)
class Series:
    """One line: its SVG points, its dashes, the height of its name in the legend, and the class of its colour."""

    name: str
    points: str
    dash: str
    legend_y: float
    css: str = ""


@dataclass(frozen=True)
class Plot:
    """Lines over two axes that begin at 0, as a template draws them."""

    key: str
    title: str
    series: list[Series]
    x_ticks: list[Tick]
    y_ticks: list[Tick]
    x_name: str
    paper: Paper = WITH_LEGEND

    @property
    def legend(self) -> int:
        """Return the x coordinate of the legend."""
        return self.paper.right + 16


def plot(
    key: str,
    title: str,
    lines: Sequence[tuple[str, Points]],
    *,
    x_name: str,
    percent: bool = False,
    css_of: Callable[[str], str] = lambda name: "",
) -> Plot | None:
    """Make a plot; None without data. percent: the values are shares. css_of: the class of a line by its name."""
    points = [point for _, line in lines for point in line]
    widest, highest = (max((point[axis] for point in points), default=0.0) for axis in (0, 1))
    if not widest or not highest:
        return None

    def text(value: float) -> str:
        return f"{100 * value:.0f}%" if percent else f"{value:,.0f}"

    paper = WITH_LEGEND
    return Plot(
        key,
        title,
        [
            Series(
                name,
                paper.line([(across / widest, up / highest) for across, up in line]),
                DASHES[number % len(DASHES)],
                paper.top + 12 + 20 * number,
                css_of(name),
            )
            for number, (name, line) in enumerate(lines)
        ],
        [Tick(paper.x(part), f"{widest * part:.4g}") for part in (0, 0.25, 0.5, 0.75, 1)],
        [Tick(paper.y(part), text(highest * part)) for part in (0, 0.5, 1)],
        x_name,
    )
