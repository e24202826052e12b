"""CBOW: continuous bag of words (MultiNLI paper, section 3)."""

from torch import Tensor

from modeling.baselines.batches import Batch
from modeling.baselines.networks.layers import ReadingNetwork, matching_features, tanh_classifier
from modeling.baselines.settings import CBOWSettings


class CBOW(ReadingNetwork):
    """Each sentence is the sum of its word vectors; [u; v; u-v; u*v], one tanh layer, softmax.

    As in the paper: a hidden layer of 300; vectors begin with GloVe's, are tuned, and are random where GloVe has none;
    Adam with its default rate of 0.001; dropout 0.1 (0.2 for single genres: set it). Differences: vectors have the
    dimensions of the source (50 in the package, 300 there). The paper names neither batch size nor number of epochs
    nor how other weights begin: here 32, up to twenty with a patience of three, and torch's own beginning. Multiple
    premises are summed as one text.
    """

    def __init__(self, settings: CBOWSettings, words: int, dimensions: int, labels: int) -> None:
        super().__init__(words, dimensions, settings.train_vectors)
        self.combine = settings.combine
        self.classifier = tanh_classifier(4 * dimensions, settings.hidden, settings.dropout, labels)

    def forward(self, batch: Batch) -> Tensor:
        """Logits (batch, labels)."""
        premise, hypothesis = (self.combined_vectors(side, self.combine) for side in batch.sentences)
        logits: Tensor = self.classifier(matching_features(premise, hypothesis))
        return logits
