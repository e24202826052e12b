"""SumOfExperts and AttentiveExperts: one decision for each premise (MPE paper, sections 6 and 8.1)."""

from typing import ClassVar

import torch
from torch import Tensor

from modeling.baselines.batches import Batch
from modeling.baselines.networks.layers import ConditionalReader, ReadingNetwork, last_of, tanh_classifier
from modeling.baselines.networks.word_attention import WordAttention
from modeling.baselines.settings import SumOfExpertsSettings


class SumOfExperts(ReadingNetwork):
    """The conditional LSTM reads each premise with the hypothesis; the logits are summed. One premise is enough."""

    reads: ClassVar[tuple[str, ...]] = ("premises", "hypothesis")

    def __init__(self, settings: SumOfExpertsSettings, words: int, dimensions: int, labels: int) -> None:
        super().__init__(words, dimensions, settings.train_vectors)
        self.reader = ConditionalReader(dimensions, settings.states, settings.dropout)
        self.classifier = tanh_classifier(2 * settings.states, settings.hidden, 0.0, labels)

    def forward(self, batch: Batch) -> Tensor:
        """Returns the logits (batch, labels)."""
        premises, hypothesis = batch.sentences
        pair = premises.pair
        lengths = hypothesis.lengths[pair.cpu()]
        of_premise, of_hypothesis = self.reader(
            self.words_of(premises), premises.lengths, self.words_of(hypothesis)[pair], lengths
        )
        experts = self.classifier(
            torch.cat((last_of(of_premise, premises.lengths), last_of(of_hypothesis, lengths)), dim=1)
        )
        return experts.new_zeros(len(batch), experts.shape[1]).index_add(0, pair, experts)


class AttentiveExperts(WordAttention):
    """The attention network reads each premise with the hypothesis; the logits are summed. One premise is enough."""

    reads: ClassVar[tuple[str, ...]] = ("premises", "hypothesis")

    def forward(self, batch: Batch) -> Tensor:
        """Returns the logits (batch, labels)."""
        premises, hypothesis = batch.sentences
        pair = premises.pair
        experts = self.decide(
            self.words_of(premises),
            premises.lengths,
            self.words_of(hypothesis)[pair],
            hypothesis.lengths[pair.cpu()],
        )
        return experts.new_zeros(len(batch), experts.shape[1]).index_add(0, pair, experts)
