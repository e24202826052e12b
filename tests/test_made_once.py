"""`made_once`: the rows of a file's tests are made once, and each test finds them unchanged."""

import pytest
from django.conf import settings

from collection.models import Corpus
from tests.corpora import make_corpus
from tests.made_once import made_once

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


def test_a_test_that_does_not_ask_for_it_runs_before_it_is_made(db: None) -> None:
    assert times == []
    assert not Corpus.objects.exists()
