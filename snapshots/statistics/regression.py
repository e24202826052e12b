"""A logistic regression over the words of hypotheses, tried on pairs that it has not learnt from."""

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from snapshots.statistics.words import is_word, tokens

FOLDS = 5
TOLERANCE = (
    0.001  # of the gradient: where labels are balanced, ten times as much is met before the first step
)
MOST_STEPS = 300
Ints = np.ndarray[Any, np.dtype[np.int64]]


def counted(texts: Sequence[str], language: str) -> tuple[Any, Any]:
    """Returns which words stand in which hypotheses (a sparse matrix), and the words; those of a single one are left out."""
    from sklearn.feature_extraction.text import CountVectorizer  # not at the top: no web process needs it

    counter = CountVectorizer(
        analyzer=partial(_words, language=language), binary=True, min_df=2, dtype=np.float32
    )
    try:
        return counter.fit_transform(texts), counter.get_feature_names_out()
    except ValueError:  # no word stands in two hypotheses
        from scipy.sparse import csr_matrix

        return csr_matrix((len(texts), 0), dtype=np.float32), np.zeros(0, dtype=object)


def _words(text: str, language: str) -> list[str]:
    """Returns the words of a hypothesis and its pairs of neighbouring words."""
    words = [token for token in tokens(text, language) if is_word(token)]
    return [*words, *map(" ".join, pairwise(words))]


def predicted(
    words: Any, truth: Ints, folds: Ints, apart: Ints | None = None, evenly: Ints | None = None
) -> Ints:
    """Returns the class that was predicted for each hypothesis; -1 where none was.

    folds: each part is tried after learning from the others; -1 is learnt from alone. apart: nothing is learnt from a pair
    that shares this with the part that is tried. evenly: learn from as many pairs, drawn at random, of each of these groups.
    """
    from sklearn.linear_model import LogisticRegression
    from threadpoolctl import threadpool_limits

    found = np.full(len(truth), -1, dtype=np.int64)
    if not words.shape[1]:
        return found
    with threadpool_limits(1):  # small steps: several threads would wait for each other
        for part in range(FOLDS):
            here = folds == part
            learnt = ~here if apart is None else ~here & ~np.isin(apart, apart[here])
            places = np.flatnonzero(learnt)
            if evenly is not None and len(places):
                places = _evenly(places, evenly[places], part)
            if here.any() and len(np.unique(truth[places])) > 1:
                regression = LogisticRegression(C=0.1, tol=TOLERANCE, max_iter=MOST_STEPS)
                found[here] = regression.fit(words[places], truth[places]).predict(words[here])
    return found


def _evenly(places: Ints, groups: Ints, seed: int) -> Ints:
    dice, found = np.random.default_rng(seed), [places[groups == each] for each in np.unique(groups)]
    least = min(map(len, found))
    return np.sort(np.concatenate([dice.choice(each, least, replace=False) for each in found]))


def even_folds(clusters: Ints) -> Ints:
    """Returns the part of each pair: whole clusters, the largest first, each to the part that has the fewest pairs."""
    _, places, sizes = np.unique(clusters, return_inverse=True, return_counts=True)
    filled, part = np.zeros(FOLDS, dtype=np.int64), np.zeros(len(sizes), dtype=np.int64)
    for cluster in np.argsort(-sizes, kind="stable"):
        part[cluster] = filled.argmin()
        filled[part[cluster]] += sizes[cluster]
    return part[places]
