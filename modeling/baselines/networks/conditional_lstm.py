"""ConditionalLSTM: the hypothesis read in the light of the premises (MPE paper, section 6)."""

import torch
from torch import Tensor

from modeling.baselines.batches import Batch
from modeling.baselines.networks.layers import ConditionalReader, ReadingNetwork, last_of, tanh_classifier
from modeling.baselines.settings import ConditionalLSTMSettings


class ConditionalLSTM(ReadingNetwork):
    """The last outputs of both LSTMs, one tanh layer, softmax. Several premises are one text, in their order."""

    def __init__(self, settings: ConditionalLSTMSettings, words: int, dimensions: int, labels: int) -> None:
        super().__init__(words, dimensions, settings.train_vectors)
        self.reader = ConditionalReader(dimensions, settings.states, settings.dropout)
        self.classifier = tanh_classifier(2 * settings.states, settings.hidden, 0.0, labels)

    def forward(self, batch: Batch) -> Tensor:
        """Returns the logits (batch, labels)."""
        premise, hypothesis = batch.sentences
        outputs = self.reader(
            self.words_of(premise), premise.lengths, self.words_of(hypothesis), hypothesis.lengths
        )
        last = [last_of(one, side.lengths) for one, side in zip(outputs, batch.sentences, strict=True)]
        logits: Tensor = self.classifier(torch.cat(last, dim=1))
        return logits
