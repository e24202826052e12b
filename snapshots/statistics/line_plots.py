"""Lines on paper: placed here, drawn by a template, told apart by dashes and names. They need no script."""

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
        """Where a share, 0 to 1, of the axis across lies."""
        return round(self.left + (self.right - self.left) * share, 1)

    def y(self, share: float) -> float:
        """The same of the axis up."""
        return round(self.bottom - (self.bottom - self.top) * share, 1)

    def line(self, points: Points) -> str:
        """Points in shares of both axes, as SVG writes a line through them."""
        return " ".join(f"{self.x(across)},{self.y(up)}" for across, up in points)


# With room at the right for the names of the lines.
WITH_LEGEND = Paper(width=760, height=280, left=64, right=520, top=16, bottom=236)


@dataclass(frozen=True)
class Series:
    """One line: SVG points, the dashes that tell it apart, where its name in the legend stands, its colour's class."""

    name: str
    points: str
    dash: str
    legend_y: float
    css: str = ""


@dataclass(frozen=True)
class Plot:
    """Lines over two axes that begin at 0, with what a template needs to draw them."""

    key: str
    title: str
    series: list[Series]
    x_ticks: list[Tick]
    y_ticks: list[Tick]
    x_name: str
    paper: Paper = WITH_LEGEND

    @property
    def legend(self) -> int:
        """Where the names of the lines begin."""
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
    """None where there is nothing to draw. `percent`: the values are shares. `css_of`: the class of a line by its name."""
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
