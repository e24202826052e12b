"""A line of a published file becomes a pair, or an error with its reason."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collection.formats.lines import BadLine
from collection.formats.records import ImportedPair
from collection.formats.registry import FORMATS

SNLI = {
    "annotator_labels": ["neutral", "entailment", "neutral", "neutral", "neutral"],
    "captionID": "24.jpg#1",
    "gold_label": "neutral",
    "pairID": "24.jpg#1r1n",
    "sentence1": "A man stands.",
    "sentence1_parse": "(ROOT A man stands .)",
    "sentence1_binary_parse": "( A man )",
    "sentence2": "A man paints.",
    "sentence2_parse": "(ROOT A man paints .)",
    "sentence2_binary_parse": "( A man )",
}
JSONL = {"premise": "A man stands.", "hypothesis": "A man paints."}


@pytest.fixture
def read(tmp_path):
    """`read("snli", record)`: returns the pair that the format makes of a record."""

    def read_one(form: str, record: object) -> ImportedPair | BadLine:
        path = tmp_path / "file"
        path.write_text(json.dumps(record) + "\n", encoding="utf-8")
        (found,) = FORMATS[form].read(path)
        return found

    return read_one


def test_snli_puts_the_image_into_the_group(read):
    pair = read("snli", SNLI)
    assert pair.premise == ("A man stands.",)
    assert (pair.premise_id, pair.group, pair.pair_id) == ("24.jpg#1", "24.jpg", "24.jpg#1r1n")
    assert pair.has_author
    assert pair.labels == ("neutral", "entailment", "neutral", "neutral", "neutral")
    assert pair.published_label == "neutral"
    assert pair.parses[0] == "(ROOT A man stands .)"
    assert not pair.unread


def test_snli_without_a_majority_has_no_gold_label_but_speaks_of_it(read):
    pair = read("snli", {**SNLI, "gold_label": "-"})
    assert pair.published_label is None
    assert pair.has_gold


def test_an_empty_label_keeps_its_place(read):
    assert read("snli", {**SNLI, "annotator_labels": ["neutral", "", "entailment"]}).labels == (
        "neutral",
        None,
        "entailment",
    )


def test_multinli_has_genre_and_prompt_id(read):
    record = {**SNLI, "genre": "slate", "promptID": 63735}
    del record["captionID"]
    pair = read("multinli", record)
    assert (pair.genre, pair.premise_id, pair.group) == ("slate", "63735", "")


@pytest.mark.parametrize("key", ["sentence1", "sentence2"])
def test_snli_needs_both_sentences(read, key):
    record = {name: value for name, value in SNLI.items() if name != key}
    assert read("snli", record) == BadLine(1, f'there is no "{key}"')


def test_a_premise_may_have_several_sentences(read):
    assert read("jsonl", {**JSONL, "premise": ["One.", "Two."]}).premise == ("One.", "Two.")


def test_jsonl_takes_all_that_is_known(read):
    pair = read(
        "jsonl",
        {
            **JSONL,
            "label": "neutral",
            "labels": ["neutral", "entailment"],
            "author": "W1",
            "annotators": ["W1", "V1"],
            "genre": "letters",
            "id": 17,
            "premise_id": "p",
            "group": "g",
            "document": "d",
            "mood": "good",
        },
    )
    assert (pair.pair_id, pair.genre, pair.premise_id, pair.group, pair.document) == (
        "17",
        "letters",
        "p",
        "g",
        "d",
    )
    assert (pair.author, pair.annotators) == ("W1", ("W1", "V1"))
    assert pair.unread == {"mood": 1}


def test_labels_of_an_ordinal_scale_may_be_numbers(read):
    pair = read("jsonl", {**JSONL, "label": 3, "labels": [1, 5]})
    assert (pair.published_label, pair.labels) == ("3", ("1", "5"))


def test_an_empty_hypothesis_is_read_because_published_files_have_some(read):
    assert read("jsonl", {**JSONL, "hypothesis": ""}).hypothesis == ""


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"premise": ""}, '"premise" is empty'),
        ({"premise": "  "}, '"premise" is empty'),
        ({"premise": []}, '"premise" is an empty list'),
        ({"premise": ["One.", " "]}, '"premise" is empty'),
        ({"premise": 7}, '"premise" must be a string, not a number'),
        ({"premise": None}, '"premise" must be a string, not null'),
        ({"hypothesis": None}, '"hypothesis" must be a string, not null'),
        ({"hypothesis": ["a"]}, '"hypothesis" must be a string, not a list'),
        ({"hypothesis": "a\x00b"}, '"hypothesis" contains a NUL character; remove it'),
        (
            {"hypothesis": "\ud800"},
            '"hypothesis" holds half of a character (a lone surrogate); type the character again',
        ),
        ({"hypothesis": "x" * 10_001}, '"hypothesis" is 10,001 characters long; the limit is 10,000'),
        ({"labels": "neutral"}, '"labels" must be a list, not a string'),
        ({"labels": [True]}, '"labels" must be a string, not true or false'),
        ({"label": {}}, '"label" must be a string, not an object'),
        ({"label": 0.5}, '"label" must be a string, not a number'),
        ({"id": "x" * 201}, '"id" is 201 characters long; the limit is 200'),
        ({"id": False}, '"id" must be a string, not true or false'),
        (
            {"annotators": ["a"], "labels": ["neutral", "neutral"]},
            '"labels" has 2 entries, but "annotators" has 1',
        ),
        ({"annotators": ["a"]}, '"labels" has 0 entries, but "annotators" has 1'),
    ],
)
def test_what_cannot_be_understood_is_refused_with_its_reason(read, change, reason):
    assert read("jsonl", {**JSONL, **change}) == BadLine(1, reason)


def test_a_table_has_the_fields_of_jsonl_as_columns(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text(
        "id\tpremise\thypothesis\tlabel1\tlabel2\tlabel\tmood\n"
        "7\tA man.\tA person.\tneutral\t\tneutral\tgood\n"
    )
    (pair,) = FORMATS["tsv"].read(path)
    assert isinstance(pair, ImportedPair)
    assert (pair.pair_id, pair.premise, pair.hypothesis) == ("7", ("A man.",), "A person.")
    assert pair.labels == ("neutral", None)
    assert pair.unread == {"mood": 1}


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
keys = sorted({*JSONL, *SNLI, "label", "labels", "author", "annotators", "genre", "id", "promptID"})


@given(record=st.dictionaries(st.sampled_from(keys), anything), form=st.sampled_from(["jsonl", "snli"]))
def test_any_json_object_gives_a_pair_or_a_reason(tmp_path_factory, record, form):
    path = tmp_path_factory.getbasetemp() / "any.jsonl"
    path.write_text(json.dumps(record) + "\n", encoding="utf-8")
    (found,) = FORMATS[form].read(path)
    assert isinstance(found, ImportedPair | BadLine)
    if isinstance(found, ImportedPair):
        for text in (*found.premise, found.hypothesis, found.pair_id, found.genre, *found.parses):
            assert "\x00" not in text
            text.encode()
