"""The networks, by file; each is made from its settings, the size of its word table, and its labels."""

from importlib import import_module
from typing import Any

from modeling.baselines import settings as of
from modeling.baselines.networks.fitted import FittedNetwork
from modeling.baselines.networks.layers import Network, ReadingNetwork

# Settings -> file and class. A program that trains one network loads no other.
NETWORKS: dict[type[of.Settings], tuple[str, str]] = {
    of.MajoritySettings: ("fitted", "Majority"),
    of.VotingSettings: ("voting", "Voting"),
    of.HypothesisOnlySettings: ("infersent", "HypothesisOnly"),
    of.InferSentSettings: ("infersent", "InferSent"),
    of.CBOWSettings: ("cbow", "CBOW"),
    of.BiLSTMSettings: ("bilstm", "MeanBiLSTM"),
    of.ESIMSettings: ("esim", "ESIM"),
    of.SumOfWordsSettings: ("sum_of_words", "SumOfWords"),
    of.RNNSettings: ("sum_of_words", "RNN"),
    of.LSTMSettings: ("sum_of_words", "LSTM"),
    of.ConditionalLSTMSettings: ("conditional_lstm", "ConditionalLSTM"),
    of.WordAttentionSettings: ("word_attention", "WordAttention"),
    of.SumOfExpertsSettings: ("sum_of_experts", "SumOfExperts"),
    of.AttentiveExpertsSettings: ("sum_of_experts", "AttentiveExperts"),
    of.EditDistanceSettings: ("edit_distance", "EditDistance"),
    of.OverlapClassifierSettings: ("fitted", "OverlapClassifier"),
    of.WordNetClassifierSettings: ("fitted", "OverlapClassifier"),
    of.LexicalizedSettings: ("fitted", "Lexicalized"),
    of.PretrainedSettings: ("pretrained", "Pretrained"),
    of.PretrainedHypothesisSettings: ("pretrained", "PretrainedHypothesis"),
}

__all__ = ["NETWORKS", "FittedNetwork", "Network", "ReadingNetwork", "make_network", "network_of"]


def network_of(settings: type[of.Settings]) -> Any:
    """Returns the class of the network. Any: each class takes its own settings, and the key beside it says which."""
    file, name = NETWORKS[settings]
    return getattr(import_module(f"{__name__}.{file}"), name)


def make_network(settings: of.Settings, words: int, dimensions: int, labels: int) -> Network:
    """Returns the network of these settings with fresh weights. Its word table is (words, dimensions)."""
    network: Network = network_of(type(settings))(settings, words, dimensions, labels)
    return network
