"""Sentences about charts say who is highest, lowest or most only through shared/findings.py, which asks the whole table."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings

SUPERLATIVES = re.compile(
    r"(?<!at )\b(most|least|highest|lowest|largest|smallest|longest|shortest|fewest|fastest|slowest|best|worst|commonest|"
    r"more often than any|more than any)\b",
    re.IGNORECASE,
)
# Which rows are drawn, and in which order: (module, words around the superlative).
SELECTIONS = {
    ("validation/statistics/annotator_figures.py", "with most labels of"),
    ("validation/statistics/agreement_figures.py", "with most pairs of"),
    ("annotation_site/workspace/texts_charts.py", "words that stand out most"),
    ("validation/statistics/agreement_figures.py", "the label of most single premises"),  # what is counted
    ("modeling/watching/baseline_figures.py", "the best first"),
    ("modeling/watching/curves.py", "The best epoch of"),  # of one run: its highest point, a fact
}
FORMATTED = re.compile(r"\{\w*(:[^}]*)?\}|%[sd]|%\(\w+\)")  # what str.format, % and gettext fill in
APPS = ("annotation_site", "collection", "validation", "snapshots", "modeling", "shared")


# What a module that shows figures or charts imports from.
SHOWING = re.compile(r"from shared\.(figures|findings) import|import (Picture|picture)\b|\bpicture,")


def charting_modules() -> Iterator[Path]:
    for app in APPS:
        for path in sorted((settings.BASE_DIR / app).rglob("*.py")):
            if app != "shared" and SHOWING.search(path.read_text()):
                yield path


def sentences(source: str) -> Iterator[str]:
    """Returns the texts that have values in them; {} stands for a value."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.JoinedStr):
            yield "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and FORMATTED.search(node.value):
            yield node.value


def bypassing(path: str, source: str) -> list[str]:
    """Returns the sentences of a module that hold a superlative and no selection that is allowed."""
    return [
        sentence
        for sentence in sentences(source)
        if SUPERLATIVES.search(sentence)
        and not any(path == module and words in sentence for module, words in SELECTIONS)
    ]


@pytest.mark.parametrize("path", [str(path.relative_to(settings.BASE_DIR)) for path in charting_modules()])
def test_superlatives_come_from_findings(path):
    found = bypassing(path, (Path(settings.BASE_DIR) / path).read_text())
    assert not found, f"{path} says {found}: let shared/findings.py say it, of the whole table"


def test_a_headline_of_its_own_is_found():
    assert bypassing("a.py", 'title = f"Accuracy is lowest for {name}"')
    assert bypassing("a.py", 'title += f", most of {genre} ({number})"')
    assert bypassing("a.py", 'title = "Accuracy is lowest for {name}".format(name=name)')
    assert bypassing("a.py", 'title = "Accuracy is lowest for %(name)s" % names')
    assert not bypassing("a.py", 'title = f"At least {number} of at most {whole}"')
    assert len(list(charting_modules())) > 40


ONE_DECIMAL = re.compile(r":\.1%|:\.1f\}%")
WRITERS = (*APPS, "accounts", "jobs", "nli", "schemas")


def test_shares_with_a_decimal_are_written_in_one_place() -> None:
    """Else a share that is nearly all would be called 100.0% there."""
    paths = (path for app in WRITERS for path in sorted((settings.BASE_DIR / app).rglob("*.py")))
    found = [path for path in paths if ONE_DECIMAL.search(path.read_text())]
    assert found == [settings.BASE_DIR / "nli" / "percentages.py"]
