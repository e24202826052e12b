"""Compute the edit distance from premise to hypothesis, for many weights of the three operations at once."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from modeling.baselines.features.tagged import Words

# The costs of deleting and of replacing a word; inserting one costs 1. Only the ratio matters: a distance is a share of
# the most expensive way.
DELETE = (0.0, 0.125, 0.25, 0.5, 1.0, 2.0, 4.0)
REPLACE = (0.25, 0.5, 1.0, 1.5, 2.0, 4.0)
WEIGHTS = tuple((delete, replace) for delete in DELETE for replace in REPLACE)


def edit_distances(premise: Words, hypothesis: Words, stop_words: bool) -> list[float]:
    """Computes the lowest cost of editing the premise into the hypothesis, under each of WEIGHTS.

    It is a share (0 to 1) of the cost of deleting the whole premise and inserting the whole hypothesis. Case does not
    count; stop words and punctuation count only with `stop_words`.
    """
    given, said = (
        [word.text for word in words if stop_words or not word.is_stop] for words in (premise, hypothesis)
    )
    delete, replace = np.array(WEIGHTS).T
    dearest = len(given) * delete + len(said)
    shares = least_costs(given, said, delete, replace) / np.where(dearest > 0, dearest, 1)
    return [float(share) for share in shares]


def least_costs(
    given: Sequence[str],
    said: Sequence[str],
    delete: npt.NDArray[np.float64],
    replace: npt.NDArray[np.float64],
) -> npt.NDArray[np.float64]:
    """Computes the lowest costs (weights,) of editing one into the other; insertions cost 1 (Wagner and Fischer, 1974)."""
    above = [np.full(len(delete), float(count)) for count in range(len(said) + 1)]
    for theirs in given:
        row = [above[0] + delete]
        for place, mine in enumerate(said):
            kept = above[place] if mine == theirs else above[place] + replace
            row.append(np.minimum(np.minimum(above[place + 1] + delete, row[-1] + 1), kept))
        above = row
    return above[-1]
