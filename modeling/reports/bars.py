"""Tests accuracies of cells against the system that the paper names as the bar, by the exact paired test."""

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from modeling.models import TrainingRun
from modeling.paired_tests import paired_p
from modeling.reports.cells import Selection
from modeling.reports.definitions import BETTER, HYPOTHESIS_ONLY, MAJORITY
from modeling.reports.scores import Scores
from modeling.results.breakdowns import aligned
from modeling.results.predicted import Predicted


def against_bar(
    scores: Scores, bar: str, wanted: Selection, runs: Sequence[TrainingRun]
) -> tuple[float | None, str, float | None]:
    """Returns the p-value of the exact paired test against the bar, the bar, and its accuracy on these pairs.

    (None, "", None) without predictions here.

    Of two bars, it is tested against the one with the higher accuracy.
    """
    ours = {run.seed: scores.predicted(run, wanted.on, wanted.partition) for run in runs}
    first = next(iter(ours.values()))
    pairs = None if first is None else _pairs_of(scores, wanted, first)
    if first is None or pairs is None:
        return None, "", None
    found = []
    if bar in (MAJORITY, BETTER):
        right = first.gold == np.bincount(first.gold[pairs]).argmax()
        found.append((_against(ours, dict.fromkeys(ours, right), pairs), MAJORITY))
    if bar in (HYPOTHESIS_ONLY, BETTER) and wanted.baseline != HYPOTHESIS_ONLY:
        plain = Selection(
            baseline=HYPOTHESIS_ONLY,
            trained=wanted.trained,
            on=wanted.on,
            partition=wanted.partition,
            collapse=wanted.collapse,
        )
        theirs = {
            run.seed: scores.predicted(run, wanted.on, wanted.partition)
            for run in scores.matching(plain)
            if run.seed in ours
        }
        bars = {seed: None if one is None else one.right for seed, one in theirs.items()}
        found.append((_against(ours, bars, pairs), HYPOTHESIS_ONLY))
    compared = [(accuracy, p, name) for (accuracy, p), name in found if p is not None]
    accuracy, p, against = max(compared, default=(None, None, ""), key=lambda one: one[0] or 0.0)
    return p, against.replace("_", "-"), accuracy


def _pairs_of(scores: Scores, wanted: Selection, predicted: Predicted) -> npt.NDArray[np.bool_] | None:
    """Returns which predicted pairs the cell is about; None if their values are not on this machine."""
    if not wanted.dimension:
        return np.ones(len(predicted.gold), dtype=np.bool_)
    try:
        values = aligned(scores.pair_values(wanted.on, wanted.partition), predicted).dimensions
    except ValueError:
        return None
    if wanted.dimension not in values:
        return None
    names, codes = values[wanted.dimension].names, values[wanted.dimension].codes
    wanted_codes = [code for code, name in enumerate(names) if name in wanted.value]
    return np.asarray(np.isin(codes, wanted_codes).any(axis=1))


def _against(
    ours: Mapping[int, Predicted | None],
    bar: Mapping[int, npt.NDArray[np.bool_] | None],
    pairs: npt.NDArray[np.bool_],
) -> tuple[float, float | None]:
    """Returns the accuracy of a bar on these pairs and the p-value over its seeds, None if predictions are missing.

    `bar`: which pairs it predicts correctly, by seed; each seed is in `ours`.
    """
    both = [(one.right, right) for seed, right in bar.items() if (one := ours[seed]) and right is not None]
    if not both or len(both) < len(bar):
        return 0.0, None
    mine, theirs = (np.array(each)[:, pairs] for each in zip(*both, strict=True))
    return float(theirs.mean()), paired_p(mine.sum(axis=0), theirs.sum(axis=0))
