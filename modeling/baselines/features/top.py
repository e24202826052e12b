"""List the named features that speak most for each label (SNLI paper, section 3.4)."""

from collections.abc import Sequence
from typing import Any

from torch import Tensor

from modeling.baselines.vocabulary import RESERVED

TOP_FEATURES = "top_features.json"
MOST = 100
# How a name begins (features/lexicon.py) -> what the feature is.
KINDS = {
    "1": "word of the hypothesis",
    "2": "two neighbours of the hypothesis",
    "11": "word of the premise with one of the hypothesis",
    "22": "two neighbours of the premise with two of the hypothesis",
}


def top_features(
    names: Sequence[str], weights: Tensor, labels: Sequence[str]
) -> dict[str, list[dict[str, Any]]]:
    """Lists the features with the highest weights for each label: {label: [{"feature", "kind", "weight"}]}.

    names: in the order of the rows. weights: (names, labels). A weight is given as the distance from the mean over labels:
    to add the same number to the weights of all labels changes no probability.
    """
    centred = weights.double() - weights.double().mean(dim=1, keepdim=True)
    centred[: len(RESERVED)] = 0
    found = {}
    for column, label in enumerate(labels):
        values, rows = centred[:, column].topk(min(MOST, len(names)))
        found[label] = [
            {**named(names[row]), "weight": round(value, 6)}
            for value, row in zip(values.tolist(), rows.tolist(), strict=True)
            if value > 0
        ]
    return found


def named(name: str) -> dict[str, str]:
    """Splits the name of a feature into its words and its kind."""
    kind, _, words = name.partition(" ")
    parts = words.split()
    half = len(parts) // 2
    crossed = f"{' '.join(parts[:half])} → {' '.join(parts[half:])}"
    return {"feature": crossed if len(kind) == 2 else words, "kind": KINDS.get(kind, kind)}
