"""Choose the lexicon that numbers the texts of a baseline: words, pieces, features or votes."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from modeling.baselines.data import Pair
from modeling.baselines.errors import BaselineError
from modeling.baselines.features.lexicon import Features
from modeling.baselines.features.tagged import Tagger
from modeling.baselines.features.verb_ocean import load_verb_ocean
from modeling.baselines.pretrained import Pieces, folder_of
from modeling.baselines.settings import (
    FeatureSettings,
    PretrainedSettings,
    Settings,
    VotingSettings,
    WordNetClassifierSettings,
)
from modeling.baselines.vocabulary import Lexicon, Vocabulary


@dataclass(frozen=True)
class Votes(Vocabulary):
    """A vocabulary without words: pairs are measured by their votes (pairs, labels)."""

    settings: VotingSettings
    labels: int
    seed: int

    def measures(self, pairs: Sequence[Pair]) -> npt.NDArray[np.float32]:
        """Counts the votes (pairs, labels). Raises BaselineError where no pair has any."""
        rows = np.array([self.votes_of(pair) for pair in pairs], dtype=np.float32).reshape(-1, self.labels)
        if len(rows) and not rows.any():
            what, instead = (
                ("labels of single premises", "annotators")
                if self.settings.labels == "premises"
                else ("labels of annotators", "premises")
            )
            raise BaselineError(
                f"No pair has {what}: set labels to {instead}, or name a snapshot that has them."
            )
        return rows

    def votes_of(self, pair: Pair) -> npt.NDArray[np.int64]:
        """Counts the votes (labels,) of one pair."""
        if self.settings.labels == "premises":
            return np.bincount(np.array(pair.premise_labels, dtype=np.int64), minlength=self.labels)
        votes = np.array(pair.votes or (0,) * self.labels, dtype=np.int64)
        if self.settings.labels == "annotators" or not votes.any():
            return votes
        # Draws one annotator, by the seed and the pair alone, not by the file's order.
        number = int.from_bytes(hashlib.sha256(pair.pair_id.encode()).digest()[:8], "big")
        chance = np.random.Generator(np.random.PCG64([self.seed, number]))
        return np.bincount([chance.choice(np.repeat(np.arange(len(votes)), votes))], minlength=self.labels)


def make_lexicon(settings: Settings, words: Sequence[str], language: str, seed: int, labels: int) -> Lexicon:
    """Makes the lexicon of a baseline, which knows `words`."""
    if isinstance(settings, PretrainedSettings):
        return Pieces(folder_of(settings.model))
    if isinstance(settings, FeatureSettings):
        parses = isinstance(settings, WordNetClassifierSettings) and settings.trees
        if isinstance(settings, WordNetClassifierSettings) and settings.verb_ocean:
            load_verb_ocean(Path(settings.verb_ocean))  # a bad line is told before sentences are parsed
        return Features(tuple(words), settings, Tagger(language, parses), language=language)
    if isinstance(settings, VotingSettings):
        return Votes(tuple(words), settings, labels, seed, language=language)
    return Vocabulary(tuple(words), language=language)
