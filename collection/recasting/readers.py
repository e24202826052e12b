"""Readers for the layouts of sources. Each yields the rows of a file with their lines.

Tables with a header are read by `tsv_records` and `csv_records` of `collection.formats.tables`, JSON Lines by
`json_records` of `collection.formats.lines`.
"""

import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from collection.formats.lines import BadLine, Record, open_bytes, read_lines


def tabbed_records(path: Path, *columns: str) -> Iterator[Record | BadLine]:
    """Reads tab-separated text without a header. `columns` names the columns."""
    for item in read_lines(path):
        if isinstance(item, BadLine):
            yield item
        elif item[1].strip():
            cells = item[1].split("\t")
            if len(cells) == len(columns):
                yield item[0], dict(zip(columns, cells, strict=True))
            else:
                yield BadLine(
                    item[0],
                    f"the line has {len(cells)} columns instead of {len(columns)}: {', '.join(columns)}",
                )


def block_records(
    path: Path, *, separator: str | None = None, comments: bool = True
) -> Iterator[Record | BadLine]:
    """Reads sentences with a token on each line, separated by empty lines, as in the CoNLL tasks.

    A row has `tokens`, a list of lists of columns, and the number of the sentence; its line is that of the first token.
    Without `comments`, a line that begins with # is a token, too: CoNLL-U has comments, CoNLL-2003 has none.
    An unreadable line makes its whole sentence invalid.
    """
    tokens: list[list[str]] = []
    first = number = 0
    bad: BadLine | None = None

    def whole() -> Iterator[Record | BadLine]:
        if bad is not None:
            yield bad
        elif tokens:
            yield first, {"tokens": tokens, "number": number, "file": path.name}

    for item in read_lines(path):
        if isinstance(item, BadLine):
            bad = item
        elif not item[1].strip():
            yield from whole()
            tokens, bad = [], None
        elif not (comments and item[1].startswith("#")):
            if not tokens:
                first, number = item[0], number + 1
            tokens.append(item[1].split(separator))
    yield from whole()


def xml_elements(path: Path, tag: str) -> Iterator[tuple[int, ElementTree.Element] | BadLine]:
    """Yields the elements of that name with their numbers from 1, in place of lines."""
    number = 0
    try:
        with open_bytes(path) as file:
            for _, element in ElementTree.iterparse(file, events=("end",)):
                if element.tag == tag:
                    number += 1
                    yield number, element
                    element.clear()
    except (ElementTree.ParseError, OSError, EOFError) as problem:
        yield BadLine(number + 1, f"not well-formed XML from here on: {problem}")


def beside(path: Path, *names: str) -> Path | None:
    """Returns the first of these files that exists in the folder of `path`."""
    return next((path.with_name(name) for name in names if path.with_name(name).is_file()), None)


def text_of_tokens(words: list[str]) -> str:
    return " ".join(words)


def value(record: dict[str, Any], key: str) -> str:
    """Returns a required text. Raises Unreadable."""
    from collection.formats.records import non_empty_text

    return non_empty_text(record, key).strip()
