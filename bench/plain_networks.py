"""ESIM and InferSent's encoder in torch's own layers, to compare the speed of ours with.

Sentences are padded, packed for the LSTMs and padded again; premise and hypothesis are encoded separately. Sizes,
dropout, optimiser and batches are those of our baselines.
"""

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from modeling.baselines.batches import Batch, Sentences
from modeling.baselines.networks.layers import ReadingNetwork, tanh_classifier
from modeling.baselines.settings import ESIMSettings, InferSentSettings

FAR = -1e9  # added to what a softmax or a maximum must not choose


class PlainEncoder(nn.Module):
    """(batch, longest, inputs) and lengths -> (batch, longest, 2 * states)."""

    def __init__(self, inputs: int, states: int) -> None:
        super().__init__()
        self.lstm = nn.LSTM(inputs, states, batch_first=True, bidirectional=True)

    def forward(self, inputs: Tensor, lengths: Tensor) -> Tensor:
        packed = pack_padded_sequence(inputs, lengths.clamp(min=1), batch_first=True, enforce_sorted=False)
        states: Tensor = pad_packed_sequence(
            self.lstm(packed)[0], batch_first=True, total_length=inputs.shape[1]
        )[0]
        return states


def is_word(side: Sentences) -> Tensor:
    """Returns (batch, longest, 1): 1 for words, 0 for padding."""
    return (torch.arange(side.tokens.shape[1]) < side.lengths[:, None])[:, :, None].float()


class PlainESIM(ReadingNetwork):
    def __init__(self, settings: ESIMSettings, words: int, dimensions: int, labels: int) -> None:
        super().__init__(words, dimensions, settings.train_vectors)
        states = settings.states
        self.dropout = nn.Dropout(settings.dropout)
        self.encoder = PlainEncoder(dimensions, states)
        self.projection = nn.Sequential(nn.Linear(8 * states, states), nn.ReLU())
        self.composer = PlainEncoder(states, states)
        self.classifier = tanh_classifier(8 * states, settings.hidden, settings.dropout, labels)

    def forward(self, batch: Batch) -> Tensor:
        premise, hypothesis = batch.sentences
        a, b = (self.encoder(self.dropout(self.words_of(side)), side.lengths) for side in batch.sentences)
        fit = a @ b.transpose(1, 2)
        of_a = (fit + FAR * (1 - is_word(hypothesis).transpose(1, 2))).softmax(dim=2) @ b
        of_b = (fit.transpose(1, 2) + FAR * (1 - is_word(premise).transpose(1, 2))).softmax(dim=2) @ a
        pooled = [
            part
            for side, own, met in ((premise, a, of_a), (hypothesis, b, of_b))
            for part in self.pooled(side, own, met)
        ]
        logits: Tensor = self.classifier(self.dropout(torch.cat(pooled, dim=1)))
        return logits

    def pooled(self, side: Sentences, own: Tensor, met: Tensor) -> tuple[Tensor, Tensor]:
        compared = self.dropout(self.projection(torch.cat((own, met, own - met, own * met), dim=2)))
        states, words = self.composer(compared, side.lengths), is_word(side)
        return (states * words).sum(1) / words.sum(1).clamp(min=1), (states + FAR * (1 - words)).amax(1)


class PlainInferSent(ReadingNetwork):
    def __init__(self, settings: InferSentSettings, words: int, dimensions: int, labels: int) -> None:
        super().__init__(words, dimensions, settings.train_vectors)
        self.encoder = PlainEncoder(dimensions, settings.states)
        self.classifier = tanh_classifier(8 * settings.states, settings.hidden, settings.dropout, labels)

    def forward(self, batch: Batch) -> Tensor:
        u, v = (
            (self.encoder(self.words_of(side), side.lengths) + FAR * (1 - is_word(side))).amax(1)
            for side in batch.sentences
        )
        logits: Tensor = self.classifier(torch.cat((u, v, (u - v).abs(), u * v), dim=1))
        return logits


PLAIN = {"esim": PlainESIM, "infersent": PlainInferSent}
