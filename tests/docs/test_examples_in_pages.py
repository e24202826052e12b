"""The files that our pages show can be read as they stand."""

import re
from pathlib import Path

from collection.corpus_files import read_corpus_file
from collection.formats import FORMATS, BadLine
from tests.docs.pages import ROOT

HOW_TO = ROOT / "docs" / "how-to"


def shown(page: str, language: str) -> str:
    """The first block of that language on a page."""
    found = re.search(rf"^```{language}\n(.*?)^```$", (HOW_TO / page).read_text(), re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


def test_the_corpus_file_of_the_how_to_can_be_loaded(tmp_path: Path) -> None:
    path = tmp_path / "weather.toml"
    path.write_text(shown("make-a-corpus.md", "toml"))
    assert read_corpus_file(path).corpus.slug == "weather"


def test_the_line_of_the_how_to_can_be_imported(tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text(shown("import-published-pairs.md", "json"))
    (pair,) = FORMATS["jsonl"].read(path)
    assert not isinstance(pair, BadLine)
    assert len(pair.labels) == 5
    assert not pair.unread
