"""Two simultaneous imports of the same pairs: each pair is imported once, and neither fails."""

import threading
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.db import IntegrityError

from collection.imports import pairs
from collection.models import Corpus, Pair, Premise
from tests.commands import run, write_jsonl
from tests.concurrency.threads import at_once
from validation.models import Label

pytestmark = pytest.mark.django_db(transaction=True)

PAIRS = 200


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Writes two files with the same pairs.

    The corpus exists before: otherwise one import would wait until the other has created it.
    """
    first = write_jsonl(
        tmp_path / "first.jsonl", [{"premise": "A dog runs.", "hypothesis": "A dog.", "id": "0"}]
    )
    assert not run("import_pairs", "crowded", first, format="jsonl", unlabelled=True).failure
    records = [
        {
            "id": f"p{n}",
            "premise": f"Dog {n} runs.",
            "hypothesis": "A dog moves.",
            "labels": ["neutral", "entailment"],
            "annotators": ["a", f"b{n % 7}"],
        }
        for n in range(PAIRS)
    ]
    return [write_jsonl(tmp_path / name, records) for name in ("one.jsonl", "two.jsonl")]


def bring(path: Path) -> Any:
    return run("import_pairs", "crowded", path, format="jsonl", unlabelled=True, json=True).json


def imports(files: list[Path]) -> list[Any]:
    return at_once([partial(bring, path) for path in files])


@pytest.mark.thorough
def test_the_race_is_there_without_the_lock(files, monkeypatch):
    both_have_looked = threading.Barrier(2)
    look = pairs._known_pairs

    def look_and_wait(*args):
        known = look(*args)
        both_have_looked.wait(timeout=30)
        return known

    monkeypatch.setattr(pairs, "_locked", lambda pk: Corpus.objects.get(pk=pk))
    monkeypatch.setattr(pairs, "_known_pairs", look_and_wait)
    assert any(isinstance(result, IntegrityError) for result in imports(files))


def test_two_imports_take_turns(files):
    results = imports(files)
    assert sorted((result["pairs"], result["skipped"]) for result in results) == [(0, PAIRS), (PAIRS, 0)]
    assert Pair.objects.count() == Premise.objects.count() == PAIRS + 1
    assert Label.objects.count() == 2 * PAIRS
