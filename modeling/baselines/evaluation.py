"""A finished run on the files of any snapshot with the same labels."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from modeling.baselines import checkpoint
from modeling.baselines.config import EvaluationConfig
from modeling.baselines.data import read_partition
from modeling.baselines.errors import BaselineError, Stopped
from modeling.baselines.files import read_json, write_json
from modeling.baselines.labels import SCHEMES
from modeling.baselines.overlap import count_overlap, load_training_texts, warn_of_overlap
from modeling.baselines.prediction import Floats, predict, resolve_device
from modeling.baselines.program import Events, Stop
from modeling.baselines.scores import score
from modeling.baselines.unseen import WordSource, encode_unseen, word_source
from modeling.baselines.vectors import PACKAGES, find_vectors


def evaluate_run(folder: Path, config: EvaluationConfig, events: Events, stop: Stop) -> None:
    """Scores the run in `folder` on the files of `config`; writes and tells predictions and metrics.

    Needs no training files: the run folder has the word table and the digests of the training texts. Needs the
    vectors for words that training lacks. Raises BaselineError for what a person can mend, Stopped after a signal.
    """
    if config.folder.resolve() == folder.resolve():
        raise BaselineError(
            "The evaluation's folder is the run's own, whose predictions it would overwrite: name another."
        )
    run = checkpoint.load_run(folder)
    if config.collapse and run.labels not in (SCHEMES["nli3"], SCHEMES["entailed2"]):
        raise BaselineError(f"collapse is for nli3, not for the run's labels {', '.join(run.labels)}.")
    source = source_of(run, folder, config)
    known = load_training_texts(folder / checkpoint.TRAINING_TEXTS)
    torch.set_num_threads(config.threads)
    device = resolve_device(config.device)
    network = run.network.to(device)
    labels = run.labels if not config.collapse else SCHEMES["entailed2"]
    partitions = {name: read_partition(file, labels, config.collapse) for name, file in config.files.items()}
    dropped = {name: partition.dropped for name, partition in partitions.items()}
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
    for name, partition in partitions.items():
        if not partition.pairs:
            events.warn(f"There are no {name} pairs with a gold label: it has no score.", partition=name)
        encoded = encode_unseen(partition.pairs, network.reads, run.vocabulary, source)
        probabilities = collapsed(predict(network, encoded, len(run.labels), device, between), labels)
        overlap = count_overlap(partition.pairs, known)
        warn_of_overlap(events, name, len(partition.pairs), overlap)
        scores = score(partition.pairs, probabilities, labels, run.metrics["train"]["genres"])
        metrics[name] = {**scores, "overlap": overlap}
        checkpoint.write_predictions(config.folder, name, partition.pairs, probabilities, labels)
    write_json(config.folder / checkpoint.METRICS, metrics)
    events.emit("done", metrics=metrics)


def source_of(run: checkpoint.FinishedRun, folder: Path, config: EvaluationConfig) -> WordSource | None:
    """Where words that the run does not know are looked up. Raises BaselineError where it is not what it learnt from."""
    name = run.config["vectors"]
    given = config.vectors or (name if name in PACKAGES else None)
    source = word_source(run.settings, given or name, config.cache or config.folder / "cache")
    if source is None:
        return None
    if given is None:
        raise BaselineError(
            f"The run looks words that training lacks up in the word vectors {name}: set vectors to that file."
        )
    environment: Any = read_json(folder / checkpoint.ENVIRONMENT)
    if find_vectors(given, (), source.cache, True).digest != environment["vectors"]["digest"]:
        raise BaselineError(
            f"The word vectors {given} are not those that the run was trained with ({name}): name these."
        )
    return source


def collapsed(probabilities: Floats, labels: Sequence[str]) -> Floats:
    """Probabilities (pairs, labels); of nli3 those of neutral and contradiction summed, where two are asked."""
    if probabilities.shape[1] == len(labels):
        return probabilities
    return np.stack((probabilities[:, 0], probabilities[:, 1:].sum(axis=1)), axis=1)
