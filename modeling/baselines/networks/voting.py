"""Voting: the labels that people gave decide (MPE paper, section 5.2)."""

from typing import ClassVar

import torch
from torch import Tensor

from modeling.baselines.batches import Batch, EncodedPairs, Integers
from modeling.baselines.networks.fitted import FittedNetwork
from modeling.baselines.settings import VotingSettings


class Voting(FittedNetwork):
    """Nothing is learnt. Probabilities are the shares of the votes; where the rule answers a label that has not the
    largest share, the two labels swap their shares. A pair without votes has equal shares.
    """

    reads: ClassVar[tuple[str, ...]] = ()

    def __init__(self, settings: VotingSettings, words: int, dimensions: int, labels: int) -> None:
        super().__init__()
        self.rule = settings.rule
        # The weights file must hold something: it holds the number of labels.
        self.register_buffer("labels", torch.tensor(labels))

    def fit(self, pairs: EncodedPairs, rows: Integers) -> str:
        """Warns where a pair has no votes."""
        assert pairs.measures is not None
        without = int((pairs.measures[rows].sum(axis=1) == 0).sum())
        return f"Of {len(rows):,} training pairs {without:,} have no votes." if without else ""

    def forward(self, batch: Batch) -> Tensor:
        """Returns the logits (batch, labels)."""
        assert batch.measures is not None
        votes = batch.measures
        answer, largest = self.answer(votes), votes.argmax(dim=1)
        rows = torch.arange(len(votes), device=votes.device)
        shares = votes.clone()
        shares[rows, answer], shares[rows, largest] = votes[rows, largest], votes[rows, answer]
        # In a tie, and without votes, the answer is the first among equals.
        shares = torch.where(votes.sum(dim=1, keepdim=True) > 0, shares, torch.ones_like(shares))
        shares[rows, answer] += 1e-3
        return shares.log()

    def answer(self, votes: Tensor) -> Tensor:
        """Returns the index of each pair's answer; the middle label is neutral, or not-entailed of two."""
        middle = torch.full((len(votes),), votes.shape[1] // 2, device=votes.device)
        if self.rule == "more":
            entailment, contradiction = votes[:, 0], votes[:, -1]
            last = torch.full_like(middle, votes.shape[1] - 1)
            against = torch.where(contradiction > entailment, last, middle)
            return torch.where(entailment > contradiction, torch.zeros_like(middle), against)
        most = votes.max(dim=1).values
        is_tie = (votes == most[:, None]).sum(dim=1) > 1
        return torch.where(is_tie, middle, votes.argmax(dim=1))
