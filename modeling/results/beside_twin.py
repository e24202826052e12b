"""Compares a run with its hypothesis-only twin: what the premise adds, over all pairs and by dimension."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from modeling.models import TrainingRun
from modeling.results.dimensions import definition_of
from modeling.results.pair_values import Values
from modeling.results.predictions import Predictions
from modeling.results.run_scores import in_order

BY = ("label", "genre", "author", "prompt_version")
MOST_VALUES = 20  # of more authors than these, those with the most pairs


@dataclass(frozen=True)
class Compared:
    """Accuracy of a run and of its twin on some pairs, and the mean PVI in bits.

    `majority` is the share of the commonest gold label of these pairs, as in Poliak et al. 2018 (hypothesis only), Table 2;
    of the pairs of one gold label the share of that label among all pairs, as in Table 3 there.
    """

    value: str
    pairs: int
    full: float
    twin: float
    majority: float
    pvi: float

    @property
    def gain(self) -> float:
        """Returns what the premise adds to the accuracy."""
        return self.full - self.twin

    @property
    def relative(self) -> float | None:
        """Returns the gain as a share of the twin's accuracy; None if the twin is never right."""
        return self.gain / self.twin if self.twin else None


@dataclass(frozen=True)
class BesideTwin:
    """A run beside its twin on a partition: all pairs, and by dimension the values with the most pairs."""

    run: TrainingRun
    twin: TrainingRun
    partition: str
    whole: Compared
    by: dict[str, list[Compared]]

    @property
    def dimensions(self) -> list[tuple[str, str, list[Compared]]]:
        """Returns each dimension, its definition, and its values."""
        return [(name, definition_of(name), rows) for name, rows in self.by.items()]


def beside_twin(run: TrainingRun, twin: TrainingRun, partition: str) -> BesideTwin | None:
    """Compares a run with its twin; None without pairs. Raises PredictionsMissing."""
    predictions = _both(run, twin, partition)
    if predictions is None:
        return None
    by = {name: predictions.dimensions[name] for name in BY if name in predictions.dimensions}
    labels = predictions.snapshot.corpus.labels
    return BesideTwin(
        run,
        twin,
        partition,
        _whole(predictions),
        {
            name: _shown(_compared(predictions, values, of_all=name == "label"), labels)
            for name, values in by.items()
        },
    )


def whole_beside_twin(run: TrainingRun, twin: TrainingRun, partition: str) -> Compared | None:
    """Compares them over all pairs alone, without the values of pairs; None without pairs. Raises PredictionsMissing."""
    predictions = _both(run, twin, partition)
    return None if predictions is None else _whole(predictions)


def _both(run: TrainingRun, twin: TrainingRun, partition: str) -> Predictions | None:
    predictions = Predictions(run, partition, beside=twin)
    return predictions if predictions.pvi is not None and predictions.first.ids else None


def _whole(predictions: Predictions) -> Compared:
    everything = Values([""], np.zeros((len(predictions.first.ids), 1), dtype=np.int32))
    return _compared(predictions, everything)[0]


def _shown(rows: list[Compared], labels: Sequence[str]) -> list[Compared]:
    most = sorted(rows, key=lambda row: -row.pairs)[:MOST_VALUES]
    order = in_order([row.value for row in most], labels)
    return sorted(most, key=lambda row: order.index(row.value))


def _compared(predictions: Predictions, values: Values, *, of_all: bool = False) -> list[Compared]:
    """Compares the predictions of a run and of its twin, for each value of a dimension.

    `of_all`: the dimension is the gold label, so the share of a label is computed over all pairs.
    """
    first, second, bits = predictions.first, predictions.second, predictions.pvi
    assert second is not None
    assert bits is not None
    total, labels = len(values.names), len(first.names)
    codes = values.codes[:, 0]
    has = codes >= 0

    def summed(weights: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        return np.asarray(np.bincount(codes[has], weights=weights[has], minlength=total), dtype=np.float64)

    pairs = np.bincount(codes[has], minlength=total)
    gold = np.bincount(codes[has] * labels + first.gold[has], minlength=total * labels).reshape(total, labels)
    sums = [summed(each.astype(np.float64)) for each in (first.right, second.right, bits)]
    return [
        Compared(
            values.names[place],
            int(pairs[place]),
            float(sums[0][place] / pairs[place]),
            float(sums[1][place] / pairs[place]),
            float(gold[place].max() / (len(first.ids) if of_all else pairs[place])),
            float(sums[2][place] / pairs[place]),
        )
        for place in range(total)
        if pairs[place]
    ]
