"""The wordings in examples/published-wordings are those of the papers, word for word."""

import re
import tomllib
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import REPOSITORY

WORDINGS = REPOSITORY / "examples" / "published-wordings"
QUOTED = ("instructions", "wording", "help", "premise", "hypothesis")


def quoted(node: Any) -> Iterator[str]:
    """Yields what a file quotes, line by line, as long as a sentence."""
    if isinstance(node, list):
        for each in node:
            yield from quoted(each)
    elif isinstance(node, dict):
        for key, value in node.items():
            if key in QUOTED and isinstance(value, str):
                yield from (line for line in value.splitlines() if len(line.split()) > 3)
            else:
                yield from quoted(value)


def plain(text: str) -> str:
    """Returns the letters and digits alone, in lower case: files of papers divide words in places of their own."""
    return "".join(re.findall(r"[a-z0-9]", unicodedata.normalize("NFKC", text).lower()))


@pytest.mark.parametrize("name", ["snli", "multinli", "mpe"])
def test_every_sentence_is_in_the_paper(name: str, shared_data: Path) -> None:
    paper = plain((shared_data.parent / "papers" / f"{name}.txt").read_text(encoding="utf-8"))
    lines = list(quoted(tomllib.loads((WORDINGS / f"{name}.toml").read_text(encoding="utf-8"))))
    assert len(lines) >= 6
    assert [line for line in lines if plain(line) not in paper] == []
