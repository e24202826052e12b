"""Predict the probabilities of encoded pairs, and choose the device."""

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
    """Returns the device of a config: for "auto" a GPU if there is one, of several the one with the number `local`.

    Raises BaselineError for "cuda" without a GPU.
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
    """Computes the probabilities (pairs, labels), in the order of the pairs, without dropout.

    Calls `between` before each batch; it may raise. Of several processes each predicts a part, and all return the whole.
    Afterwards the network is in the same mode as before.
    """
    probabilities = np.zeros((len(pairs), labels), dtype=np.float32)
    was_training = network.training
    network.eval()
    with torch.inference_mode(), knowing(network, pairs, device):
        batches = in_batches(pairs.by_length(np.arange(len(pairs))), PREDICTION_BATCH)
        for number, rows in enumerate(batches):
            between()  # every process calls it at every batch, because there they agree on whether to stop
            if number % workers.count == workers.rank:
                logits = network(pairs.cut(rows, device))
                probabilities[rows] = logits.softmax(dim=1).cpu().numpy()
    network.train(was_training)
    return workers.merge(probabilities)


def knowing(network: Network, pairs: EncodedPairs, device: torch.device) -> AbstractContextManager[None]:
    """Lets the network know, in this context, the further words of the pairs."""
    if pairs.further is None or not len(pairs.further) or not isinstance(network, ReadingNetwork):
        return nullcontext()
    return network.knowing(torch.from_numpy(pairs.further).to(device))
