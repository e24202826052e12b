"""Words that training lacks: where the vectors know them, a network that predicts knows them too.

The papers' systems read vectors for every word of every file. Here training stays ignorant of what is held out:
its vocabulary, its table and its random numbers do not depend on it, and these words join only to predict.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import compress

from modeling.baselines.batches import EncodedPairs, Texts, encode_texts, texts_of
from modeling.baselines.data import Pair
from modeling.baselines.settings import NeuralSettings, Settings
from modeling.baselines.vectors import WordVectors
from modeling.baselines.vocabulary import Lexicon, Vocabulary, build_vocabulary, every_word


@dataclass(frozen=True)
class Unseen:
    """Pairs that are not learnt from, their `sides` cut into tokens, and the `words` in them to be looked up."""

    pairs: Sequence[Pair]
    sides: Sequence[Texts]
    words: Sequence[str]


def looks_up(settings: Settings) -> bool:
    """Are words that training lacks looked up by a run with these settings?"""
    return isinstance(settings, NeuralSettings) and settings.look_up


def cut_unseen(
    pairs: Sequence[Pair], reads: Sequence[str], vocabulary: Lexicon, settings: Settings
) -> Unseen:
    """The pairs before any word is looked up, so that the words of several partitions can be, together."""
    sides = [texts_of(side, pairs, vocabulary) for side in reads]
    if not looks_up(settings):
        return Unseen(pairs, sides, ())
    new = build_vocabulary(every_word(sides), 1, vocabulary.words).words[len(vocabulary) :]
    return Unseen(pairs, sides, new)


def encode_unseen(unseen: Unseen, vocabulary: Lexicon, found: WordVectors | None) -> EncodedPairs:
    """The pairs as indices: words outside the vocabulary that have a vector in `found` come after its own."""
    if found is None:
        return encode_texts(unseen.sides, unseen.pairs, vocabulary)
    wider = Vocabulary((*vocabulary.words, *compress(unseen.words, found.found)))
    return replace(encode_texts(unseen.sides, unseen.pairs, wider), further=found.rows[found.found])
