"""How alike sentences are, and how usual: nearest sentences by shared words, and bits a word under a bigram model."""

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

Tokens = Sequence[str]
START = ""  # before the first token; no token is empty


def nearest(
    sentences: Iterable[Tokens], among: Sequence[Tokens], *, itself: bool = False
) -> list[tuple[float, int]]:
    """Returns of each sentence (its likeness to the nearest one of `among`, the place of that one); (0.0, -1) without one.

    Likeness: words and pairs of neighbouring words that both have, of those that either has (Jaccard), from 0 to 1.
    itself: the sentences are those of `among`, and none is compared with itself.
    """
    known = [_grams(each) for each in among]
    places: dict[object, list[int]] = defaultdict(list)
    for place, grams in enumerate(known):
        for gram in grams:
            places[gram].append(place)
    found = []
    for own, tokens in enumerate(sentences):
        grams = _grams(tokens)
        shared = Counter(place for gram in grams for place in places.get(gram, ()))
        if itself:
            shared.pop(own, None)
        likeness = (
            (number / (len(grams) + len(known[place]) - number), -place) for place, number in shared.items()
        )
        best, place = max(likeness, default=(0.0, 1))
        found.append((best, -place))
    return found


def _grams(tokens: Tokens) -> set[object]:
    return {*tokens, *itertools.pairwise(tokens)}


class Bigrams:
    """A bigram model, smoothed by what follows a word how often (Witten and Bell 1991), down to words never seen."""

    def __init__(self, sentences: Iterable[Tokens]) -> None:
        self._after: dict[str, Counter[str]] = defaultdict(Counter)
        self._words: Counter[str] = Counter()
        for tokens in sentences:
            self._words.update(tokens)
            for before, word in zip([START, *tokens], tokens, strict=False):
                self._after[before][word] += 1
        self._total = self._words.total()

    def bits(self, tokens: Tokens) -> float:
        """Returns the mean surprise of the tokens, in bits: low, where each usually follows the one before it. 0 of none."""
        pairs = list(zip([START, *tokens], tokens, strict=False))
        return sum(-math.log2(self._share(*pair)) for pair in pairs) / len(pairs) if pairs else 0.0

    def _share(self, before: str, word: str) -> float:
        kinds = len(self._words) + 1
        alone = (self._words[word] + 1) / (self._total + kinds)  # one more kind: words never seen
        after = self._after.get(before)
        if after is None:
            return alone
        return (after[word] + len(after) * alone) / (after.total() + len(after))
