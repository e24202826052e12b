"""The content of the files, byte for byte."""

import hashlib
import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from collection.models import Pair, Parse
from nli.labels import QUESTION
from snapshots.files.datasheet import ASKED_ELSEWHERE, datasheet
from snapshots.freezing import writing
from tests.corpora import make_corpus, make_premise
from tests.snapshots.material import (
    add_pair,
    add_premise,
    corpus_of,
    folder,
    freeze,
    label_pair,
    lines,
    manifest,
    published_pair,
)

pytestmark = pytest.mark.django_db


def test_a_line_has_the_field_names_of_snli_and_multinli():
    corpus = make_corpus()
    pair = add_pair(
        make_premise(corpus, "A dog runs.", public_id="p1", group="p1"),
        "e",
        "An animal moves.",
        public_id="x1",
    )
    label_pair(pair, "eenee")
    Parse.objects.create(pair=pair, premise_parse="(ROOT (S))", hypothesis_binary_parse="( a b )")
    codes = [User.objects.get(username=name).code for name in ("ana", "v2", "v3", "v4", "v5")]
    assert lines(freeze(corpus), "train") == [
        {
            "annotator_codes": codes,
            "annotator_labels": ["entailment", "entailment", "neutral", "entailment", "entailment"],
            "author": codes[0],
            "author_label": "entailment",
            "genre": "fiction",
            "gold_label": "entailment",
            "gold_source": "voted",
            "label_distribution": {"entailment": 0.8, "neutral": 0.2, "contradiction": 0.0},
            "pairID": "x1",
            "promptID": "p1",
            "sentence1": "A dog runs.",
            "sentence1_binary_parse": "",
            "sentence1_parse": "(ROOT (S))",
            "sentence2": "An animal moves.",
            "sentence2_binary_parse": "( a b )",
            "sentence2_parse": "",
        }
    ]


def test_a_pair_that_nobody_was_asked_about_has_its_authors_label_alone():
    corpus = make_corpus()
    add_pair(make_premise(corpus, "A dog runs."), "n", "The dog is young.")
    (line,) = lines(freeze(corpus), "train")
    assert line["annotator_labels"] == ["neutral"]
    assert (line["gold_label"], line["gold_source"]) == ("neutral", "author")


def test_a_published_label_without_votes_is_said_to_be_one():
    corpus = make_corpus()
    published_pair(corpus, make_premise(corpus, "A dog runs."), "neutral", "test", "1")
    (line,) = lines(freeze(corpus), "test")
    assert (line["gold_label"], line["gold_source"], line["annotator_labels"]) == ("neutral", "published", [])
    assert (line["author"], line["author_label"]) == ("", None)


def test_several_sentences_are_kept_apart_and_joined():
    corpus = make_corpus()
    premise = make_premise(corpus, "A dog runs.\nA man looks on.", sentence_count=2)
    add_pair(premise, "n", "The man owns the dog.")
    (line,) = lines(freeze(corpus), "train")
    assert line["premise_sentences"] == ["A dog runs.", "A man looks on."]
    assert line["sentence1"] == "A dog runs. A man looks on."


def test_lines_are_sorted_by_code_point_and_keys_by_name():
    corpus = make_corpus()
    premise = make_premise(corpus, "Ein Hund läuft.")
    for name in ("b", "B", "a", "Ä", "10", "9", "_", "日本"):
        published_pair(corpus, premise, "neutral", "train", name, hypothesis="Größe “zählt” — 大きい")
    snapshot = freeze(corpus)
    raw = (folder(snapshot) / "train.jsonl").read_bytes()
    found = [line["pairID"] for line in lines(snapshot, "train")]
    assert found == sorted(found) == ["10", "9", "B", "_", "a", "b", "Ä", "日本"]
    assert "大きい".encode() in raw
    assert raw.endswith(b"\n")
    assert b"\r" not in raw
    first = raw.splitlines()[0].decode()
    assert first == json.dumps(json.loads(first), ensure_ascii=False, sort_keys=True)


def test_the_portions_in_which_rows_are_read_do_not_show(monkeypatch):
    corpus = corpus_of(7)
    whole = freeze(corpus)
    before = {path.name: path.read_bytes() for path in folder(whole).glob("*.jsonl")}
    whole.files.all().delete()
    monkeypatch.setattr(writing, "PAIRS_AT_ONCE", 2)
    add_premise(corpus, "Another one.").pairs.all().update(
        withdrawn_at="2026-01-01T00:00Z", withdrawn_because="set aside by a researcher"
    )
    whole.sha256 = "0" * 64  # as if that content had never been frozen
    whole.save()
    again = freeze(corpus)
    assert again.version == 2
    assert {path.name: path.read_bytes() for path in folder(again).glob("*.jsonl")} == before


def test_every_file_is_in_the_manifest_with_size_lines_and_hash():
    snapshot = freeze(corpus_of())
    told = manifest(snapshot)
    assert set(told["files"]) == {"corpus.json", "train.jsonl", "dev.jsonl", "test.jsonl"}
    for name, entry in told["files"].items():
        data = (folder(snapshot) / name).read_bytes()
        assert entry["bytes"] == len(data)
        assert entry["sha256"] == hashlib.sha256(data).hexdigest()
        assert entry["lines"] == (None if name == "corpus.json" else data.count(b"\n"))
    listing = "".join(f"{name} {told['files'][name]['sha256']}\n" for name in sorted(told["files"]))
    assert snapshot.sha256 == told["sha256"] == hashlib.sha256(listing.encode()).hexdigest()
    rows = {file.name: (file.sha256, file.size) for file in snapshot.files.all()}
    assert set(rows) == {*told["files"], "manifest.json"}


def test_the_manifest_says_what_a_reader_must_know():
    told = manifest(freeze(corpus_of(3, dev=0, test=0, licence="CC0-1.0", made_for_demo=True)))
    facts = told["corpus"]
    assert (facts["scheme"], facts["protocol"], facts["language"]) == ("nli3", "elicited", "en")
    assert (facts["licence"], facts["made_for_demo"]) == ("CC0-1.0", True)
    assert facts["question"]["wording"] == "How do they relate?"
    assert (facts["question"]["seats"], facts["question"]["threshold"]) == (5, 3)
    assert facts["question"]["label_wordings"]["neutral"] == "Maybe correct"
    assert told["placements"]["made"] == {"pairs": 9, "premises": 3}


def test_a_wording_that_no_annotator_read_is_not_stated():
    corpus = make_corpus()
    corpus.questions.update(wording=QUESTION)
    pair = published_pair(corpus, make_premise(corpus, "A premise."), "neutral", "train", "x1")
    alone = freeze(corpus)
    asked = manifest(alone)["corpus"]["question"]
    assert (asked["wording"], asked["label_wordings"]) == ("", {})
    assert ASKED_ELSEWHERE in datasheet(manifest(alone))
    label_pair(pair, "nnnnn")
    again = freeze(corpus)
    asked = manifest(again)["corpus"]["question"]
    assert (asked["wording"], asked["label_wordings"]["neutral"]) == (QUESTION, "Maybe correct")
    assert QUESTION in datasheet(manifest(again))


def test_hypotheses_in_two_partitions_are_counted():
    corpus = make_corpus()
    for name, partition in (("1", "train"), ("2", "test"), ("3", "test")):
        premise = make_premise(corpus, f"Premise {name}.")
        hypothesis = "Nobody is there." if name != "3" else "Somebody is there."
        published_pair(corpus, premise, "neutral", partition, name, hypothesis=hypothesis)
    assert manifest(freeze(corpus))["hypotheses_in_two_partitions"] == 1


def test_what_simulated_annotators_made_is_counted():
    corpus = corpus_of(2, dev=0, test=0)
    User.objects.filter(username="v2").update(kind="simulated")
    code = User.objects.get(username="v2").code
    assert manifest(freeze(corpus))["simulated"] == {"labels": 6, "pairs": 0, "people": [code]}


def test_no_name_and_no_database_id_is_in_the_files():
    snapshot = freeze(corpus_of())
    text = (folder(snapshot) / "train.jsonl").read_text()
    assert '"ana"' not in text
    assert '"v2"' not in text
    assert not any(isinstance(value, int) for line in lines(snapshot, "train") for value in line.values())


def queries_of_a_freeze(corpus) -> int:
    with CaptureQueriesContext(
        connection,
    ) as queries:
        freeze(corpus)
    return len(queries)


def test_a_freeze_asks_as_many_queries_for_a_larger_corpus():
    few = queries_of_a_freeze(corpus_of(6, slug="few"))
    many = queries_of_a_freeze(corpus_of(40, slug="many"))
    assert few == many
    assert Pair.objects.count() == 138
