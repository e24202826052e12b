"""The table of imported corpora has the numbers that a dry run of the files counts."""

from pathlib import Path

import pytest

from bench.imported_corpora import TRIED, Tried, counts_of, row_of
from tests.conftest import REPOSITORY

pytestmark = pytest.mark.django_db

TABLE = (REPOSITORY / "docs" / "imported-corpora.md").read_text()
LONG = 600  # rows: files with more are for `make test-all`
NO_PAIRS = {"text_genres"}


def rows_in(tried: Tried) -> int:
    line = next(line for line in TABLE.splitlines() if line.startswith(f"| `{tried.files}` |"))
    return int(line.split("|")[3].replace(",", ""))


@pytest.mark.parametrize(
    "tried",
    [
        pytest.param(each, id=each.files, marks=[pytest.mark.thorough] if rows_in(each) > LONG else [])
        for each in TRIED
    ],
)
def test_a_dry_run_counts_what_the_table_says(shared_data, tried):
    assert row_of(tried, counts_of(tried, shared_data)) in TABLE.splitlines()


@pytest.mark.parametrize(
    "files", ["ambient/crowdworker*", "livenli/livenli.csv", "varierr/lewidi_[!a]*.json"]
)
def test_what_is_then_in_the_database_is_what_the_table_says(shared_data, files):
    tried = next(each for each in TRIED if each.files == files)
    assert row_of(tried, counts_of(tried, shared_data, write=True)) in TABLE.splitlines()


def test_every_corpus_is_in_the_table(shared_data):
    folders = {path.name for path in shared_data.iterdir() if path.is_dir()} - NO_PAIRS
    assert folders == {Path(tried.files).parts[0] for tried in TRIED}
    assert all(rows_in(tried) for tried in TRIED)
