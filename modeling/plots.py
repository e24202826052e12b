"""The curve of a run, placed on paper here and drawn by a template: it needs no script."""

from collections.abc import Sequence
from dataclasses import dataclass

from modeling.models import RunProgress

WIDTH, HEIGHT = 640, 240
LEFT, RIGHT, TOP, BOTTOM = 48, 48, 16, 32


@dataclass(frozen=True)
class Tick:
    """A mark on an axis, in units of the picture, and its text."""

    at: float
    text: str


@dataclass(frozen=True)
class Curve:
    """Loss (left axis) over steps as an SVG polyline, dev accuracy (right axis, 0 to 1) at the ends of epochs."""

    loss: str
    accuracy: str
    points: list[tuple[float, float]]
    loss_ticks: list[Tick]
    accuracy_ticks: list[Tick]
    step_ticks: list[Tick]
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    top: int = TOP
    bottom: int = HEIGHT - BOTTOM


def curve(lines: Sequence[RunProgress]) -> Curve | None:
    """None until there are two points to join."""
    losses = [(line.step, line.loss) for line in lines if line.loss is not None]
    scores = [(line.step, line.dev_accuracy) for line in lines if line.dev_accuracy is not None]
    if len(losses) < 2:
        return None
    last = max(step for step, _ in losses) or 1
    ceiling = max(loss for _, loss in losses) or 1.0

    def x(step: int) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * step / last, 1)

    def y(share: float) -> float:
        return round(HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share, 1)

    points = [(x(step), y(accuracy)) for step, accuracy in scores]
    return Curve(
        loss=_line([(x(step), y(loss / ceiling)) for step, loss in losses]),
        accuracy=_line(points),
        points=points,
        loss_ticks=[Tick(y(part), f"{ceiling * part:.2f}") for part in (0, 0.5, 1)],
        accuracy_ticks=[Tick(y(part), f"{part:g}") for part in (0, 0.5, 1)],
        step_ticks=[Tick(x(step), f"{step:,}") for step in sorted({0, last // 2, last})],
    )


def _line(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x},{y}" for x, y in points)
