"""Reads files of premises: plain text, JSON Lines or tab-separated text, by the file's name.

    name.txt (or any other)   one premise a line
    name.jsonl                {"text" or "premise": a string or a list, "id", "document", "group"}
    name.tsv                  a column `sentence`, `premise` or `text`; `id`, `document` (or `source`), `group`

Each of them also with `.gz` behind it. Running text is split into sentences on request, by sentencex (Wikimedia; rules
for some 240 languages, offline). It returns the text piece by piece and without loss, so that each line is known.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import sentencex

from collection.formats import records
from collection.formats.lines import BadLine, Line, json_records, read_lines
from collection.formats.records import MAX_GROUP, Unreadable
from collection.formats.tables import tsv_records
from collection.premises.filters.candidates import Candidate, candidate

LONGEST_PARAGRAPH = 100_000  # characters in memory; a longer paragraph is split before its end


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, the line in which it begins, and its place among the sentences of that line; both from 1."""

    line: int
    place: int
    text: str


def sentences_of(text: str, language: str) -> Iterator[str]:
    """Returns the sentences of a text with single spaces."""
    for piece in sentencex.segment(language, text):
        if words := " ".join(piece.split()):
            yield words


def sentences_of_lines(lines: Iterator[Line | BadLine], language: str) -> Iterator[Sentence | BadLine]:
    """Yields the sentences of a text of many lines. An empty or invalid line ends a paragraph."""
    held = _Paragraph(language)
    for item in lines:
        if isinstance(item, BadLine):
            yield from held.give()
            yield item
        elif not item[1].strip():
            yield from held.give()
        else:
            held.take(*item)
            if held.length > LONGEST_PARAGRAPH:
                yield from held.give(whole=False)
    yield from held.give()


@dataclass
class _Paragraph:
    """The lines of a paragraph read so far."""

    language: str
    lines: list[tuple[int, str]] = field(default_factory=list)
    length: int = 0
    last: tuple[int, int] = (0, 0)  # line and place of the last sentence

    def take(self, line: int, text: str) -> None:
        self.lines.append((line, text))
        self.length += len(text) + 1

    def give(self, whole: bool = True) -> Iterator[Sentence]:
        """Yields the sentences and discards them. If not `whole`, it retains the last one, which may continue."""
        pieces = sentencex.segment(self.language, "\n".join(text for _, text in self.lines))
        retained = [] if whole or len(pieces) == 1 else pieces[-1:]
        at = 0  # index of the line that the piece begins in
        for piece in pieces[: len(pieces) - len(retained)]:
            start = at + piece[: len(piece) - len(piece.lstrip())].count("\n")
            if words := " ".join(piece.split()):
                line = self.lines[start][0]
                place = self.last[1] + 1 if line == self.last[0] else 1
                self.last = (line, place)
                yield Sentence(line, place, words)
            at += piece.count("\n")
        rest = "".join(retained)
        first = self.lines[at][0] if self.lines else 0
        self.lines, self.length = [], 0
        for number, text in enumerate(rest.split("\n") if rest else []):
            self.take(first + number, text)


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
