"""How many captions of a file give a sentence: neither too odd nor fit for one scene only (MPE, section 4.1)."""

from collections.abc import Sequence

from collection.pairing.captions import Caption
from collection.pairing.simplify import Key, gives


class CaptionIndex:
    """Captions by the lemmas and broader words that they can be simplified to. Positions, not captions, are kept."""

    def __init__(self, captions: Sequence[Caption]) -> None:
        self.captions = captions
        self.places: dict[str, list[int]] = {}
        for place, caption in enumerate(captions):
            for form in caption.vocabulary:
                self.places.setdefault(form, []).append(place)
        self._answers: dict[tuple[Key, int], bool] = {}

    def is_given_by(self, key: Key, at_least: int) -> bool:
        """Can at least so many captions be simplified to these lemmas. Looks no further than it needs to."""
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
