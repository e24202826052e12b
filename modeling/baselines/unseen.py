"""Look up words that training lacks in the word vectors, when pairs are predicted.

The papers' systems read vectors for each word of each file. Here, training does not depend on the held-out texts: neither
its vocabulary, nor its word table, nor its random numbers. The further words are added for predictions only.
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
    """Held-out pairs with their `sides` as tokens; `words`: their words that have to be looked up."""

    pairs: Sequence[Pair]
    sides: Sequence[Texts]
    words: Sequence[str]


def looks_up(settings: Settings) -> bool:
    """Returns whether a run with these settings looks up words that training lacks."""
    return isinstance(settings, NeuralSettings) and settings.look_up


def cut_unseen(
    pairs: Sequence[Pair], reads: Sequence[str], vocabulary: Lexicon, settings: Settings
) -> Unseen:
    """Tokenises the pairs and collects the words that training lacked, for one look-up of all partitions."""
    sides = [texts_of(side, pairs, vocabulary) for side in reads]
    if not looks_up(settings):
        return Unseen(pairs, sides, ())
    new = build_vocabulary(every_word(sides), 1, vocabulary.words).words[len(vocabulary) :]
    return Unseen(pairs, sides, new)


def encode_unseen(unseen: Unseen, vocabulary: Lexicon, found: WordVectors | None) -> EncodedPairs:
    """Encodes the pairs. Words that are only in `found` follow those of the vocabulary."""
    if found is None:
        return encode_texts(unseen.sides, unseen.pairs, vocabulary)
    wider = Vocabulary((*vocabulary.words, *compress(unseen.words, found.found)))
    return replace(encode_texts(unseen.sides, unseen.pairs, wider), further=found.rows[found.found])
