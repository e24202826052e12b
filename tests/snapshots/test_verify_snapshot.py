"""The checker: an intact snapshot passes, and every planted error is found and named."""

import json
import shutil
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from nli.manifest import FORMAT, FORMATS, Manifest
from nli.shapes import fields_of
from snapshots.files import parallel
from snapshots.files.hashes import manifest_sha256
from snapshots.verify import verify
from tests.corpora import make_corpus, make_premise
from tests.made_once import made_once
from tests.snapshots.altered import edit_manifest, findings, of_every_kind, rewrite, seal
from tests.snapshots.material import (
    add_premise,
    corpus_of,
    folder,
    freeze,
    published_pair,
)
from tests.validation.votes import vote
from validation.models import Question

pytestmark = pytest.mark.django_db


snapshot = made_once(of_every_kind)


@pytest.fixture
def copied(snapshot):
    return folder(snapshot)


def test_a_whole_snapshot_passes(copied):
    report = verify(copied)
    assert report.findings == []
    assert report.pairs == 42
    assert report.snapshot == "small@1"


def test_published_partitions_that_share_premises_pass(tmp_path):
    corpus = make_corpus()
    premise = make_premise(corpus, "A man sleeps.")
    published_pair(corpus, premise, "neutral", "train", "1")
    published_pair(corpus, premise, "entailment", "test", "2", hypothesis="Hypothesis 1.")
    assert findings(folder(freeze(corpus))) == []


def test_a_flipped_label_is_found(copied):
    def flip(rows):
        rows[0]["gold_label"] = "neutral" if rows[0]["gold_label"] != "neutral" else "entailment"

    rewrite(copied, "dev.jsonl", flip)
    seal(copied)
    assert any(
        "dev.jsonl, line 1: gold_label is" in each and "by the rule: 3 of 5" in each
        for each in findings(copied)
    )


def test_a_flipped_vote_changes_the_agreement(copied):
    def flip(rows):
        row = next(row for row in rows if row["gold_source"] == "voted")
        row["annotator_labels"][4] = "neutral" if row["annotator_labels"][4] != "neutral" else "entailment"

    rewrite(copied, "dev.jsonl", flip)
    seal(copied)
    assert any("manifest.json: agreement.unanimous is" in each for each in findings(copied))


def test_a_changed_file_is_found_by_its_hash(copied):
    data = (copied / "test.jsonl").read_bytes()
    (copied / "test.jsonl").write_bytes(data.replace(b"story", b"glory", 1))
    assert any("test.jsonl: was changed: its sha256 is" in each for each in findings(copied))


def test_a_lost_line_is_found(copied):
    rewrite(copied, "train.jsonl", lambda rows: rows.pop(3))
    found = findings(copied)
    assert any(each.startswith("train.jsonl: was changed or is incomplete") for each in found)
    assert "train.jsonl: has 35 lines, but 36 are listed" in found
    seal(copied)
    assert "manifest.json: pairs is 42, but the files give 41" in findings(copied)


def test_a_moved_pair_is_found(copied):
    moved: list[dict[str, Any]] = []
    rewrite(copied, "train.jsonl", lambda rows: moved.append(rows.pop(0)))
    rewrite(copied, "dev.jsonl", lambda rows: (rows.extend(moved), rows.sort(key=lambda row: row["pairID"])))
    seal(copied)
    premise = moved[0]["promptID"]
    assert f"dev.jsonl: the premise {premise!r} is in dev and train" in findings(copied)


def test_a_moved_premise_of_a_group_is_found(tmp_path):
    corpus = corpus_of(4, dev=3, test=0)
    for number in range(2):
        add_premise(corpus, f"A picture, told {number}.", group="picture 7")
    copied = tmp_path / "copy"
    shutil.copytree(folder(freeze(corpus)), copied)
    assert verify(copied).ok
    here, there = "train.jsonl", "dev.jsonl"
    if not any("group" in json.loads(line) for line in (copied / here).read_text().splitlines()):
        here, there = there, here
    moved: list[dict[str, Any]] = []

    def take(rows):
        premise = next(row["promptID"] for row in rows if "group" in row)
        moved.extend(row for row in rows if row["promptID"] == premise)
        rows[:] = [row for row in rows if row not in moved]

    rewrite(copied, here, take)
    rewrite(copied, there, lambda rows: (rows.extend(moved), rows.sort(key=lambda row: row["pairID"])))
    seal(copied)
    assert "dev.jsonl: the group 'picture 7' is in dev and train" in findings(copied)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            lambda told: told.update(seed=99),
            "manifest.json: was changed: it does not match its own manifest_sha256",
        ),
        (
            lambda told: told["corpus"].update(licence="MIT"),
            "corpus.json: differs from the facts under 'corpus'",
        ),
        (
            lambda told: told["files"]["dev.jsonl"].update(sha256="0"),
            "its sha256 does not follow from the files",
        ),
        (lambda told: told.update(sha256="0"), "its sha256 does not follow from the files that it lists"),
    ],
)
def test_an_edited_manifest_is_found(copied, change, sentence):
    edit_manifest(copied, change)
    assert any(sentence in each for each in findings(copied))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            lambda told: told["agreement"].update(unanimous=0.99),
            "agreement.unanimous is 0.99, but the files give",
        ),
        (
            lambda told: told["agreement"]["fleiss_kappa"].update(overall=0.1),
            "agreement.fleiss_kappa.overall is 0.1",
        ),
        (
            lambda told: told["partitions"]["dev"].update(pairs=4),
            "partitions.dev.pairs is 4, but the files give 3",
        ),
        (lambda told: told["gold_sources"].update(voted=1), "gold_sources.voted is 1, but the files give 40"),
        (
            lambda told: told.update(premises_in_two_partitions=3),
            "premises_in_two_partitions is 3, but the files",
        ),
        (
            lambda told: told.update(groups_in_two_partitions=3),
            "groups_in_two_partitions is 3, but the files",
        ),
        (
            lambda told: told.update(hypotheses_in_two_partitions=3),
            "hypotheses_in_two_partitions is 3, but the",
        ),
    ],
)
def test_an_edited_figure_is_found_even_with_a_fitting_hash(copied, change, sentence):
    edit_manifest(copied, change, sealed=True)
    assert any(sentence in each for each in findings(copied))


def test_a_torn_file_is_found(copied):
    data = (copied / "train.jsonl").read_bytes()
    (copied / "train.jsonl").write_bytes(data[: len(data) // 2])
    found = findings(copied)
    assert any(each.startswith("train.jsonl: was changed or is incomplete") for each in found)
    assert any("the file ends in the middle of this line" in each for each in found)


def test_a_missing_file_is_found(copied):
    (copied / "dev.jsonl").unlink()
    assert "dev.jsonl: is missing" in findings(copied)


def test_a_file_too_many_is_found(copied):
    (copied / "extra.jsonl").write_text("{}\n")
    assert findings(copied) == ["extra.jsonl: is in the folder, but not listed in manifest.json"]


def test_without_a_manifest_nothing_can_be_said(copied, tmp_path):
    (copied / "manifest.json").unlink()
    assert findings(copied) == ["manifest.json: is missing. It lists what should be in this folder."]
    assert findings(tmp_path / "nowhere") == [f"{tmp_path / 'nowhere'}: there is no such folder"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "cannot be read as JSON"),
        ("{", "cannot be read as JSON"),
        ("[" * 100_000, "cannot be read as JSON"),
        ("[]", "is not a JSON object"),
        ('{"files": 3}', f"has the format None, but this program checks {FORMATS[0]!r} and {FORMATS[1]!r}"),
        ('{"format": ["quintet-snapshot-2"]}', "has the format ['quintet-snapshot-2']"),
        (json.dumps({"format": FORMAT}), "'files' is missing"),
    ],
)
def test_a_garbled_manifest_is_a_finding_and_no_crash(copied, text, sentence):
    (copied / "manifest.json").write_text(text)
    assert any(each.startswith(f"manifest.json: {sentence}") for each in findings(copied))
    assert not verify(copied).pairs


def test_a_key_that_a_new_manifest_lacks_is_named(copied):
    """If the hash fits, no other check finds it. Only snapshots that are older than a key may lack it."""
    whole = (copied / "manifest.json").read_text()
    for field in fields_of(Manifest):
        told = json.loads(whole)
        if field.name not in told:
            assert field.since is None, field.name
            continue
        del told[field.name]
        sealed = (
            {**told, "manifest_sha256": manifest_sha256(told)} if field.name != "manifest_sha256" else told
        )
        (copied / "manifest.json").write_text(json.dumps(sealed))
        missing = f"manifest.json: {field.name!r} is missing"
        if field.name == "format":
            missing = "manifest.json: has the format None, but this program checks"
        assert any(each.startswith(missing) for each in findings(copied)), field.name
        if field.since == 2:
            edit_manifest(copied, lambda told: told.update(format=FORMATS[0]), sealed=True)
            assert findings(copied) == []


@pytest.mark.parametrize(
    "odds",
    [
        [None, {"x": {"y": {}}}],
        pytest.param([None, -0.5, "x", [3], {"x": {"y": {}}}], marks=pytest.mark.thorough),
    ],
    ids=["two", "all"],
)
def test_no_value_of_a_manifest_crashes_the_checker(copied, odds):
    whole = (copied / "manifest.json").read_text()
    for path, odd in product(places(json.loads(whole)), odds):
        told = json.loads(whole)
        inner = told
        for key in path[:-1]:
            inner = inner[key]
        if inner[path[-1]] == odd:
            continue
        inner[path[-1]] = odd
        (copied / "manifest.json").write_text(json.dumps(told))
        is_text_of_about = path[0] == "about" and len(path) > 1 and odd == "x"  # no hash covers these
        assert bool(findings(copied)) != is_text_of_about, (path, odd)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yields the path to every value in nested JSON objects."""
    for key, inner in value.items() if isinstance(value, dict) else ():
        yield (*path, key)
        yield from places(inner, (*path, key))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda told: told.update(seed="1"), "'seed' is not a number"),
        (lambda told: told.update(author_disjoint=0), "'author_disjoint' is not true or false"),
        (lambda told: told.update(parser="spaCy"), "'parser' is not an object or null"),
        (lambda told: told["files"]["dev.jsonl"].pop("bytes"), "'files.dev.jsonl.bytes' is missing"),
        (lambda told: told.update(note="hello"), "'note' is a key that no snapshot has"),
        (lambda told: told["corpus"]["question"].pop("gold_rule"), "'corpus.question.gold_rule' is missing"),
        (lambda told: told.update(provenance=["a.txt"]), "'provenance.0' is not an object"),
    ],
)
def test_what_is_not_as_the_table_says_is_named(copied, change, sentence):
    edit_manifest(copied, change, sealed=True)
    assert any(each.startswith(f"manifest.json: {sentence}") for each in findings(copied))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda row: row.pop("genre"), "genre is missing"),
        (lambda row: row.update(sentence2=3), "sentence2 is not a text"),
        (lambda row: row.update(annotator_labels="eee"), "annotator_labels is not a list of texts"),
        (lambda row: row["annotator_labels"].append("maybe"), "the label 'maybe' is not one of: entailment"),
        (lambda row: row["annotator_codes"].pop(), "has 4 annotator_codes for 5 annotator_labels"),
        (lambda row: row.update(genre="poetry"), "the genre 'poetry' is not one of the corpus"),
        (lambda row: row.update(gold_source="guess"), "gold_source 'guess' is not one of: voted"),
        (lambda row: row.update(gold_label="-"), "gold_label '-' does not go with gold_source 'voted'"),
        (
            lambda row: row.update(author_label="maybe"),
            "the author's label 'maybe' is not one of: entailment, neutral",
        ),
        (lambda row: row.update(author_label=[]), "author_label is not a text or null"),
        (lambda row: row.update(pairID="~"), "is out of order"),
        (lambda row: row.update(note="hello"), "has fields that no snapshot has: note"),
        (
            lambda row: row.update(premise_sentences=["x"]),
            "sentence1 is not premise_sentences joined by spaces",
        ),
    ],
)
def test_a_line_that_is_not_as_it_should_be_is_named(copied, change, sentence):
    rewrite(copied, "test.jsonl", lambda rows: change(rows[0]))
    seal(copied)
    assert any("test.jsonl, line" in each and sentence in each for each in findings(copied))


@pytest.mark.parametrize("garbled", [b"not json", b"[" * 100_000], ids=["words", "deep"])
def test_a_line_that_is_no_json_is_named(copied, garbled):
    data = (copied / "test.jsonl").read_bytes().splitlines(keepends=True)
    (copied / "test.jsonl").write_bytes(b"".join([data[0], garbled + b"\n", *data[2:]]))
    assert any(each.startswith("test.jsonl, line 2: is not JSON") for each in findings(copied))


def test_thousands_of_findings_are_cut_short_and_counted(copied):
    rewrite(copied, "train.jsonl", lambda rows: [row.update(genre="poetry") for row in rows])
    report = verify(copied)
    assert sum(finding.file == "train.jsonl" for finding in report.findings) == 20
    assert report.more["train.jsonl"] > 0


def test_faults_are_found_at_their_lines_where_files_are_read_in_portions(copied, monkeypatch):
    monkeypatch.setattr(parallel, "PORTION", 900)  # about two lines
    assert findings(copied) == []
    twice = []

    def spoil(rows):
        rows[30].update(genre="poetry")
        rows[10], rows[12] = rows[12], rows[10]
        twice.append(rows[20])

    rewrite(copied, "train.jsonl", spoil)
    rewrite(copied, "test.jsonl", lambda rows: rows.extend(twice))
    seal(copied)
    found, name = findings(copied), twice[0]["pairID"]
    assert any(each.startswith("train.jsonl, line 31: the genre 'poetry'") for each in found)
    out_of_order = [
        each.split(":")[0] for each in found if "out of order" in each and each.startswith("train")
    ]
    assert out_of_order == ["train.jsonl, line 12", "train.jsonl, line 13"]
    assert f"train.jsonl, line 21: pairID {name!r} occurs a second time" in found


def test_labels_of_a_scheme_that_early_snapshots_did_not_name_are_told_as_that(tmp_path):
    """Such snapshots counted their gold labels wrongly and cannot be checked; the corpus can be frozen again."""
    corpus = make_corpus(scheme="entailed2")
    Question.objects.filter(corpus=corpus).update(scheme="ordinal5", gold_rule="unanimous")
    pair = published_pair(corpus, make_premise(corpus, "A man sleeps."), "entailed", "train", "1")
    vote(pair, Question.objects.select_related("corpus").get(), "55555")
    copied = Path(shutil.copytree(folder(freeze(corpus)), tmp_path / "copied"))
    assert verify(copied).ok
    facts = json.loads((copied / "corpus.json").read_bytes())
    assert facts.pop("gold_scheme") == "entailed2"
    assert facts.pop("gold_labels") == ["entailed", "not-entailed"]
    (copied / "corpus.json").write_text(json.dumps(facts))
    edit_manifest(copied, lambda told: told.update(corpus=facts))
    seal(copied)
    assert any("a label of another scheme than ordinal5" in each for each in findings(copied))
