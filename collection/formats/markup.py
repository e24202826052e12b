"""Reads records from XML: each element with its attributes and the texts of its inner elements.

Fetches nothing and expands no entity of the file, so a hostile file can neither read other files nor fill the memory.
"""

import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from lxml import etree

from collection.formats.lines import BadLine, Record, open_bytes

Records = Callable[[Path], Iterator[Record | BadLine]]


def elements(tag: str) -> Records:
    """Return a reader of the elements of this name. A repeated inner element becomes a list of texts."""

    def xml_records(path: Path) -> Iterator[Record | BadLine]:
        with open_bytes(path) as file:
            walk = etree.iterparse(
                file, tag=tag, resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
            )
            try:
                for _, element in walk:
                    yield _record(element)
                    element.clear()
                    while element.getprevious() is not None:  # frees memory
                        del element.getparent()[0]
            except etree.XMLSyntaxError as problem:
                line = problem.lineno or 1
                yield BadLine(line, f"not valid XML from here on: {problem.msg}")
            except (EOFError, OSError, zlib.error) as problem:
                yield BadLine(1, f"the file breaks off or is damaged ({problem}); get a fresh copy of it")

    return xml_records


def _record(element: Any) -> Record | BadLine:
    line = element.sourceline or 1
    if any(True for _ in element.iter(etree.Entity)):
        return BadLine(line, "the element holds an entity that the file defines; these are not expanded")
    record: dict[str, Any] = dict(element.attrib)
    for child in element.iterchildren(tag=etree.Element):
        text = " ".join("".join(child.itertext(with_tail=False)).split())
        there = record.get(child.tag)
        if there is None:
            record[child.tag] = text
        else:
            record[child.tag] = [*(there if isinstance(there, list) else [there]), text]
    return line, record
