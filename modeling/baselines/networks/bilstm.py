"""BiLSTM: the mean of a bidirectional LSTM's states (MultiNLI paper, section 3)."""

from torch import Tensor

from modeling.baselines.batches import Batch
from modeling.baselines.networks.layers import (
    BiLSTM,
    ReadingNetwork,
    lengths_of,
    matching_features,
    mean_of,
    tanh_classifier,
)
from modeling.baselines.networks.recurrence import steps_of
from modeling.baselines.settings import BiLSTMSettings


class MeanBiLSTM(ReadingNetwork):
    """Each sentence is the mean of its states, 300 in each direction; then as CBOW."""

    def __init__(self, settings: BiLSTMSettings, words: int, dimensions: int, labels: int) -> None:
        super().__init__(words, dimensions, settings.train_vectors)
        self.encoder = BiLSTM(dimensions, settings.states)
        self.classifier = tanh_classifier(8 * settings.states, settings.hidden, settings.dropout, labels)

    def forward(self, batch: Batch) -> Tensor:
        """Returns the logits (batch, labels)."""
        steps = steps_of(batch.sentences)
        states = self.encoder(*self.distinct_words(steps), steps)
        premise, hypothesis = mean_of(steps.spread(states, 0.0), lengths_of(batch)).chunk(2)
        logits: Tensor = self.classifier(matching_features(premise, hypothesis))
        return logits
