"""RNN: SNLI's second sentence model (SNLI paper, 3.3)."""

from torch import Tensor, nn

from modeling.baselines.networks.layers import last_of, single
from modeling.baselines.networks.sum_of_words import SumOfWords
from modeling.baselines.settings import RNNSettings


class RNN(SumOfWords):
    """The last state of a plain tanh recurrent network of 100 units."""

    def __init__(self, settings: RNNSettings, words: int, dimensions: int, labels: int) -> None:
        super().__init__(settings, words, dimensions, labels)
        self.reader = nn.RNN(settings.size, settings.size, batch_first=True)

    def read(self, words: Tensor, lengths: Tensor) -> Tensor:
        """Return (batch, size): the state after the last word."""
        with single(words):
            states, _ = self.reader(words.float())
        return last_of(states, lengths)
