"""The state of a training: network, optimiser, position; saved to and restored from a checkpoint. Sets its precision."""

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import cast

import torch
from torch import Tensor, nn

from modeling.baselines import checkpoint
from modeling.baselines.batches import EncodedPairs, Part
from modeling.baselines.config import RunConfig
from modeling.baselines.dynamics import no_dynamics
from modeling.baselines.errors import BaselineError, Stopped
from modeling.baselines.networks import Network
from modeling.baselines.networks.layers import BiLSTM, PackedLSTM
from modeling.baselines.networks.word_attention import WordAttention
from modeling.baselines.optimisers import optimiser_state
from modeling.baselines.prediction import ALONE, Floats, predict
from modeling.baselines.program import Events, Stop
from modeling.baselines.regimes import NOTHING_BEFORE, LearntBefore, accumulators_of
from modeling.baselines.settings import LearningSettings, Settings
from modeling.baselines.vectors import WordVectors, require_same
from modeling.baselines.workers import Workers
from nli.lines import HELD_OUT


def in_precision(settings: LearningSettings, device: torch.device) -> torch.autocast:
    """Returns a context in which products have the precision of the settings."""
    return torch.autocast(device.type, torch.bfloat16, enabled=settings.precision == "bfloat16")


def compiled(module: nn.Module, settings: Settings, cache: Path) -> nn.Module:
    """Compiles the module if the settings ask for it, for shapes that differ from batch to batch.

    Recurrent layers are left out: they would be compiled again for each length.
    """
    if not isinstance(settings, LearningSettings) or not settings.compile:
        return module
    for one in module.modules():
        if isinstance(one, BiLSTM | PackedLSTM | nn.RNNBase):
            one.forward = torch.compiler.disable(one.forward)  # type: ignore[method-assign]
        elif isinstance(one, WordAttention):
            one.look = torch.compiler.disable(one.look)  # type: ignore[method-assign]
    os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", str(cache / "compiled"))
    return cast(nn.Module, torch.compile(module, dynamic=True))


HELD_BACK = "held_back"  # training pairs that stop the training where there is no dev
UNSCORED = {name: f"unscored {name}" for name in HELD_OUT}  # pairs whose labels are withheld


@dataclass
class Position:
    """The position of a training, without tensors. JSON-ready; stored in the checkpoint."""

    epoch: int = 0
    batch: int = 0
    step: int = 0
    learning_rate: float = 0.0
    best_accuracy: float = -1.0
    best_epoch: int = 0
    epochs_without_better: int = 0
    has_learnt: bool = False  # whether an epoch was clearly better than chance; patience counts from there
    is_over: bool = False
    cells: int = 0
    padding: int = 0
    pairs: int = 0
    step_seconds: float = 0.0
    seconds: float = 0.0

    def padding_share(self) -> float:
        """Computes the share of cells that were padding."""
        return self.padding / self.cells if self.cells else 0.0

    def pairs_per_second(self) -> float:
        """Computes the training pairs per second, without the time of evaluations."""
        return self.pairs / self.step_seconds if self.step_seconds else 0.0


@dataclass
class Training:
    """The state that the training loop reads and changes."""

    config: RunConfig
    network: Network
    labels: tuple[str, ...]
    device: torch.device
    train: EncodedPairs
    held_out: Mapping[str, EncodedPairs]
    events: Events
    stop: Stop
    parts: tuple[Part, ...] = ()
    workers: Workers = ALONE
    vectors: WordVectors | None = None
    learnt_before: LearntBefore = NOTHING_BEFORE
    position: Position = field(default_factory=Position)
    optimiser: torch.optim.Optimizer | None = None
    best: dict[str, Tensor] = field(default_factory=dict)
    best_accumulators: dict[str, Tensor] = field(default_factory=dict)
    together: nn.Module = field(init=False)  # the network, whose gradients are shared with other processes
    epoch_loss: Tensor = field(init=False)
    epoch_pairs: int = 0
    dynamics: Tensor = field(init=False)  # see dynamics.py; each process records its own pairs
    clock: float = field(default_factory=time.monotonic)
    saved_at: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self.epoch_loss = torch.zeros((), dtype=torch.float64, device=self.device)
        self.dynamics = no_dynamics(len(self.train), self.device)
        self.together = compiled(self.workers.wrap(self.network), self.config.settings, self.config.cache)

    @property
    def stops_on(self) -> EncodedPairs:
        """Returns the pairs whose accuracy stops the training and chooses its epoch: dev, or those that are held back."""
        return self.held_out["dev"] if len(self.held_out["dev"]) else self.held_out[HELD_BACK]

    def save(self) -> None:
        """Writes the checkpoint. Of several processes all must call this; the first writes."""
        now = time.monotonic()
        self.position.seconds, self.clock, self.saved_at = self.position.seconds + now - self.clock, now, now
        tensors = {
            "epoch_loss": self.workers.total(self.epoch_loss),
            "dynamics": self.workers.total(self.dynamics),
        }
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
            "vectors": self.vectors and {"source": self.vectors.source, "digest": self.vectors.digest},
            "position": asdict(self.position),
        }
        checkpoint.save_state(self.config.folder, tensors, facts)

    def restore(self) -> bool:
        """Restores the checkpoint; False if there is none. Raises BaselineError if it is of another run, or of other word
        vectors.
        """
        state = checkpoint.load_state(self.config.folder)
        if state is None:
            return False
        tensors, facts = state
        if facts["digest"] != self.config.digest():
            raise BaselineError(
                f"The checkpoint in {self.config.folder} is another run's: give this one its own folder."
            )
        if self.vectors is not None:
            source = str(self.config.vectors)
            require_same(source, self.vectors.digest, facts.get("vectors"), self.config.folder)
        self.position = Position(**facts["position"])
        self.network.load_state_dict(under("network/", tensors))
        self.best, self.best_accumulators = under("best/", tensors), under("accumulators/", tensors)
        if self.optimiser is not None:
            self.optimiser.load_state_dict(optimiser_state(self.optimiser, under("optimiser/", tensors)))
        if self.workers.is_first:
            self.epoch_loss.copy_(tensors["epoch_loss"])
            self.dynamics.copy_(tensors["dynamics"])
            self.epoch_pairs = facts["epoch_pairs"]
        # A run may continue with more processes than before: the new ones start with random numbers of their own.
        rank = self.workers.rank
        if f"chance/{rank}" in tensors:
            torch.set_rng_state(tensors[f"chance/{rank}"])
        if self.device.type == "cuda" and f"chance_cuda/{rank}" in tensors:
            torch.cuda.set_rng_state(tensors[f"chance_cuda/{rank}"], self.device)
        return True

    def accumulators(self) -> dict[str, Tensor]:
        """Returns AdaDelta's state by parameter; {} with another optimiser."""
        has_some = isinstance(self.optimiser, torch.optim.Adadelta)
        return accumulators_of(self.network, self.optimiser) if self.optimiser and has_some else {}

    def pause_if_asked(self) -> None:
        """Writes the checkpoint if it is time, and raises Stopped if the run was asked to end. Called between batches."""
        if self.workers.any(self.stop.requested):
            self.save()
            raise Stopped(self.position.step)
        is_time = time.monotonic() - self.saved_at >= self.config.checkpoint_seconds
        if self.workers.any(self.workers.is_first and is_time):
            self.save()

    def predict(self, pairs: EncodedPairs) -> Floats:
        """Predicts probabilities (pairs, labels); can be stopped."""
        return predict(self.network, pairs, len(self.labels), self.device, self.pause_if_asked, self.workers)


def numbered(name: str, tensors: Sequence[Tensor]) -> dict[str, Tensor]:
    """Names the tensors `name/0`, `name/1`, ..."""
    return {f"{name}/{number}": tensor for number, tensor in enumerate(tensors)}


def under(prefix: str, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Returns the tensors whose names begin with `prefix`, without the prefix."""
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}
