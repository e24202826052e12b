"""Choose the lexicon that numbers the texts of a baseline: words, pieces, features or votes."""

from collections.abc import Sequence

from modeling.baselines.features.lexicon import Features
from modeling.baselines.features.tagged import Tagger
from modeling.baselines.pretrained import Pieces, folder_of
from modeling.baselines.settings import FeatureSettings, PretrainedSettings, Settings, VotingSettings
from modeling.baselines.vocabulary import Lexicon, Vocabulary
from modeling.baselines.votes import Votes


def make_lexicon(settings: Settings, words: Sequence[str], language: str, seed: int, labels: int) -> Lexicon:
    """Make the lexicon of a baseline, which knows `words`."""
    if isinstance(settings, PretrainedSettings):
        return Pieces(folder_of(settings.model))
    if isinstance(settings, FeatureSettings):
        return Features(tuple(words), settings, Tagger(language), language=language)
    if isinstance(settings, VotingSettings):
        return Votes(tuple(words), settings, labels, seed, language=language)
    return Vocabulary(tuple(words), language=language)
