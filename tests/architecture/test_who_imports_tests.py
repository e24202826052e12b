"""What is shipped needs no tests, and tests need no measurements."""

import re
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings

ROOT = Path(settings.BASE_DIR)


def importing(package: str, folders: set[str]) -> Iterator[str]:
    line = re.compile(rf"^\s*(from|import) {package}\b", re.MULTILINE)
    for folder in sorted(folders):
        for path in sorted((ROOT / folder).rglob("*.py")):
            if line.search(path.read_text(encoding="utf-8")):
                yield str(path.relative_to(ROOT))


def test_nothing_that_is_shipped_imports_tests() -> None:
    shipped = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"tests"}
    assert {"bench", "scripts", "collection"} <= shipped
    assert list(importing("tests", shipped)) == []
    assert next(importing("tests", {"tests"}))


def test_only_the_tests_of_the_measurements_import_them() -> None:
    assert [path for path in importing("bench", {"tests"}) if not path.startswith("tests/bench/")] == []
    assert next(importing("bench", {"bench"}))
