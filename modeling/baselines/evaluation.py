"""Score a finished run on the files of any snapshot with the same labels."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from modeling.baselines import checkpoint
from modeling.baselines.checkpoint import FinishedRun
from modeling.baselines.config import METRICS, EvaluationConfig
from modeling.baselines.data import read_partition, without_premise
from modeling.baselines.errors import BaselineError, Stopped
from modeling.baselines.features.lexicon import Features
from modeling.baselines.files import write_json
from modeling.baselines.overlap import count_overlap, load_training_texts, warn_of_overlap
from modeling.baselines.prediction import Floats, predict, resolve_device
from modeling.baselines.program import Events, Stop
from modeling.baselines.regimes import learnt_genres
from modeling.baselines.scores import score
from modeling.baselines.settings import NeuralSettings
from modeling.baselines.unseen import Unseen, cut_unseen, encode_unseen, looks_up
from modeling.baselines.vectors import PACKAGES, WordVectors, find_vectors, require_same
from nli.labels import COLLAPSED, COLLAPSIBLE, SCHEMES, label_index, readable_together


def evaluate_run(folder: Path, config: EvaluationConfig, events: Events, stop: Stop) -> None:
    """Scores the run in `folder` on the files of `config`; writes predictions and metrics, and reports the metrics.

    Needs no training files: the run folder has the word table and the digests of the training texts. Needs the word
    vectors, to look up words that training lacks. Raises BaselineError for an error that a person can correct, Stopped
    after a signal.
    """
    if config.folder.resolve() == folder.resolve():
        raise BaselineError(
            "The evaluation's folder is the run's own, whose predictions it would overwrite: name another."
        )
    run = checkpoint.load_run(folder)
    in_two = [labels for scheme, labels in SCHEMES.items() if readable_together([scheme])]
    if config.collapse and run.labels not in in_two:
        raise BaselineError(
            f"collapse is for {' and '.join(COLLAPSIBLE)}, not for the run's labels {', '.join(run.labels)}."
        )
    source = source_of(run, config)
    known = load_training_texts(folder / checkpoint.TRAINING_TEXTS)
    torch.set_num_threads(config.threads)
    device = resolve_device(config.device)
    network = run.network.to(device)
    labels = run.labels if not config.collapse else SCHEMES[COLLAPSED]
    partitions = {
        name: read_partition(file, labels, config.collapse) for name, file in config.files.present.items()
    }
    if isinstance(run.vocabulary, Features) and config.cache is not None:
        run.vocabulary.tagger.keep_in(config.cache, config.snapshot.sha256)
    dropped = {name: partition.dropped for name, partition in partitions.items()}
    is_twin = bool(run.config.get("hypothesis_only"))
    read = [(name, partition.pairs) for name, partition in partitions.items()]
    read += [(name, partition.unscored) for name, partition in partitions.items() if partition.unscored]
    unseen = [
        cut_unseen(without_premise(pairs) if is_twin else pairs, network.reads, run.vocabulary, run.settings)
        for _, pairs in read
    ]
    further = vectors_of(source, unseen, run, folder, config)
    events.emit("started", run=folder.name, dropped=dropped, device=device.type)

    def between() -> None:
        if stop.requested:
            raise Stopped(0)

    metrics: dict[str, Any] = {
        "baseline": run.config["baseline"],
        "seed": run.config["seed"],
        "trained_on": run.config["snapshot"],
        "snapshot": config.snapshot.name,
        "sha256": config.snapshot.sha256,
        "dropped": dropped,
        "device": device.type,
    }
    for (name, pairs), one, found in zip(read, unseen, further, strict=True):
        encoded = encode_unseen(one, run.vocabulary, found)
        probabilities = collapsed(
            predict(network, encoded, len(run.labels), device, between), run.labels, labels
        )
        checkpoint.write_predictions(config.folder, name, pairs, probabilities, labels)
        if name in metrics:  # the second time: of these, labels are withheld
            continue
        if not pairs:
            events.warn(f"There are no {name} pairs with a gold label: it has no score.", partition=name)
        overlap = count_overlap(pairs, known)
        warn_of_overlap(events, name, len(pairs), overlap)
        scores = score(pairs, probabilities, labels, learnt_genres(run.metrics))
        metrics[name] = {**scores, "overlap": overlap}
    write_json(config.folder / METRICS, metrics)
    events.emit("done", metrics=metrics)


def source_of(run: FinishedRun, config: EvaluationConfig) -> str | None:
    """Returns the source in which the run looks up words that training lacks; None if it looks up none. Raises BaselineError
    if nothing names it.
    """
    if not looks_up(run.settings):
        return None
    name = str(run.config["vectors"])
    if config.vectors is None and name not in PACKAGES:
        raise BaselineError(
            f"The run looks up words that training lacks in the word vectors {name}: set vectors to that file."
        )
    return config.vectors or name


def vectors_of(
    source: str | None, unseen: Sequence[Unseen], run: FinishedRun, folder: Path, config: EvaluationConfig
) -> Sequence[WordVectors | None]:
    """Finds the vectors of words that training lacks, partition by partition, in one pass through the source.

    Raises BaselineError if the run was trained with vectors of another source.
    """
    if source is None or not isinstance(run.settings, NeuralSettings):
        return [None] * len(unseen)
    cache = config.cache or config.folder / "cache"
    found = find_vectors(source, [one.words for one in unseen], cache, run.settings.lowercase_fallback)
    require_same(source, found[0].digest, checkpoint.vectors_of_run(folder), folder)
    return found


def collapsed(probabilities: Floats, given: Sequence[str], labels: Sequence[str]) -> Floats:
    """Returns the probabilities (pairs, labels) of two classes, if these are requested, from those of the labels `given`."""
    if tuple(given) == tuple(labels):
        return probabilities
    index = label_index(labels, collapse=True)
    parts = ([k for k, label in enumerate(given) if index[label] == at] for at in range(len(labels)))
    return np.stack([probabilities[:, part].sum(axis=1) for part in parts], axis=1)
