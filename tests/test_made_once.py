"""`made_once`: the rows of a file's tests are made once, and each test finds them unchanged."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.conf import settings

from collection.models import Corpus
from tests.corpora import make_corpus
from tests.made_once import Rows, made_once, only_for_those_that_ask

times: list[str] = []


@made_once
def corpus() -> Corpus:
    times.append("made")
    (settings.CACHE_ROOT / "file").write_text("as it was made")
    return make_corpus()


@pytest.mark.parametrize("turn", ["first", "second"])
def test_each_test_finds_rows_and_files_as_they_were_made(corpus: Corpus, turn: str) -> None:
    assert times == ["made"]
    assert corpus.name == Corpus.objects.get().name == "The small corpus"
    file = settings.CACHE_ROOT / "file"
    assert file.read_text() == "as it was made"
    corpus.name = "Another name"
    corpus.save()
    file.write_text("changed")


def test_whoever_does_not_ask_does_not_see_it_in_whatever_order_they_run(
    db: None, django_db_blocker: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not Corpus.objects.exists()
    made_anew = iter(range(9))
    rows = Rows([corpus], lambda: tmp_path / str(next(made_anew)), django_db_blocker)
    monkeypatch.setattr(Rows, "of_this_file", rows)
    monkeypatch.setattr(corpus, "make", make_corpus)
    asks, does_not = (SimpleNamespace(fixturenames=names) for names in (["made_for_this_file"], ["db"]))
    for item in (asks, asks, does_not, does_not, asks, does_not):
        only_for_those_that_ask(item)
        assert Corpus.objects.exists() == (item is asks)
