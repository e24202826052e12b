"""The networks, by file; each is made from its settings, the size of its word table, and its labels."""

from typing import Any

from modeling.baselines import settings as of
from modeling.baselines.networks.bilstm import MeanBiLSTM
from modeling.baselines.networks.cbow import CBOW
from modeling.baselines.networks.conditional_lstm import ConditionalLSTM
from modeling.baselines.networks.edit_distance import EditDistance
from modeling.baselines.networks.esim import ESIM
from modeling.baselines.networks.fitted import FittedNetwork, Lexicalized, OverlapClassifier
from modeling.baselines.networks.hypothesis_only import HypothesisOnly
from modeling.baselines.networks.infersent import InferSent
from modeling.baselines.networks.layers import Network, ReadingNetwork
from modeling.baselines.networks.majority import Majority
from modeling.baselines.networks.pretrained import Pretrained, PretrainedHypothesis
from modeling.baselines.networks.rnn import LSTM, RNN
from modeling.baselines.networks.sum_of_experts import AttentiveExperts, SumOfExperts
from modeling.baselines.networks.sum_of_words import SumOfWords
from modeling.baselines.networks.voting import Voting
from modeling.baselines.networks.word_attention import WordAttention

# Any: each class takes its own settings, and the key beside it says which.
NETWORKS: dict[type[of.Settings], Any] = {
    of.MajoritySettings: Majority,
    of.VotingSettings: Voting,
    of.HypothesisOnlySettings: HypothesisOnly,
    of.InferSentSettings: InferSent,
    of.CBOWSettings: CBOW,
    of.BiLSTMSettings: MeanBiLSTM,
    of.ESIMSettings: ESIM,
    of.SumOfWordsSettings: SumOfWords,
    of.RNNSettings: RNN,
    of.LSTMSettings: LSTM,
    of.ConditionalLSTMSettings: ConditionalLSTM,
    of.WordAttentionSettings: WordAttention,
    of.SumOfExpertsSettings: SumOfExperts,
    of.AttentiveExpertsSettings: AttentiveExperts,
    of.EditDistanceSettings: EditDistance,
    of.OverlapClassifierSettings: OverlapClassifier,
    of.WordNetClassifierSettings: OverlapClassifier,
    of.LexicalizedSettings: Lexicalized,
    of.PretrainedSettings: Pretrained,
    of.PretrainedHypothesisSettings: PretrainedHypothesis,
}

__all__ = ["NETWORKS", "FittedNetwork", "Network", "ReadingNetwork", "make_network"]


def make_network(settings: of.Settings, words: int, dimensions: int, labels: int) -> Network:
    """Make the network of these settings with fresh weights. Its word table is (words, dimensions)."""
    network: Network = NETWORKS[type(settings)](settings, words, dimensions, labels)
    return network
