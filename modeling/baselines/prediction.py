"""A network and encoded pairs -> probabilities, and the device that this happens on."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

import numpy as np
import numpy.typing as npt
import torch

from modeling.baselines.batches import EncodedPairs, in_batches
from modeling.baselines.errors import BaselineError
from modeling.baselines.networks import Network, ReadingNetwork
from modeling.baselines.workers import Workers

Floats = npt.NDArray[np.float32]

ALONE = Workers()
PREDICTION_BATCH = 256  # no gradients are kept, so batches may be larger than in training


def resolve_device(name: str, local: int = 0) -> torch.device:
    """A config's device: for "auto" a GPU where there is one, of several the one numbered `local`.

    Raises BaselineError for a "cuda" that is not there.
    """
    if name == "cuda" and not torch.cuda.is_available():
        raise BaselineError('This machine has no GPU that torch can use: set device to "cpu" or "auto".')
    on_gpu = name != "cpu" and torch.cuda.is_available()
    return torch.device("cuda", local) if on_gpu else torch.device("cpu")


def predict(
    network: Network,
    pairs: EncodedPairs,
    labels: int,
    device: torch.device,
    between: Callable[[], None],
    workers: Workers = ALONE,
) -> Floats:
    """Probabilities (pairs, labels) in the pairs' order. Calls `between` before each batch: it may raise.
    Several processes each do a part, and all have the whole.

    Without dropout; the network is put back into the mode that it was in.
    """
    probabilities = np.zeros((len(pairs), labels), dtype=np.float32)
    was_training = network.training
    network.eval()
    with torch.inference_mode(), knowing(network, pairs, device):
        batches = in_batches(pairs.by_length(np.arange(len(pairs))), PREDICTION_BATCH)
        for number, rows in enumerate(batches):
            between()  # by every process at every batch: what happens there they do together
            if number % workers.count == workers.rank:
                logits = network(pairs.cut(rows, device))
                probabilities[rows] = logits.softmax(dim=1).cpu().numpy()
    network.train(was_training)
    return workers.merge(probabilities)


def knowing(network: Network, pairs: EncodedPairs, device: torch.device) -> AbstractContextManager[None]:
    """While it lasts, the network knows the words that the pairs have besides the vocabulary's."""
    if pairs.further is None or not len(pairs.further) or not isinstance(network, ReadingNetwork):
        return nullcontext()
    return network.knowing(torch.from_numpy(pairs.further).to(device))
