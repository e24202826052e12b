"""Choose the training pairs and the first weights, if these are not one whole snapshot and new weights."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from modeling.baselines import checkpoint
from modeling.baselines.batches import Part
from modeling.baselines.checkpoint import FinishedRun
from modeling.baselines.config import WEIGHTS, RunConfig, Start
from modeling.baselines.data import Pair, Partition, held_back, read_partition
from modeling.baselines.errors import BaselineError
from modeling.baselines.files import sha256_of
from modeling.baselines.networks import Network
from modeling.baselines.overlap import TrainingTexts, load_training_texts


def training_pairs(
    config: RunConfig, train: Partition, labels: Sequence[str]
) -> tuple[Partition, tuple[Part, ...], Partition]:
    """Returns all training pairs, those of the run's own snapshot first, the parts from which an epoch draws, and the pairs
    of the own snapshot that are held back.
    """
    own = some(of_genre(train.pairs, config.genre), config.most, config.seed)
    pairs, held = held_back(own, config.held_back, config.seed)
    parts, dropped = [Part(0, len(pairs))], train.dropped
    for number, mixed in enumerate(config.mixed, start=1):
        more = read_partition(mixed.file, labels, config.collapse)
        begin = len(pairs)
        # All pairs of a smaller corpus: some recast sets have fewer pairs than the paper took of each.
        most = None if mixed.most is None else min(mixed.most, len(more.pairs))
        pairs += some(more.pairs, most, config.seed + number)
        parts.append(Part(begin, len(pairs), mixed.share))
        dropped += more.dropped
    taken = tuple(part for part in parts if part.stop > part.start)
    return Partition(tuple(pairs), dropped), taken, Partition(tuple(held))


def of_genre(pairs: Sequence[Pair], genre: str | None) -> Sequence[Pair]:
    """Returns the pairs of one genre, or all. Raises BaselineError, with the genres, if the genre has no pairs."""
    if genre is None:
        return pairs
    chosen = [pair for pair in pairs if pair.genre == genre]
    if not chosen:
        there = ", ".join(sorted({pair.genre for pair in pairs})) or "none"
        raise BaselineError(f"No training pair is of the genre {genre!r}. The genres: {there}.")
    return chosen


def some(pairs: Sequence[Pair], most: int | None, seed: int) -> Sequence[Pair]:
    """Draws `most` of the pairs, in the order of the file. A larger `most` takes the same pairs and more.

    Raises BaselineError if there are fewer: a curve over sizes must not show one size twice.
    """
    if most is None:
        return pairs
    if most > len(pairs):
        raise BaselineError(
            f"There are {len(pairs)} training pairs, fewer than the {most} of `most`: set at most {len(pairs)}."
        )
    order = np.random.Generator(np.random.PCG64([seed, 0])).permutation(len(pairs))
    return [pairs[place] for place in sorted(order[:most])]


def load_start(config: RunConfig, start: Start, labels: Sequence[str]) -> FinishedRun:
    """Loads the run to start from. Raises BaselineError if its baseline, labels or weights do not fit."""
    run = checkpoint.load_run(start.folder)
    if sha256_of(start.folder / WEIGHTS) != start.weights:
        raise BaselineError(f"The weights in {start.folder} changed meanwhile: start this run again.")
    if run.config["baseline"] != config.baseline:
        raise BaselineError(
            f"The run to start from has the baseline {run.config['baseline']}, this one has {config.baseline}:"
            " name a run of the same baseline."
        )
    if start.how == "update" and run.labels != tuple(labels):
        raise BaselineError(
            f"The run to start from has the labels {', '.join(run.labels)}, this one {', '.join(labels)}: "
            'start with how = "transfer", which makes the softmax anew.'
        )
    return run


@dataclass(frozen=True)
class LearntBefore:
    """What the run to start from, and those before it, learnt from: digests of texts, and genres."""

    texts: TrainingTexts
    genres: frozenset[str]


NOTHING_BEFORE = LearntBefore(TrainingTexts(), frozenset())


def learnt_before(start: Start | None, run: FinishedRun | None) -> LearntBefore:
    """Reads what the run in `start` learnt from. Read before training: afterwards its folder may be gone."""
    if start is None or run is None:
        return NOTHING_BEFORE
    texts = load_training_texts(start.folder / checkpoint.TRAINING_TEXTS)
    return LearntBefore(texts, learnt_genres(run.metrics))


def learnt_genres(metrics: Mapping[str, Any]) -> frozenset[str]:
    """Returns the genres that a finished run, and the runs before it, learnt from."""
    train = metrics["train"]
    return frozenset((*train["genres"], *train.get("genres_before", ())))


def take_weights(network: Network, run: FinishedRun, how: str) -> None:
    """Copies the weights of the earlier run. Words that it did not know keep their vectors, and after "transfer" the softmax
    keeps its new weights (SNLI paper, section 4).

    The vocabulary must begin with the words of that run. Raises BaselineError if sizes differ.
    """
    anew = softmax_names(network) if how == "transfer" else ()
    known = run.network.state_dict()
    with torch.no_grad():
        for name, tensor in network.state_dict().items():
            if name in anew:
                continue
            part = tensor[: len(known[name])] if name == "vectors.weight" else tensor
            if part.shape != known[name].shape:
                raise BaselineError(
                    f"{name} is {tuple(part.shape)} here and {tuple(known[name].shape)} in the run to start from: "
                    "give both the same settings and vectors of the same dimensions."
                )
            part.copy_(known[name])


def softmax_names(network: Network) -> tuple[str, str]:
    """Returns the names of the parameters of the last linear layer."""
    last = [name for name, module in network.named_modules() if isinstance(module, nn.Linear)][-1]
    return f"{last}.weight", f"{last}.bias"


def accumulators_of(network: Network, optimiser: torch.optim.Optimizer) -> dict[str, Tensor]:
    """Returns AdaDelta's state as {`parameter/name`: tensor}."""
    names = {id(parameter): name for name, parameter in network.named_parameters()}
    return {
        f"{names[id(parameter)]}/{name}": tensor.detach().clone()
        for parameter, state in optimiser.state.items()
        for name, tensor in state.items()
    }


def take_accumulators(
    network: Network, optimiser: torch.optim.Optimizer, accumulators: Mapping[str, Tensor]
) -> None:
    """Continues with the accumulators of an earlier run: the first steps are small, and what it learnt is not lost.

    The new softmax and new words start without accumulators. Raises BaselineError if a parameter has none.
    """
    anew = softmax_names(network)
    for name, parameter in network.named_parameters():
        if not parameter.requires_grad or name in anew:
            continue
        state = {}
        for part in ("step", "square_avg", "acc_delta"):
            if f"{name}/{part}" not in accumulators:
                raise BaselineError(
                    f"The accumulators have none for {name}: give both runs the same settings."
                )
            stored = accumulators[f"{name}/{part}"]
            if stored.dim():
                whole = torch.zeros_like(parameter)
                whole[: len(stored)] = stored.to(whole.device)
                stored = whole
            state[part] = stored.clone()
        optimiser.state[parameter] = state
