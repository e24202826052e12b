"""Make the optimisers of the papers, and read their state from a checkpoint."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from modeling.baselines.networks import Network, ReadingNetwork
from modeling.baselines.settings import LearningSettings

ADADELTA_DECAY = 0.95  # Zeiler's own; torch's default is another


def make_optimiser(network: Network, settings: LearningSettings) -> torch.optim.Optimizer:
    """Makes the optimiser of all parameters that are not frozen, in torch's fused form if it has one.

    With a large vocabulary most parameters are word vectors: plain Adam then takes longer than the network. L2 leaves
    the word vectors out: at every step it would shrink the vectors of all words that do not occur in it.
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


def optimiser_state(optimiser: torch.optim.Optimizer, tensors: Mapping[str, Tensor]) -> dict[str, Any]:
    """Builds the argument of `load_state_dict` from tensors named `parameter number/name`."""
    state: dict[int, dict[str, Tensor]] = {}
    for path, tensor in tensors.items():
        number, name = path.split("/")
        state.setdefault(int(number), {})[name] = tensor
    return {**optimiser.state_dict(), "state": state}
