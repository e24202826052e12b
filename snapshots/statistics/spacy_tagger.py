"""Tag, lemmatise and parse sentences with spaCy's small English model.

Only commands and workers import this module, when they need it; a web process never does.
"""

from collections.abc import Iterable
from typing import Any

from snapshots.parses.spacy_parser import read
from snapshots.statistics.tags import Sentence, Token


def annotate(sentences: Iterable[str]) -> list[Sentence]:
    """Returns the tokens of each sentence, in order. Call it with about a thousand sentences."""
    return read(sentences, _tokens, "parser", "ner")


def parse(sentences: Iterable[str]) -> list[Sentence]:
    """Returns the tokens of each sentence, with their relations."""
    return read(sentences, _related, "ner")


def _related(document: Any) -> Sentence:
    return [
        Token(token.text, token.tag_, token.lemma_, token.dep_.lower(), token.head.i) for token in document
    ]


def _tokens(document: Any) -> Sentence:
    return [Token(token.text, token.tag_, token.lemma_) for token in document]
