"""CBOW: continuous bag of words (MultiNLI paper, section 3)."""

from torch import Tensor

from modeling.baselines.batches import Batch
from modeling.baselines.networks.layers import ReadingNetwork, matching_features, tanh_classifier
from modeling.baselines.settings import CBOWSettings


class CBOW(ReadingNetwork):
    """Each sentence is the sum of its word vectors; [u; v; u-v; u*v], one tanh layer, softmax.

    A sum grows with the sentence, and with long sentences the tanh layer saturates: the network then stays at chance. So
    the sums are multiplied by `scale`, 1 as published. It is the same network, since the layer's weights could hold the
    factor: it begins with smaller ones. Several premises are one text.
    """

    def __init__(self, settings: CBOWSettings, words: int, dimensions: int, labels: int) -> None:
        super().__init__(words, dimensions, settings.train_vectors)
        self.scale = settings.scale
        self.classifier = tanh_classifier(4 * dimensions, settings.hidden, settings.dropout, labels)

    def forward(self, batch: Batch) -> Tensor:
        """Returns the logits (batch, labels)."""
        premise, hypothesis = (self.scale * self.sum_of_words(side) for side in batch.sentences)
        logits: Tensor = self.classifier(matching_features(premise, hypothesis))
        return logits
