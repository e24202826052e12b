"""Reads the strongest features of each label, which the training program wrote into the folder of a run."""

import json
from dataclasses import dataclass

from modeling.folders import folder_of
from modeling.models import TrainingRun

TOP_FEATURES = "top_features.json"


@dataclass(frozen=True)
class Feature:
    """A named feature; `weight`: by how much its weight for the label exceeds the mean over labels."""

    feature: str
    kind: str
    weight: float


def top_features(run: TrainingRun, most: int = 100) -> dict[str, list[Feature]]:
    """Returns the features of each label, strongest first; empty if the run has none or they are on another machine."""
    try:
        found = json.loads((folder_of(run) / TOP_FEATURES).read_text(encoding="utf-8"))
        return {label: [Feature(**one) for one in features[:most]] for label, features in found.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}
