"""Computes the points of a run's curve. A template draws it as SVG."""

from collections.abc import Sequence
from dataclasses import dataclass

from modeling.models import RunProgress
from snapshots.statistics.line_plots import Paper, Tick

PAPER = Paper(width=640, height=240, left=48, right=592, top=16, bottom=208)


@dataclass(frozen=True)
class Curve:
    """Loss (left axis) over steps as an SVG polyline, dev accuracy (right axis, 0 to 1) at the ends of epochs."""

    loss: str
    accuracy: str
    points: list[tuple[float, float]]
    loss_ticks: list[Tick]
    accuracy_ticks: list[Tick]
    step_ticks: list[Tick]
    paper: Paper = PAPER


def curve(lines: Sequence[RunProgress]) -> Curve | None:
    """Returns None until there are two points to join."""
    losses = [(line.step, line.loss) for line in lines if line.loss is not None]
    scores = [(line.step, line.dev_accuracy) for line in lines if line.dev_accuracy is not None]
    if len(losses) < 2:
        return None
    last = max(step for step, _ in losses) or 1
    ceiling = max(loss for _, loss in losses) or 1.0

    shares = [(step / last, accuracy) for step, accuracy in scores]
    return Curve(
        loss=PAPER.line([(step / last, loss / ceiling) for step, loss in losses]),
        accuracy=PAPER.line(shares),
        points=[(PAPER.x(across), PAPER.y(up)) for across, up in shares],
        loss_ticks=[Tick(PAPER.y(part), f"{ceiling * part:.2f}") for part in (0, 0.5, 1)],
        accuracy_ticks=[Tick(PAPER.y(part), f"{part:g}") for part in (0, 0.5, 1)],
        step_ticks=[Tick(PAPER.x(step / last), f"{step:,}") for step in sorted({0, last // 2, last})],
    )
