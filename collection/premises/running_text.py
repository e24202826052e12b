"""Splits running text into sentences, by sentencex (Wikimedia; rules for some 240 languages, offline).

The splitter returns the text piece by piece and without loss, so that each sentence's line is known.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import sentencex

from collection.formats.lines import BadLine, Line

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
