"""Counts the captions of a file that simplify to a sentence (MPE, section 4.1)."""

from collections.abc import Sequence

from collection.pairing.captions import Caption
from collection.pairing.simplify import Key, gives


class CaptionIndex:
    """An index of the positions of captions by their lemmas and broader words."""

    def __init__(self, captions: Sequence[Caption]) -> None:
        self.captions = captions
        self.places: dict[str, list[int]] = {}
        for place, caption in enumerate(captions):
            for form in caption.vocabulary:
                self.places.setdefault(form, []).append(place)
        self._answers: dict[tuple[Key, int], bool] = {}

    def is_given_by(self, key: Key, at_least: int) -> bool:
        """Returns whether at least so many captions can be simplified to these lemmas."""
        if (key, at_least) not in self._answers:
            self._answers[key, at_least] = self._count(key, at_least) >= at_least
        return self._answers[key, at_least]

    def _count(self, key: Key, enough: int) -> int:
        rarest, *others = sorted((self.places.get(lemma, []) for lemma in set(key)), key=len)
        both = set(rarest).intersection(*others)
        found = 0
        for place in sorted(both):
            found += gives(self.captions[place], key)
            if found >= enough:
                break
        return found
