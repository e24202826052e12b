"""Draws charts of a run's progress: the loss by step, and the accuracy on dev at the ends of epochs."""

from collections.abc import Sequence
from typing import Any

from modeling.models import RunProgress
from shared.charts import Chart, Column, with_values
from shared.numbers import percent

STEP = Column("step", "step", "count")


def curves(lines: Sequence[RunProgress]) -> list[Chart]:
    """Returns the charts that have enough values: two losses, one accuracy."""
    losses: list[dict[str, Any]] = [
        {"step": line.step, "loss": line.loss} for line in lines if line.loss is not None
    ]
    scores: list[dict[str, Any]] = [
        {"step": line.step, "epoch": line.epoch, "accuracy": line.dev_accuracy}
        for line in lines
        if line.dev_accuracy is not None
    ]
    return with_values([_loss(losses), _accuracy(scores)])


def _loss(rows: list[dict[str, Any]]) -> Chart | None:
    if len(rows) < 2:
        return None
    return Chart(
        "loss",
        "lines",
        f"Training loss went from {rows[0]['loss']:.3f} to {rows[-1]['loss']:.3f} in {rows[-1]['step']:,} steps.",
        [STEP, Column("loss", "training loss", "kappa")],
        rows,
        {"x": "step", "series": ["loss"]},
    )


def _accuracy(rows: list[dict[str, Any]]) -> Chart | None:
    if not rows:
        return None
    best = max(rows, key=lambda row: row["accuracy"])
    return Chart(
        "dev-accuracy",
        "lines",
        f"Accuracy on dev is best at step {best['step']:,}: {percent(best['accuracy'])}.",
        [STEP, Column("epoch", "epoch", "count"), Column("accuracy", "accuracy on dev", "share")],
        rows,
        {"x": "step", "series": ["accuracy"], "points": True, "zero": False},
        colours={"accuracy": "--chart-point"},
    )
