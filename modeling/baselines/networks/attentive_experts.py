"""AttentiveExperts: one decision by word attention for each premise (MPE paper, section 8.1)."""

from typing import ClassVar

from torch import Tensor

from modeling.baselines.batches import Batch
from modeling.baselines.networks.word_attention import WordAttention


class AttentiveExperts(WordAttention):
    """The attention network reads each premise with the hypothesis; the logits are summed. One premise is enough."""

    reads: ClassVar[tuple[str, ...]] = ("premises", "hypothesis")

    def forward(self, batch: Batch) -> Tensor:
        """Return the logits (batch, labels)."""
        premises, hypothesis = batch.sentences
        pair = premises.pair
        experts = self.decide(
            self.words_of(premises),
            premises.lengths,
            self.words_of(hypothesis)[pair],
            hypothesis.lengths[pair.cpu()],
        )
        return experts.new_zeros(len(batch), experts.shape[1]).index_add(0, pair, experts)
