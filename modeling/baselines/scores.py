"""Compute scores from gold labels and probabilities. Each pair counts once."""

import math
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from modeling.baselines.batches import labels_of
from modeling.baselines.data import Pair
from nli import agreement
from nli.lines import ALL, EXTRA, IN_SEATS, SETS

Distributions = npt.NDArray[np.float64]

SMALLEST = 1e-7  # single precision rounds a smaller probability to nothing, whose logarithm is infinite


def score(
    pairs: Sequence[Pair],
    probabilities: npt.NDArray[np.float32],
    labels: Sequence[str],
    training_genres: Collection[str],
) -> dict[str, Any]:
    """Computes {"accuracy", "majority", "pairs", "by_genre", "by_label", "distribution"}, JSON-ready.

    `majority` is the share of the evaluated pairs' own commonest label, the bar in the papers' tables.
    `by_label` is by gold label. A genre is matched if training had it. Without pairs, accuracy and majority are null.
    """
    gold = labels_of(pairs)
    right = gold == probabilities.argmax(axis=1)
    genres = np.array([pair.genre for pair in pairs], dtype=np.str_)
    return {
        "accuracy": share(right),
        "majority": majority_share(gold),
        "pairs": len(pairs),
        "by_genre": {
            str(genre): {
                "accuracy": share(right[genres == genre]),
                "pairs": int((genres == genre).sum()),
                "matched": str(genre) in training_genres,
            }
            for genre in np.unique(genres)
        },
        "by_label": {
            label: {"accuracy": share(right[gold == index]), "pairs": int((gold == index).sum())}
            for index, label in enumerate(labels)
        },
        "distribution": distribution_scores(pairs, probabilities),
    }


def distribution_scores(
    pairs: Sequence[Pair], probabilities: npt.NDArray[np.float32]
) -> dict[str, Any] | None:
    """Compares the predicted distributions with people's, over pairs with two votes or more: {"labels", "pairs", "kl",
    "jsd", "entropy_correlation"}; None without such pairs.

    `labels` names the set of labels (nli.lines.SETS): the extra ones where every pair with votes has them, as in ChaosNLI's
    tables; else all. Where some have extra ones, `sets` holds the figures of each set by its name.
    `kl` is the mean Kullback-Leibler divergence of the prediction from the annotators' distribution, `jsd` the
    mean Jensen-Shannon divergence (the square of ChaosNLI's distance), both in nats; a predicted probability
    counts as 1e-7 at least. `entropy_correlation` is Pearson's between the entropies, None if one is constant.
    """
    has_extra = [bool(pair.extra) for pair in pairs if sum(pair.votes) >= 2]
    if not has_extra:
        return None
    if not any(has_extra):
        return {"labels": IN_SEATS, **distances([pair.votes for pair in pairs], probabilities)}
    sets = {name: distances([pair.votes_of(name) for pair in pairs], probabilities) for name in SETS}
    named = EXTRA if all(has_extra) and sets[EXTRA]["pairs"] == len(has_extra) else ALL
    return {"labels": named, **sets[named], "sets": sets}


def distances(votes: Sequence[Sequence[int]], probabilities: npt.NDArray[np.float32]) -> dict[str, Any]:
    """Computes the figures of `distribution_scores` for one set of labels: `votes` are of each pair."""
    rows = [row for row, each in enumerate(votes) if sum(each) >= 2]
    if not rows:
        return {"pairs": 0, "kl": None, "jsd": None, "entropy_correlation": None}
    people = np.array([np.array(votes[row]) / sum(votes[row]) for row in rows])
    predicted = np.clip(probabilities[rows].astype(np.float64), SMALLEST, None)
    predicted /= predicted.sum(axis=1, keepdims=True)
    middle = (people + predicted) / 2
    entropies = entropy(people), entropy(predicted)
    varies = all(np.ptp(one) > SMALLEST for one in entropies)
    return {
        "pairs": len(rows),
        "kl": float(divergence(people, predicted).mean()),
        "jsd": float((divergence(people, middle) + divergence(predicted, middle)).mean() / 2),
        "entropy_correlation": float(np.corrcoef(*entropies)[0, 1]) if varies else None,
    }


def divergence(one: Distributions, other: Distributions) -> Distributions:
    """Computes the Kullback-Leibler divergence (pairs,) in nats of `other` from `one`, both (pairs, labels)."""
    terms = np.where(one > 0, one * np.log(np.where(one > 0, one, 1) / other), 0)
    return np.asarray(terms.sum(axis=1))


def entropy(rows: Distributions) -> Distributions:
    """Computes the entropy (pairs,) in nats of distributions (pairs, labels)."""
    return np.array([agreement.entropy(row, math.e) for row in rows.tolist()])


def majority_share(gold: npt.NDArray[np.int64]) -> float | None:
    """Computes the share of the commonest label; None without labels."""
    return float(np.bincount(gold).max() / len(gold)) if len(gold) else None


def is_above_chance(accuracy: float | None, majority: float | None, pairs: int) -> bool:
    """Returns whether an accuracy is above the commonest label's share by more than two standard errors of that share."""
    if accuracy is None or majority is None:
        return False
    return accuracy > majority + 2 * math.sqrt(majority * (1 - majority) / pairs)


def share(right: Any) -> float | None:
    """Computes the share of true values; None without values."""
    return float(right.mean()) if len(right) else None
