"""RNN and LSTM: SNLI's second and third sentence models (SNLI paper, 3.3)."""

from typing import ClassVar

from torch import Tensor, nn

from modeling.baselines.networks.layers import last_of, single
from modeling.baselines.networks.sum_of_words import SumOfWords
from modeling.baselines.settings import SumOfWordsSettings


class RNN(SumOfWords):
    """The last state of a plain tanh recurrent network of 100 units."""

    reads_with: ClassVar[type[nn.RNN] | type[nn.LSTM]] = nn.RNN

    def __init__(self, settings: SumOfWordsSettings, words: int, dimensions: int, labels: int) -> None:
        super().__init__(settings, words, dimensions, labels)
        self.reader = self.reads_with(settings.size, settings.size, batch_first=True)

    def read(self, words: Tensor, lengths: Tensor) -> Tensor:
        """Returns (batch, size): the output at the last word."""
        with single(words):
            outputs, _ = self.reader(words.float())
        return last_of(outputs, lengths)


class LSTM(RNN):
    """The last output of an LSTM of 100 units."""

    reads_with = nn.LSTM
