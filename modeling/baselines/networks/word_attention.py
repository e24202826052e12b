"""WordAttention: word-by-word attention (MPE paper, section 6; Rocktaeschel et al., 2016, section 2.4)."""

import torch
from torch import Tensor, nn

from modeling.baselines.batches import Batch
from modeling.baselines.networks.layers import ConditionalReader, ReadingNetwork, last_of, places_of_words
from modeling.baselines.settings import WordAttentionSettings


class WordAttention(ReadingNetwork):
    """Each hypothesis word in turn attends to all premise words, and knows what the words before it found."""

    def __init__(self, settings: WordAttentionSettings, words: int, dimensions: int, labels: int) -> None:
        super().__init__(words, dimensions, settings.train_vectors)
        states = settings.states
        self.reader = ConditionalReader(dimensions, states, settings.dropout)
        self.of_premise = nn.Linear(states, states, bias=False)
        self.of_word = nn.Linear(states, states, bias=False)
        self.of_found = nn.Linear(states, states, bias=False)
        self.weight = nn.Linear(states, 1, bias=False)
        self.carry = nn.Linear(states, states, bias=False)
        self.from_found = nn.Linear(states, states, bias=False)
        self.from_word = nn.Linear(states, states, bias=False)
        self.softmax = nn.Linear(states, labels)

    def forward(self, batch: Batch) -> Tensor:
        """Returns the logits (batch, labels)."""
        premise, hypothesis = batch.sentences
        return self.decide(
            self.words_of(premise), premise.lengths, self.words_of(hypothesis), hypothesis.lengths
        )

    def decide(
        self, premise: Tensor, premise_lengths: Tensor, hypothesis: Tensor, hypothesis_lengths: Tensor
    ) -> Tensor:
        """Returns the logits (batch, labels), from the word vectors of both sides (batch, longest, dimensions)."""
        outputs, words = self.reader(premise, premise_lengths, hypothesis, hypothesis_lengths)
        found = self.look(outputs, premise_lengths, words, hypothesis_lengths)
        last = last_of(words, hypothesis_lengths)
        logits: Tensor = self.softmax(torch.tanh(self.from_found(found) + self.from_word(last)))
        return logits

    def look(
        self, premise: Tensor, premise_lengths: Tensor, words: Tensor, hypothesis_lengths: Tensor
    ) -> Tensor:
        """Returns (batch, states): what the last hypothesis word found in `premise` (batch, longest, states)."""
        no_premise = ~places_of_words(premise, premise_lengths)
        is_word = places_of_words(words, hypothesis_lengths)[:, :, None]
        of_premise, of_words = self.of_premise(premise), self.of_word(words)
        found = torch.zeros_like(words[:, 0])
        for step in range(words.shape[1]):
            asked = (of_words[:, step] + self.of_found(found))[:, None]
            fit = self.weight(torch.tanh(of_premise + asked))[:, :, 0]
            share = fit.masked_fill(no_premise, float("-inf")).softmax(dim=1)
            next_found = (share[:, None] @ premise)[:, 0] + torch.tanh(self.carry(found))
            found = torch.where(is_word[:, step], next_found, found)
        return found
