"""Gold and predicted labels -> accuracies, by counted pairs: every pair counts once, the last batch's too."""

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from modeling.baselines.batches import Integers, labels_of
from modeling.baselines.data import Pair


def score(
    pairs: Sequence[Pair], predicted: Integers, labels: Sequence[str], training_genres: Collection[str]
) -> dict[str, Any]:
    """{"accuracy", "majority", "pairs", "by_genre", "by_label"}, JSON-ready; accuracy and majority are null
    without pairs.

    `majority` is the share of the evaluated pairs' own commonest label, the bar in the papers' tables.
    `by_label` is by gold label. A genre is matched where training had it.
    """
    gold = labels_of(pairs)
    right = gold == predicted
    genres = np.array([pair.genre for pair in pairs], dtype=np.str_)
    return {
        "accuracy": share(right),
        "majority": float(np.bincount(gold).max() / len(gold)) if len(gold) else None,
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
    }


def share(right: Any) -> float | None:
    """The share of true values, None of none."""
    return float(right.mean()) if len(right) else None
