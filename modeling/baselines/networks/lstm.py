"""LSTM: SNLI's third sentence model (SNLI paper, 3.3)."""

from torch import Tensor, nn

from modeling.baselines.networks.layers import last_of, single
from modeling.baselines.networks.sum_of_words import SumOfWords
from modeling.baselines.settings import LSTMSettings


class LSTM(SumOfWords):
    """The last output of an LSTM of 100 units."""

    def __init__(self, settings: LSTMSettings, words: int, dimensions: int, labels: int) -> None:
        super().__init__(settings, words, dimensions, labels)
        self.reader = nn.LSTM(settings.size, settings.size, batch_first=True)

    def read(self, words: Tensor, lengths: Tensor) -> Tensor:
        """Return (batch, size): the output at the last word."""
        with single(words):
            outputs, _ = self.reader(words.float())
        return last_of(outputs, lengths)
