"""The training loop of every baseline, from the snapshot's files to the finished run folder.

What makes resuming equal to not stopping: the order of batches depends on seed and epoch alone, and
everything else that decides the next step (weights, optimiser, chance, position, learning rate, best weights
so far) is in the checkpoint.
"""

import math
import os
import platform
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from modeling.baselines import checkpoint
from modeling.baselines.batches import (
    Encoded,
    EncodedPairs,
    Integers,
    Part,
    distributions_of,
    encode_pairs,
    labels_of,
    tokenise_side,
    training_batches,
)
from modeling.baselines.config import RunConfig
from modeling.baselines.data import Partition, read_partition
from modeling.baselines.errors import BaselineError, Stopped
from modeling.baselines.files import write_json
from modeling.baselines.labels import SCHEMES
from modeling.baselines.networks import NETWORKS, Majority, Network, ReadingNetwork, make_network
from modeling.baselines.overlap import count_overlap, save_training_texts, training_texts, warn_of_overlap
from modeling.baselines.prediction import ALONE, Floats, predict, resolve_device
from modeling.baselines.pretrained import Pieces, folder_of
from modeling.baselines.program import Events, Stop
from modeling.baselines.regimes import (
    accumulators_of,
    load_start,
    take_accumulators,
    take_weights,
    training_pairs,
)
from modeling.baselines.scores import score, share
from modeling.baselines.settings import LearningSettings, NeuralSettings, PretrainedSettings
from modeling.baselines.vectors import WordVectors, load_vectors
from modeling.baselines.vocabulary import RESERVED, Lexicon, Vocabulary, build_vocabulary
from modeling.baselines.workers import Workers, joined

HELD_OUT = ("dev", "test")
PROGRESS_SECONDS = 1.0
OTHER_CHANCE = 1_000_003  # between the seeds of processes that train together
ADADELTA_DECAY = 0.95  # Zeiler's own; torch's default is another
PACKAGES = ("torch", "numpy", "nltk", "safetensors")


@dataclass
class Position:
    """Where the training stands, apart from tensors. JSON-ready, and kept in the checkpoint."""

    epoch: int = 0
    batch: int = 0
    step: int = 0
    learning_rate: float = 0.0
    best_accuracy: float = -1.0
    best_epoch: int = 0
    epochs_without_better: int = 0
    is_over: bool = False
    cells: int = 0
    padding: int = 0
    pairs: int = 0
    step_seconds: float = 0.0
    seconds: float = 0.0

    def padding_share(self) -> float:
        """The share of cells computed for nothing so far."""
        return self.padding / self.cells if self.cells else 0.0

    def pairs_per_second(self) -> float:
        """Training pairs a second, evaluations not counted."""
        return self.pairs / self.step_seconds if self.step_seconds else 0.0


@dataclass
class Training:
    """A network on its way: what the loop reads and changes."""

    config: RunConfig
    network: Network
    labels: tuple[str, ...]
    device: torch.device
    train: EncodedPairs
    dev: EncodedPairs
    events: Events
    stop: Stop
    parts: tuple[Part, ...] = ()
    workers: Workers = ALONE
    position: Position = field(default_factory=Position)
    optimiser: torch.optim.Optimizer | None = None
    best: dict[str, Tensor] = field(default_factory=dict)
    best_accumulators: dict[str, Tensor] = field(default_factory=dict)
    together: nn.Module = field(init=False)  # the network, its gradients shared with the other processes
    epoch_loss: Tensor = field(init=False)
    epoch_pairs: int = 0
    clock: float = field(default_factory=time.monotonic)
    saved_at: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self.epoch_loss = torch.zeros((), dtype=torch.float64, device=self.device)
        self.together = self.workers.wrap(self.network)

    def save(self) -> None:
        """Writes the checkpoint. Of several processes all must call it, and the first one writes."""
        now = time.monotonic()
        self.position.seconds, self.clock, self.saved_at = self.position.seconds + now - self.clock, now, now
        tensors = {"epoch_loss": self.workers.total(self.epoch_loss)}
        pairs = int(self.workers.total(torch.tensor(self.epoch_pairs)))
        tensors |= numbered("chance", self.workers.gather(torch.get_rng_state()))
        if self.device.type == "cuda":
            tensors |= numbered("chance_cuda", self.workers.gather(torch.cuda.get_rng_state(self.device)))
        if not self.workers.is_first:
            return
        tensors |= {f"network/{name}": tensor for name, tensor in self.network.state_dict().items()}
        tensors |= {f"best/{name}": tensor for name, tensor in self.best.items()}
        tensors |= {f"accumulators/{name}": tensor for name, tensor in self.best_accumulators.items()}
        if self.optimiser is not None:
            for number, values in self.optimiser.state_dict()["state"].items():
                tensors |= {f"optimiser/{number}/{name}": tensor for name, tensor in values.items()}
        facts = {
            "digest": self.config.digest(),
            "epoch_pairs": pairs,
            "position": asdict(self.position),
        }
        checkpoint.save_state(self.config.folder, tensors, facts)

    def restore(self) -> bool:
        """Goes back to the checkpoint, if there is one. Raises BaselineError where it is another run's."""
        state = checkpoint.load_state(self.config.folder)
        if state is None:
            return False
        tensors, facts = state
        if facts["digest"] != self.config.digest():
            raise BaselineError(
                f"The checkpoint in {self.config.folder} is another run's: give this one its own folder."
            )
        self.position = Position(**facts["position"])
        self.network.load_state_dict(under("network/", tensors))
        self.best, self.best_accumulators = under("best/", tensors), under("accumulators/", tensors)
        if self.optimiser is not None:
            self.optimiser.load_state_dict(optimiser_state(self.optimiser, under("optimiser/", tensors)))
        if self.workers.is_first:
            self.epoch_loss.copy_(tensors["epoch_loss"])
            self.epoch_pairs = facts["epoch_pairs"]
        # A run may go on with more processes than it had: those begin with their own chance.
        rank = self.workers.rank
        if f"chance/{rank}" in tensors:
            torch.set_rng_state(tensors[f"chance/{rank}"])
        if self.device.type == "cuda" and f"chance_cuda/{rank}" in tensors:
            torch.cuda.set_rng_state(tensors[f"chance_cuda/{rank}"], self.device)
        return True

    def accumulators(self) -> dict[str, Tensor]:
        """AdaDelta's state by parameter; none with another optimiser."""
        has_some = isinstance(self.optimiser, torch.optim.Adadelta)
        return accumulators_of(self.network, self.optimiser) if self.optimiser and has_some else {}

    def pause_if_asked(self) -> None:
        """Between two batches: writes the checkpoint and raises Stopped where somebody asked for the end."""
        if self.workers.any(self.stop.requested):
            self.save()
            raise Stopped(self.position.step)
        is_time = time.monotonic() - self.saved_at >= self.config.checkpoint_seconds
        if self.workers.any(self.workers.is_first and is_time):
            self.save()

    def predict(self, pairs: EncodedPairs) -> Floats:
        """Probabilities (pairs, labels); can be stopped."""
        return predict(self.network, pairs, len(self.labels), self.device, self.pause_if_asked, self.workers)


def numbered(name: str, tensors: Sequence[Tensor]) -> dict[str, Tensor]:
    """The tensors as `name/0`, `name/1`, ..."""
    return {f"{name}/{number}": tensor for number, tensor in enumerate(tensors)}


def under(prefix: str, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The tensors whose names begin with `prefix`, without it."""
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}


def optimiser_state(optimiser: torch.optim.Optimizer, tensors: Mapping[str, Tensor]) -> dict[str, Any]:
    """What `load_state_dict` wants, from tensors named `parameter number/name`."""
    state: dict[int, dict[str, Tensor]] = {}
    for path, tensor in tensors.items():
        number, name = path.split("/")
        state.setdefault(int(number), {})[name] = tensor
    return {**optimiser.state_dict(), "state": state}


def train_run(config: RunConfig, events: Events, stop: Stop) -> None:
    """Trains, evaluates and writes the run folder; goes on from a checkpoint; a finished run is told again.

    Raises BaselineError for what a person can mend, Stopped after a signal.
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
            checkpoint.drop_checkpoint(config.folder)
            events.emit("done", metrics=metrics)


def train_in_folder(config: RunConfig, events: Events, stop: Stop, workers: Workers) -> dict[str, Any]:
    """The run's metrics; everything else lies in the folder when they are returned."""
    labels = SCHEMES[config.scheme]
    partitions = {name: read_partition(file, labels, config.collapse) for name, file in config.files.items()}
    train, parts = training_pairs(config, partitions["train"], labels)
    partitions["train"] = train
    if not train.pairs:
        raise BaselineError(
            "The training partition has no pair with a gold label: freeze a snapshot that has some."
        )
    training, vocabulary, vectors = prepare(config, partitions, parts, labels, events, stop, workers)
    resumed = training.restore()
    events.emit(
        "started",
        run=config.folder.name,
        train_pairs=len(train.pairs),
        dropped={name: partition.dropped for name, partition in partitions.items()},
        resumed_from_step=training.position.step if resumed else None,
        device=training.device.type,
    )
    for name in HELD_OUT:
        if name not in partitions or not partitions[name].pairs:
            consequence = (
                "nothing stops training early and the last epoch counts"
                if name == "dev"
                else "it has no score"
            )
            events.warn(f"There are no {name} pairs with a gold label: {consequence}.", partition=name)
    if isinstance(config.settings, LearningSettings):
        run_epochs(training, config.settings)
    return finish(training, vocabulary, vectors, partitions)


def prepare(
    config: RunConfig,
    partitions: Mapping[str, Partition],
    parts: tuple[Part, ...],
    labels: tuple[str, ...],
    events: Events,
    stop: Stop,
    workers: Workers,
) -> tuple[Training, Lexicon, WordVectors | None]:
    """The network before its first step, with the pairs that it learns from and is watched on."""
    settings = config.settings
    device = resolve_device(config.device, workers.local)
    torch.set_num_threads(config.threads)
    torch.manual_seed(config.seed)
    train, dev = partitions["train"].pairs, partitions.get("dev", Partition()).pairs
    reads = NETWORKS[type(settings)].reads
    vocabulary: Lexicon = Vocabulary(RESERVED)
    if isinstance(settings, PretrainedSettings):
        vocabulary = Pieces(folder_of(settings.model))
    sides = [tokenise_side(side, train, vocabulary.cut) for side in reads]
    earlier = None if config.start is None else load_start(config, config.start, labels)
    known = RESERVED if earlier is None else earlier.vocabulary.words
    vectors, dimensions = None, 0
    if isinstance(settings, NeuralSettings) and config.vectors is not None:
        vocabulary = build_vocabulary(
            (tokens for side in sides for texts in side for tokens in texts), settings.minimum_count, known
        )
        words = vocabulary.words[len(RESERVED) :]
        vectors = load_vectors(config.vectors, words, config.cache, settings.lowercase_fallback)
        dimensions = vectors.rows.shape[1]
    network = make_network(settings, len(vocabulary), dimensions, len(labels))
    if isinstance(network, Majority):
        network.count(labels_of(train))
    if isinstance(network, ReadingNetwork) and vectors is not None and isinstance(settings, NeuralSettings):
        network.set_vectors(first_table(vectors, settings.oov))
    if earlier is not None and config.start is not None:
        take_weights(network, earlier, config.start.how)
    training = Training(
        config=config,
        network=network.to(device),
        labels=labels,
        device=device,
        train=EncodedPairs(
            tuple(Encoded(side, vocabulary) for side in sides),
            labels_of(train),
            distributions_of(train, len(labels)) if config.soft_labels else None,
        ),
        dev=encode_pairs(dev, reads, vocabulary),
        events=events,
        stop=stop,
        parts=parts,
        workers=workers,
    )
    if not workers.is_first:
        torch.manual_seed(config.seed + OTHER_CHANCE * workers.rank)  # each drops units of its own
    if isinstance(settings, LearningSettings):
        training.optimiser = make_optimiser(network, settings)
        if config.start is not None and config.start.how == "transfer" and settings.optimiser == "adadelta":
            kept = checkpoint.load_accumulators(config.start.folder)
            take_accumulators(network, training.optimiser, kept)
        training.position.learning_rate = settings.learning_rate
    return training, vocabulary, vectors


def first_table(vectors: WordVectors, oov: str) -> Tensor:
    """The word table (words, dimensions) before training, reserved words first.

    A word without a vector, and the unknown word, get the shared vector, or random ones of usual length.
    """
    size = (len(RESERVED) + len(vectors.rows), vectors.rows.shape[1])
    if oov == "random":
        table = torch.randn(size) * float(vectors.rows[vectors.found].std(dtype=np.float64))
    else:
        table = torch.from_numpy(vectors.shared).repeat(size[0], 1)
    table[len(RESERVED) :][torch.from_numpy(vectors.found)] = torch.from_numpy(vectors.rows[vectors.found])
    return table


def make_optimiser(network: Network, settings: LearningSettings) -> torch.optim.Optimizer:
    """The optimiser of everything that is not frozen, in torch's fused form where it has one.

    With a large vocabulary the word table is most of what is updated: plain Adam then takes longer than the
    network. L2 leaves the table out, for it would pull each word to zero at every step that does not see it.
    """
    trained = [parameter for parameter in network.parameters() if parameter.requires_grad]
    table = {id(network.vectors.weight)} if isinstance(network, ReadingNetwork) else set()
    groups = [
        {"params": [one for one in trained if id(one) not in table], "weight_decay": settings.l2},
        {"params": [one for one in trained if id(one) in table], "weight_decay": 0.0},
    ]
    groups = [group for group in groups if group["params"]]
    rate = settings.learning_rate
    match settings.optimiser:
        case "adam":
            return torch.optim.Adam(groups, lr=rate, fused=True)
        case "adadelta":
            return torch.optim.Adadelta(groups, lr=rate, rho=ADADELTA_DECAY)
        case _:
            return torch.optim.SGD(groups, lr=rate, fused=True)


def run_epochs(training: Training, settings: LearningSettings) -> None:
    """Trains to the end; leaves the weights of the best epoch on dev in the network, or the last where there
    is no dev.
    """
    position = training.position
    while not position.is_over:
        run_epoch(training, settings)
    training.save()  # the evaluations to come may be stopped too
    if training.best:
        training.network.load_state_dict(training.best)


def run_epoch(training: Training, settings: LearningSettings) -> None:
    """Goes through the rest of one epoch's batches, then looks at dev."""
    position, config = training.position, training.config
    began = told_at = time.monotonic()
    batches = training_batches(
        training.train, settings.batch_size, config.seed, position.epoch, training.parts
    )
    training.network.train()
    for rows in batches[position.batch :]:
        training.pause_if_asked()
        take_step(training, settings, rows)
        if time.monotonic() - told_at >= PROGRESS_SECONDS:
            told_at = time.monotonic()
            training.events.emit(
                "progress",
                step=position.step,
                steps=len(batches) * settings.epochs,
                epoch=position.epoch + 1,
                epochs=settings.epochs,
                loss=mean_loss(training),
                pairs_per_second=round(position.pairs_per_second(), 1),
                padding=round(position.padding_share(), 4),
            )
    accuracy, loss = dev_accuracy(training), epoch_mean_loss(training)
    training.events.emit(
        "epoch",
        epoch=position.epoch + 1,
        step=position.step,
        loss=loss,
        dev_accuracy=accuracy,
        learning_rate=position.learning_rate,
        seconds=round(time.monotonic() - began, 3),
    )
    end_epoch(training, settings, accuracy)


def take_step(training: Training, settings: LearningSettings, rows: Integers) -> None:
    """One batch forward, backward, and one update of the weights."""
    position, optimiser = training.position, training.optimiser
    assert optimiser is not None
    began = time.monotonic()
    mine, weight = training.workers.share_of(rows)
    batch = training.train.cut(mine, training.device)
    for group in optimiser.param_groups:
        group["lr"] = position.learning_rate
    loss = nn.functional.cross_entropy(training.together(batch), batch.targets)
    optimiser.zero_grad()
    (loss * weight).backward()
    if settings.clip:
        nn.utils.clip_grad_norm_(training.network.parameters(), settings.clip)
    optimiser.step()
    # Summed on the device: asking a GPU for the number at every step would make it wait.
    counted = len(batch) if weight else 0
    training.epoch_loss += loss.detach().double() * counted
    training.epoch_pairs += counted
    padding, cells = batch.cells()
    position.batch += 1
    position.step += 1
    position.pairs += len(rows)
    position.padding += padding
    position.cells += cells
    position.step_seconds += time.monotonic() - began


def mean_loss(training: Training) -> float:
    """The mean loss of the epoch's pairs so far, of several processes of this one's share."""
    return finite(training, float(training.epoch_loss) / training.epoch_pairs)


def epoch_mean_loss(training: Training) -> float:
    """The mean loss of the epoch's pairs, of all processes together."""
    pairs = int(training.workers.total(torch.tensor(training.epoch_pairs)))
    return finite(training, float(training.workers.total(training.epoch_loss)) / pairs)


def finite(training: Training, loss: float) -> float:
    """The loss. Raises BaselineError where it is no number any more."""
    if not math.isfinite(loss):
        raise BaselineError(
            f"The loss is {loss} at step {training.position.step}: set a smaller learning_rate, "
            "or a clip above 0, and start in a new folder."
        )
    return loss


def dev_accuracy(training: Training) -> float | None:
    """The share of dev pairs predicted right; None where there are none."""
    probabilities = training.predict(training.dev)
    return share(probabilities.argmax(axis=1) == training.dev.labels) if len(training.dev) else None


def end_epoch(training: Training, settings: LearningSettings, accuracy: float | None) -> None:
    """Keeps weights that are the best so far, sets the next learning rate, decides whether to go on."""
    position = training.position
    position.epoch += 1
    position.batch = 0
    training.epoch_loss.zero_()
    training.epoch_pairs = 0
    position.learning_rate *= settings.decay
    if accuracy is not None:
        if accuracy > position.best_accuracy:
            position.best_accuracy, position.best_epoch = accuracy, position.epoch
            position.epochs_without_better = 0
            training.best = {
                name: one.detach().clone() for name, one in training.network.state_dict().items()
            }
            training.best_accumulators = training.accumulators()
        else:
            position.epochs_without_better += 1
        # Against the best and not the epoch before, as InferSent does: a slow decline must not go unseen.
        if accuracy < position.best_accuracy:
            position.learning_rate /= settings.shrink
    has_no_patience_left = 0 < settings.patience <= position.epochs_without_better
    is_slow = position.learning_rate < settings.stop_below
    position.is_over = position.epoch >= settings.epochs or has_no_patience_left or is_slow


def finish(
    training: Training,
    vocabulary: Lexicon,
    vectors: WordVectors | None,
    partitions: Mapping[str, Partition],
) -> dict[str, Any]:
    """Scores the trained network, writes the run folder, and answers the metrics, which are written last."""
    config, position, labels, folder = (
        training.config,
        training.position,
        training.labels,
        training.config.folder,
    )
    train = partitions["train"].pairs
    texts = training_texts(train)
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
        "dropped": {name: partition.dropped for name, partition in partitions.items()},
        "train": {"accuracy": share(fitted.argmax(axis=1) == training.train.labels), "genres": dict(genres)},
    }
    overlap: dict[str, dict[str, int]] = {}
    for name in HELD_OUT:
        pairs = partitions.get(name, Partition()).pairs
        encoded = training.dev if name == "dev" else encode_pairs(pairs, training.network.reads, vocabulary)
        probabilities = training.predict(encoded)
        overlap[name] = count_overlap(pairs, texts)
        warn_of_overlap(training.events, name, len(pairs), overlap[name])
        scores = score(pairs, probabilities, labels, genres)
        metrics[name] = {**scores, "overlap": overlap[name]}
        if name in partitions and training.workers.is_first:
            checkpoint.write_predictions(folder, name, pairs, probabilities, labels)
    if not training.workers.is_first:
        return metrics
    checkpoint.save_network(folder, training.network, vocabulary, labels)
    if isinstance(config.settings, PretrainedSettings):
        checkpoint.save_encoder(folder, folder_of(config.settings.model))
    accumulators = training.best_accumulators or training.accumulators()
    if accumulators:
        checkpoint.save_accumulators(folder, accumulators)
    save_training_texts(folder / checkpoint.TRAINING_TEXTS, texts)
    write_json(folder / checkpoint.ENVIRONMENT, environment(config, training.device, vectors))
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
    write_json(folder / checkpoint.METRICS, metrics)
    return metrics


def environment(config: RunConfig, device: torch.device, vectors: WordVectors | None) -> dict[str, Any]:
    """What the numbers were made with: versions, device, vectors. Names no host and no path."""
    more = ("transformers", "tokenizers") if isinstance(config.settings, PretrainedSettings) else ()
    return {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "packages": {name: version(name) for name in (*PACKAGES, *more)},
        "device": torch.cuda.get_device_name() if device.type == "cuda" else "cpu",
        "threads": config.threads,
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
