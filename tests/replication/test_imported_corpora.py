"""The table of imported corpora has the numbers that a dry run of the files counts.

Of large corpora that is asked once before a release, with WHOLE_CORPORA=1 (CONTRIBUTING.md); the other tests read their
first rows at every landing.
"""

import gzip
import json
from pathlib import Path

import pytest

from collection.formats.registry import FORMATS
from collection.formats.sniffing import sniffed
from tests.commands import write_jsonl
from tests.conftest import REPOSITORY
from tests.replication.imported_corpora import TRIED, WHOLE, Tried, counts_of, row_of

pytestmark = pytest.mark.django_db

TABLE = (REPOSITORY / "docs" / "imported-corpora.md").read_text()
LONG = 400  # rows: files with more are not for `make quick`
LARGE = 3_200  # rows: files with more are read whole before a release
NO_PAIRS = {"text_genres"}


def rows_in(tried: Tried) -> int:
    line = next(line for line in TABLE.splitlines() if line.startswith(f"| `{tried.files}` |"))
    return int(line.split("|")[3].replace(",", ""))


@pytest.mark.parametrize(
    "tried",
    [
        pytest.param(each, id=each.files, marks=[pytest.mark.thorough] if rows_in(each) > LONG else [])
        for each in TRIED
        if WHOLE or rows_in(each) <= LARGE
    ],
)
def test_a_dry_run_counts_what_the_table_says(shared_data, tried):
    assert row_of(tried, counts_of(tried, shared_data)) in TABLE.splitlines()


@pytest.mark.parametrize("tried", [pytest.param(each, id=each.files) for each in TRIED])
def test_the_format_of_each_file_is_found_by_its_first_rows(shared_data, tried):
    paths = sorted(shared_data.glob(tried.files))
    assert paths
    found = {path.name: sniffed(path).form.name for path in paths if path.suffix != ".md"}
    assert found == dict.fromkeys(found, tried.form)


def test_multinli_in_the_columns_of_med_is_not_med(tmp_path, shared_data):
    """The tables of MultiNLI in GLUE have the columns of MED; only its genres are kinds of monotonicity."""
    head = (shared_data / "med/MED.tsv").read_text().partition("\n")[0].split("\t")
    row = dict.fromkeys(head, "") | {"sentence1": "P.", "sentence2": "H.", "gold_label": "neutral"}
    path = tmp_path / "dev_matched.tsv"
    for genre, form in (("slate", "multinli_txt"), ("crowd:upward_monotone", "med")):
        path.write_text("\n".join("\t".join(cells) for cells in (head, (row | {"genre": genre}).values())))
        assert sniffed(path).form.name == form


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


def test_anlis_pairs_get_the_labels_of_their_verifiers_from_the_published_file(shared_data, tmp_path):
    """The dev file at hand has both; without its labels, the published file beside it gives the same."""
    folder = shared_data / "anli"
    whole = folder / "anli_dev_with_verifiers.jsonl.gz"
    name = "verifier_labels_R1-3.jsonl.gz"
    (tmp_path / name).write_bytes((folder / name).read_bytes())
    rows = map(json.loads, gzip.decompress(whole.read_bytes()).decode().splitlines())
    bare = ({key: value for key, value in row.items() if key != "verifier_labels"} for row in rows)
    path = write_jsonl(tmp_path / "dev.jsonl", map(json.dumps, bare))
    read = FORMATS["anli"].read
    found = list(read(path))
    assert found == list(read(whole))
    assert sum(len(pair.labels) - 1 for pair in found) == 7375
