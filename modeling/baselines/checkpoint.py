"""Write and read the run folder: the results of a finished run, the checkpoint of an unfinished one.

No file is a pickle: to open a run folder from somebody else runs no code.
"""

import fcntl
import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file, save_file
from torch import Tensor

from modeling.baselines import pretrained
from modeling.baselines.catalogue import read_stored_settings
from modeling.baselines.config import CHECKPOINT, METRICS, WEIGHTS
from modeling.baselines.data import UNKNOWN, Pair
from modeling.baselines.errors import BaselineError
from modeling.baselines.files import PARTIAL, read_json, whole_or_absent, write_json
from modeling.baselines.lexicons import make_lexicon
from modeling.baselines.networks import Network, make_network
from modeling.baselines.prediction import Floats
from modeling.baselines.settings import PretrainedSettings, Settings, WordNetClassifierSettings
from modeling.baselines.vocabulary import Lexicon

CONFIG, VOCABULARY, LABELS = "config.json", "vocabulary.json", "labels.json"
ENVIRONMENT, PROGRESS = "environment.json", "progress.jsonl"
TRAINING_TEXTS = "training_texts.safetensors"
ACCUMULATORS = "accumulators.safetensors"
STATE = "state.safetensors"
ENCODER = "encoder"
VERB_OCEAN = "verb_ocean.txt"


@dataclass(frozen=True)
class FinishedRun:
    """A finished run, ready to predict. `network` is on the CPU."""

    network: Network
    settings: Settings
    vocabulary: Lexicon
    labels: tuple[str, ...]
    config: Mapping[str, Any]
    metrics: Mapping[str, Any]


@contextmanager
def run_folder(folder: Path, identity: Mapping[str, Any], digest: str) -> Iterator[None]:
    """Creates or reopens the folder of a run, and locks it against other processes.

    Raises BaselineError if another process works in it, or if it belongs to another run.
    """
    folder.mkdir(parents=True, exist_ok=True)
    # The lock is on the folder itself: no lock file is left over, and a kill releases it.
    handle = os.open(folder, os.O_RDONLY)
    try:
        lock(handle, folder)
        for torn in folder.glob(f".*{PARTIAL}"):
            torn.unlink()
        config = {**identity, "digest": digest}
        known: Any = read_json(folder / CONFIG) if (folder / CONFIG).exists() else config
        if not isinstance(known, dict) or known.get("digest") != digest:
            raise BaselineError(f"{folder} belongs to another run: give this one a folder of its own.")
        write_json(folder / CONFIG, config)
        yield
    finally:
        os.close(handle)


def lock(handle: int, folder: Path) -> None:
    """Locks the folder for this process. Raises BaselineError if another process has it."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise BaselineError(
            f"Another process is training in {folder}: wait for its end or stop it."
        ) from error


def finished_metrics(folder: Path) -> dict[str, Any] | None:
    """Returns the metrics of a finished run; None for an unfinished one."""
    if not (folder / METRICS).exists():
        return None
    metrics: Any = read_json(folder / METRICS)
    return dict(metrics)


def vectors_of_run(folder: Path) -> Mapping[str, Any] | None:
    """Returns what a finished run recorded about its word vectors; None if it read none."""
    environment: Any = read_json(folder / ENVIRONMENT)
    vectors: Mapping[str, Any] | None = environment.get("vectors")
    return vectors


def drop_checkpoint(folder: Path) -> None:
    """Deletes the checkpoint, if there is one."""
    shutil.rmtree(folder / CHECKPOINT, ignore_errors=True)


def save_state(folder: Path, tensors: Mapping[str, Tensor], facts: Mapping[str, Any]) -> None:
    """Writes the checkpoint. Tensors and facts are in one file, so that both are of the same step."""
    plain = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    with whole_or_absent(folder / CHECKPOINT / STATE) as temporary:
        save_file(plain, temporary, metadata={"facts": json.dumps(facts)})


def load_state(folder: Path) -> tuple[dict[str, Tensor], dict[str, Any]] | None:
    """Reads the checkpoint; None if there is none. Raises BaselineError for a damaged one."""
    path = folder / CHECKPOINT / STATE
    if not path.exists():
        return None
    try:
        with safe_open(path, framework="pt") as opened:
            facts: dict[str, Any] = json.loads(opened.metadata()["facts"])
        return load_file(path), facts
    except (OSError, SafetensorError, KeyError, ValueError) as error:
        raise BaselineError(
            f"The checkpoint {path} is damaged ({error}): delete it to start this run anew."
        ) from error


def save_network(folder: Path, network: Network, vocabulary: Lexicon, labels: Sequence[str]) -> None:
    """Writes the weights, the vocabulary and the labels."""
    weights = {name: tensor.detach().cpu().contiguous() for name, tensor in network.state_dict().items()}
    with whole_or_absent(folder / WEIGHTS) as temporary:
        save_file(weights, temporary)
    write_json(folder / VOCABULARY, list(vocabulary.words))
    write_json(folder / LABELS, list(labels))


def save_encoder(folder: Path, source: Path) -> None:
    """Copies the configuration and the tokenizer of a pretrained encoder."""
    (folder / ENCODER).mkdir(exist_ok=True)
    for name in (pretrained.CONFIG, pretrained.TOKENIZER):
        with whole_or_absent(folder / ENCODER / name) as temporary:
            shutil.copyfile(source / name, temporary)


def save_verb_ocean(folder: Path, source: Path) -> None:
    """Copies VerbOcean's file, which later evaluations read."""
    with whole_or_absent(folder / VERB_OCEAN) as temporary:
        shutil.copyfile(source, temporary)


def save_accumulators(folder: Path, tensors: Mapping[str, Tensor]) -> None:
    """Writes AdaDelta's accumulators of the best epoch, for a run that starts from this one."""
    with whole_or_absent(folder / ACCUMULATORS) as temporary:
        save_file({name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}, temporary)


def load_accumulators(folder: Path) -> dict[str, Tensor]:
    """Reads the accumulators. Raises BaselineError if they are missing or damaged."""
    try:
        return load_file(folder / ACCUMULATORS)
    except (OSError, SafetensorError) as error:
        raise BaselineError(
            f"{folder} has no {ACCUMULATORS} that can be read ({error}): transfer needs a run with AdaDelta. "
            'Train one, or start with how = "update".'
        ) from error


def load_run(folder: Path) -> FinishedRun:
    """Loads a finished run from its folder. Raises BaselineError if it is unfinished or damaged."""
    if not (folder / METRICS).exists():
        raise BaselineError(
            f"{folder} holds no finished run (it has no {METRICS}): finish its training first."
        )
    config: Any = read_json(folder / CONFIG)
    words: Any = read_json(folder / VOCABULARY)
    labels: Any = read_json(folder / LABELS)
    metrics: Any = read_json(folder / METRICS)
    try:
        weights = load_file(folder / WEIGHTS)
        settings = read_stored_settings(config["baseline"], config["settings"])
        language = config.get("language", "en")
        if isinstance(settings, PretrainedSettings):
            settings = settings.model_copy(update={"model": str(folder / ENCODER)})
        if isinstance(settings, WordNetClassifierSettings) and settings.verb_ocean:
            settings = settings.model_copy(update={"verb_ocean": str(folder / VERB_OCEAN)})
        vocabulary = make_lexicon(settings, words, language, config["seed"], len(labels))
        table = weights.get("vectors.weight", torch.zeros(len(words), 0))
        network = make_network(settings, len(vocabulary), table.shape[1], len(labels))
        network.load_state_dict(weights)
    except (OSError, SafetensorError, KeyError, TypeError, ValueError, RuntimeError) as error:
        raise BaselineError(
            f"The run folder {folder} is damaged ({error}): train the baseline again."
        ) from error
    return FinishedRun(network, settings, vocabulary, tuple(labels), config, metrics)


def write_predictions(
    folder: Path, partition: str, pairs: Sequence[Pair], probabilities: Floats, labels: Sequence[str]
) -> None:
    """Writes predictions-<partition>.jsonl: one line a pair, in the order of the partition's file.

    Pairs whose labels are withheld go into unscored-<partition>.jsonl, without a gold label.
    """
    is_scored = not pairs or pairs[0].label != UNKNOWN
    target = folder / f"{'predictions' if is_scored else 'unscored'}-{partition}.jsonl"
    with whole_or_absent(target) as temporary, temporary.open("w", encoding="utf-8") as stream:
        for pair, row in zip(pairs, probabilities.tolist(), strict=True):
            line = {
                "pairID": pair.pair_id,
                **({"gold": labels[pair.label]} if is_scored else {}),
                "predicted": labels[row.index(max(row))],
                "probabilities": {label: round(value, 6) for label, value in zip(labels, row, strict=True)},
                "genre": pair.genre,
            }
            stream.write(json.dumps(line, ensure_ascii=False) + "\n")
