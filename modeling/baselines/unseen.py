"""Words that training lacks: where the vectors know them, a network that predicts knows them too.

The papers' systems read vectors for every word of every file. Here training stays ignorant of what is held out:
its vocabulary, its table and its random numbers do not depend on it, and these words join only to predict.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import compress
from pathlib import Path

from modeling.baselines.batches import EncodedPairs, encode_texts, texts_of
from modeling.baselines.data import Pair
from modeling.baselines.settings import NeuralSettings, Settings
from modeling.baselines.vectors import find_vectors
from modeling.baselines.vocabulary import Lexicon, Vocabulary, build_vocabulary, every_word


@dataclass(frozen=True)
class WordSource:
    """Where further words are looked up, and how."""

    vectors: str
    cache: Path
    lowercase_fallback: bool


def word_source(settings: Settings, vectors: str | None, cache: Path) -> WordSource | None:
    """The source of a run with these settings; None where words that training lacks stay unknown."""
    if vectors is None or not isinstance(settings, NeuralSettings) or not settings.look_up:
        return None
    return WordSource(vectors, cache, settings.lowercase_fallback)


def encode_unseen(
    pairs: Sequence[Pair], reads: Sequence[str], vocabulary: Lexicon, source: WordSource | None
) -> EncodedPairs:
    """Pairs that are not learnt from: words outside the vocabulary that have a vector come after its own."""
    sides = [texts_of(side, pairs, vocabulary) for side in reads]
    if source is None or not isinstance(vocabulary, Vocabulary):
        return encode_texts(sides, pairs, vocabulary)
    new = build_vocabulary(every_word(sides), 1, vocabulary.words).words[len(vocabulary) :]
    found = find_vectors(source.vectors, new, source.cache, source.lowercase_fallback)
    wider = Vocabulary((*vocabulary.words, *compress(new, found.found)))
    return replace(encode_texts(sides, pairs, wider), further=found.rows[found.found])
