"""Train a run, from the snapshot's files to the finished run folder.

A resumed run gives the same result as one that never stopped: the order of batches depends only on seed and epoch, and
everything else that decides the next step is in the checkpoint (weights, optimiser, random state, position, learning
rate, best weights so far).
"""

from pathlib import Path
from typing import Any

import numpy as np

from modeling.baselines import checkpoint
from modeling.baselines.config import RunConfig
from modeling.baselines.data import read_partition
from modeling.baselines.epochs import run_epochs
from modeling.baselines.errors import BaselineError
from modeling.baselines.networks import FittedNetwork
from modeling.baselines.preparing import prepare
from modeling.baselines.program import Events, Stop
from modeling.baselines.regimes import training_pairs
from modeling.baselines.results import finish
from modeling.baselines.settings import LearningSettings
from modeling.baselines.training_state import HELD_BACK
from modeling.baselines.vectors import PACKAGES, digest_of, require_same
from modeling.baselines.workers import Workers, joined
from nli.labels import SCHEMES
from nli.lines import HELD_OUT


def train_run(config: RunConfig, events: Events, stop: Stop) -> None:
    """Trains, evaluates and writes the run folder. Continues from a checkpoint; of a finished run, reports its metrics.

    Raises BaselineError for an error that a person can correct, Stopped after a signal.
    """
    with joined(config.device) as workers:
        if not workers.is_first:
            if checkpoint.finished_metrics(config.folder) is None:
                train_in_folder(config, events, stop, workers)
            return
        with checkpoint.run_folder(config.folder, config.identity(), config.digest()):
            metrics = checkpoint.finished_metrics(config.folder)
            if metrics is None:
                events.copy_to(config.folder / checkpoint.PROGRESS)
                metrics = train_in_folder(config, events, stop, workers)
            else:
                require_its_vectors(config)
            checkpoint.drop_checkpoint(config.folder)
            events.emit("done", metrics=metrics)


def require_its_vectors(config: RunConfig) -> None:
    """Checks that the word vectors are those of the finished run. Raises BaselineError."""
    known = checkpoint.vectors_of_run(config.folder)
    # If the vectors are gone, nothing shows that they are others.
    if known is None or config.vectors is None:
        return
    if config.vectors in PACKAGES or Path(config.vectors).exists():
        require_same(config.vectors, digest_of(config.vectors, config.cache), known, config.folder)


def _without_dev(held: int) -> str:
    if not held:
        return "nothing stops training early and the last epoch counts"
    return (
        f"{held:,} training pairs of whole premises or groups are held back. They are not learnt, but stop the training and"
        " choose its epoch, and the accuracy by epoch is that on them"
    )


def train_in_folder(config: RunConfig, events: Events, stop: Stop, workers: Workers) -> dict[str, Any]:
    """Trains the run from the files in its folder, and writes its results there. Returns its metrics."""
    labels = SCHEMES[config.scheme]
    partitions = {
        name: read_partition(file, labels, config.collapse) for name, file in config.files.present.items()
    }
    dropped = {name: partition.dropped for name, partition in partitions.items()}
    train, parts, held = training_pairs(config, partitions["train"], labels)
    partitions |= {"train": train, HELD_BACK: held}
    dropped["train"] = train.dropped
    if not train.pairs:
        raise BaselineError(
            "The training partition has no pair with a gold label: freeze a snapshot that has some."
        )
    training, vocabulary = prepare(config, partitions, parts, labels, events, stop, workers)
    resumed = training.restore()
    events.emit(
        "started",
        run=config.folder.name,
        train_pairs=len(train.pairs),
        dropped=dropped,
        resumed_from_step=training.position.step if resumed else None,
        device=training.device.type,
    )
    for name in HELD_OUT:
        if name not in partitions or not partitions[name].pairs:
            consequence = "it has no score"
            if name == "dev" and isinstance(training.config.settings, LearningSettings):
                consequence = _without_dev(len(held.pairs))
            events.warn(f"There are no {name} pairs with a gold label: {consequence}.", partition=name)
    if isinstance(config.settings, LearningSettings):
        run_epochs(training, config.settings)
    elif isinstance(training.network, FittedNetwork):
        rows = np.concatenate([part.drawn(config.seed, 0) for part in parts])
        if warning := training.network.fit(training.train, rows):
            events.warn(warning)
    return finish(training, vocabulary, partitions)
