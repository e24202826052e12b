"""Imports of pairs from files with invalid lines, and from files that cannot be read."""

import gzip
import json

import pytest

from collection.models import Corpus, Pair, Source
from tests.annotation_site.imported_lines import N, bring_lines, record  # noqa: F401  (a fixture)
from tests.commands import run, write_jsonl

pytestmark = pytest.mark.django_db


# Bad lines


def test_bad_lines_are_refused_by_number_while_good_ones_go_in(bring):
    result = bring([record(1), "{oops", {"premise": "A dog."}, record(4, label="maybe"), "", record(6)])
    assert result.failure == ""
    assert result.json["pairs"] == 2
    assert [(each["line"], each["reason"]) for each in result.json["refused"]] == [
        (2, "not valid JSON: Expecting property name enclosed in double quotes, at character 2"),
        (3, 'there is no "hypothesis"'),
        (4, 'label "maybe" is none of entailment, neutral, contradiction'),
    ]
    assert "pairs.jsonl, line 2: not valid JSON" in result.err
    assert "3 lines were refused." in result.err


def test_strict_imports_all_or_nothing(bring):
    result = bring([record(1), "{oops", record(3)], strict=True)
    assert result.failure == "1 line was refused, so nothing was written (--strict)."
    assert "line 2" in result.err
    assert not Corpus.objects.exists()
    assert not Source.objects.exists()
    assert bring([record(1), record(3)], strict=True).json["pairs"] == 2


def test_strict_holds_for_all_files_together(tmp_path):
    good = write_jsonl(tmp_path / "good.jsonl", [record(1)])
    bad = write_jsonl(tmp_path / "bad.jsonl", [record(2), {}])
    assert run("import_pairs", "new", good, bad, format="jsonl", strict=True).failure
    assert not Pair.objects.exists()


def test_many_bad_lines_are_counted_and_only_the_first_are_named(bring):
    result = bring([record(1), *["{"] * 1200])
    assert result.json["refused_count"] == 1200
    assert len(result.json["refused"]) == 1000
    assert "1,200 lines, first pairs.jsonl, line 2: not valid JSON" in result.err
    many = bring([record(1), *[record(n, label=f"L{n}") for n in range(2, 32)]], name="many.jsonl")
    assert "... and 10 more." in many.err


def test_characters_that_no_database_keeps_are_refused(bring):
    texts = ["nul \x00", "half \ud800"]
    result = bring([record(1), *(record(n, hypothesis=text) for n, text in enumerate(texts, start=2))])
    assert [each["line"] for each in result.json["refused"]] == [2, 3]
    odd = [
        {**record(4), "\ud800": 1},
        record(5, label="\ud800"),
        record(6, genre="\x00"),
        record(7, labels=["\x00"]),
    ]
    assert [each["line"] for each in bring(odd, name="odd.jsonl").json["refused"]] == [2, 3, 4]


def test_keys_that_nobody_reads_are_named(bring):
    assert bring([record(lables=[N])]).json["keys_not_read"] == {"lables": 1}


def test_empty_hypotheses_go_in_and_are_counted(bring):
    assert bring([record(hypothesis="")]).json["empty_hypotheses"] == 1


@pytest.mark.parametrize("content", ["", "\n\n"])
def test_an_empty_file_fails_and_says_so(tmp_path, content):
    path = tmp_path / "empty.jsonl"
    path.write_text(content)
    failure = run("import_pairs", "new", path, format="jsonl").failure
    assert failure == "The file contains no pairs. Nothing was imported into new."


def test_files_that_cannot_be_read_are_all_named_before_anything_starts(tmp_path):
    good = write_jsonl(tmp_path / "good.jsonl", [record(1)])
    failure = run("import_pairs", "new", good, tmp_path / "none", tmp_path, format="jsonl").failure
    assert "none does not exist" in failure
    assert "is a folder" in failure
    assert not Pair.objects.exists()


def test_a_compressed_file_is_taken_as_it_is(tmp_path):
    path = tmp_path / "pairs.jsonl.gz"
    path.write_bytes(gzip.compress(json.dumps(record(1)).encode()))
    assert run("import_pairs", "new", path, format="jsonl", json=True, unlabelled=True).json["pairs"] == 1


def test_a_table_is_taken_too(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text("premise\thypothesis\tlabel1\tlabel2\nA dog runs.\tA dog moves.\tneutral\tneutral\n")
    assert run("import_pairs", "new", path, format="tsv", json=True).json["labels"] == 2
