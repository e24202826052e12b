"""CBOW: continuous bag of words (MultiNLI paper, section 3)."""

from torch import Tensor

from modeling.baselines.batches import Batch
from modeling.baselines.networks.layers import ReadingNetwork, matching_features, tanh_classifier
from modeling.baselines.settings import CBOWSettings


class CBOW(ReadingNetwork):
    """Each sentence is the sum of its word vectors; [u; v; u-v; u*v], one tanh layer, softmax.

    Differences from the paper: vectors have the dimensions of the source (50 in the package, 300 there), and
    the vocabulary holds only words of the training partition. The paper names neither batch size nor number
    of epochs: here 32, and up to twenty with a patience of three. Multiple premises are summed as one text.
    """

    def __init__(self, settings: CBOWSettings, words: int, dimensions: int, labels: int) -> None:
        super().__init__(words, dimensions, settings.train_vectors)
        self.classifier = tanh_classifier(4 * dimensions, settings.hidden, settings.dropout, labels)

    def forward(self, batch: Batch) -> Tensor:
        """Logits (batch, labels)."""
        premise, hypothesis = map(self.sum_of_vectors, batch.sentences)
        logits: Tensor = self.classifier(matching_features(premise, hypothesis))
        return logits
