"""BiLSTM: the mean of a bidirectional LSTM's states (MultiNLI paper, section 3)."""

from torch import Tensor

from modeling.baselines.batches import Batch, Sentences
from modeling.baselines.networks.layers import (
    BiLSTM,
    ReadingNetwork,
    matching_features,
    mean_of,
    tanh_classifier,
)
from modeling.baselines.settings import BiLSTMSettings


class MeanBiLSTM(ReadingNetwork):
    """Each sentence is the mean of its states, 300 in each direction; then as CBOW.

    Differences from the paper: those of CBOW (cbow.py). Weights begin as torch makes them; the paper is silent.
    """

    def __init__(self, settings: BiLSTMSettings, words: int, dimensions: int, labels: int) -> None:
        super().__init__(words, dimensions, settings.train_vectors)
        self.encoder = BiLSTM(dimensions, settings.states)
        self.classifier = tanh_classifier(8 * settings.states, settings.hidden, settings.dropout, labels)

    def forward(self, batch: Batch) -> Tensor:
        """Logits (batch, labels)."""
        premise, hypothesis = map(self.encode, batch.sentences)
        logits: Tensor = self.classifier(matching_features(premise, hypothesis))
        return logits

    def encode(self, sentences: Sentences) -> Tensor:
        """(batch, 2 * states): the mean over the words."""
        states = self.encoder(self.words_of(sentences), sentences.lengths, outside=0.0)
        return mean_of(states, sentences.lengths)
