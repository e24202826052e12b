"""The networks, one file each; each is made from its settings, the size of its word table, and its labels."""

from typing import Any

from modeling.baselines.networks.cbow import CBOW
from modeling.baselines.networks.hypothesis_only import HypothesisOnly
from modeling.baselines.networks.layers import Network, ReadingNetwork
from modeling.baselines.networks.majority import Majority
from modeling.baselines.settings import CBOWSettings, HypothesisOnlySettings, MajoritySettings, Settings

# Any: each class takes its own settings, and the key beside it says which.
NETWORKS: dict[type[Settings], Any] = {
    MajoritySettings: Majority,
    HypothesisOnlySettings: HypothesisOnly,
    CBOWSettings: CBOW,
}

__all__ = ["NETWORKS", "Majority", "Network", "ReadingNetwork", "make_network"]


def make_network(settings: Settings, words: int, dimensions: int, labels: int) -> Network:
    """The network of these settings with fresh weights. Its word table is (words, dimensions)."""
    network: Network = NETWORKS[type(settings)](settings, words, dimensions, labels)
    return network
