"""Reads files of premises: plain text, JSON Lines or tab-separated text, by the file's name.

    name.txt (or any other)   one premise a line
    name.jsonl                {"text" or "premise": a string or a list, "id", "document", "group"}
    name.tsv                  a column `sentence`, `premise` or `text`; `id`, `document` (or `source`), `group`

Each of them also with `.gz` behind it. Running text is split into sentences on request.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from collection.formats import records
from collection.formats.lines import BadLine, json_records, read_lines
from collection.formats.records import MAX_GROUP, Unreadable
from collection.formats.tables import tsv_records
from collection.premises.filters.candidates import Candidate, candidate
from collection.premises.running_text import Sentence, sentences_of, sentences_of_lines

JSON_TEXT = ("text", "premise")
TSV_TEXT = ("sentence", "premise", "text")
TSV_DOCUMENT = ("document", "source")


def read_premises(
    path: Path, *, encoding: str = "utf-8", split: str = "", document: str = "", alone: bool = False
) -> Iterator[Candidate | BadLine]:
    """Yields the premises of a file in the order of their lines.

    split: the language (BCP 47) whose sentences running text is split into; empty: it is not running text. In plain
    text, an empty line then ends a paragraph, and other line ends are white space. document: the document of
    premises whose line names none. alone: sentences of one document need not stay in one partition.
    """
    kind = Path(path.name.removesuffix(".gz")).suffix.lower()
    if kind == ".jsonl":
        found = _from_records(json_records(path, encoding), split, JSON_TEXT)
    elif kind == ".tsv":
        found = _from_records(tsv_records(path, encoding=encoding), split, TSV_TEXT, TSV_DOCUMENT)
    else:
        lines = read_lines(path, encoding)
        found = _from_sentences(sentences_of_lines(lines, split) if split else _as_they_are(lines))
    for item in found:
        if isinstance(item, Candidate):
            item = replace(item, document=item.document or document)
            if not alone:
                item = replace(item, group=item.group or item.document)
        yield item


def _as_they_are(lines: Iterator[tuple[int, str] | BadLine]) -> Iterator[Sentence | BadLine]:
    for item in lines:
        if isinstance(item, BadLine):
            yield item
        elif item[1].strip():
            yield Sentence(item[0], 1, item[1].strip())


def _from_sentences(found: Iterator[Sentence | BadLine], **known: str) -> Iterator[Candidate | BadLine]:
    for item in found:
        if isinstance(item, BadLine):
            yield item
            continue
        try:
            text = records.storable("the line", item.text)
            yield candidate(item.line, [text], place=item.place, **known)
        except Unreadable as problem:
            yield BadLine(item.line, str(problem))


def _from_records(
    found: Iterator[tuple[int, dict[str, Any]] | BadLine],
    split: str,
    texts: tuple[str, ...],
    documents: tuple[str, ...] = ("document",),
) -> Iterator[Candidate | BadLine]:
    for item in found:
        if isinstance(item, BadLine):
            yield item
            continue
        line, record = item
        try:
            made = _candidate(line, record, texts, documents)
        except Unreadable as problem:
            yield BadLine(line, str(problem))
            continue
        if split and len(made.sentences) == 1:
            yield from _pieces(made, split)
        else:
            yield made


def _pieces(whole: Candidate, language: str) -> Iterator[Candidate]:
    """Returns a candidate for each sentence of a text in one record. Numbers the ids of several."""
    pieces = list(sentences_of(whole.sentences[0], language))
    for place, text in enumerate(pieces, start=1):
        public_id = (
            f"{whole.public_id[:190]}.{place}" if whole.public_id and len(pieces) > 1 else whole.public_id
        )
        yield candidate(
            whole.line, [text], place=place, public_id=public_id, document=whole.document, group=whole.group
        )


def _candidate(
    line: int, record: dict[str, Any], texts: tuple[str, ...], documents: tuple[str, ...]
) -> Candidate:
    key = next((name for name in texts if name in record), None)
    if key is None:
        raise Unreadable("there is no " + " or ".join(f'"{name}"' for name in texts))
    read = partial(records.optional_name, record)
    return candidate(
        line,
        records.sentences(record, key),
        public_id=read("id"),
        document=next((found for name in documents if (found := read(name, MAX_GROUP))), ""),
        group=read("group", MAX_GROUP),
    )
