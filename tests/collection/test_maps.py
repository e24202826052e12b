"""Column maps and label maps, and their errors."""

import pytest

from collection.formats.field_errors import FieldError, said_by_command
from collection.formats.lines import BadLine
from collection.formats.maps import column_map, label_map
from collection.formats.records import Unreadable
from collection.formats.registry import FORMATS

TABLE = "context\tclaim\tverdict\tr1\tr2\nA dog runs.\tAn animal moves.\t5\t1\t4\n"


def read(tmp_path, text, columns="", labels="", form="tsv"):
    path = tmp_path / "file"
    path.write_text(text)
    made = FORMATS[form].mapped(column_map(columns), label_map(labels) if labels else None)
    return list(made.read(path))


def test_columns_and_labels_of_any_names_are_read(tmp_path):
    (pair,) = read(
        tmp_path,
        TABLE,
        "premise=context,hypothesis=claim,label=verdict,labels=r1+r2",
        "1=contradiction,2-4=neutral,5=entailment",
    )
    assert (pair.premise, pair.hypothesis, pair.published_label) == (
        ("A dog runs.",),
        "An animal moves.",
        "entailment",
    )
    assert (pair.labels, pair.unread) == (("contradiction", "neutral"), {})


def test_several_columns_of_a_premise_are_its_sentences_and_a_cell_may_hold_several_labels(tmp_path):
    text = 'a,b,h,all,why\nOne.,Two.,H.,"e, n, x",Because.\n'
    (pair,) = read(tmp_path, text, "premise=a+b,hypothesis=h,labels=all,metadata=why", "x=", form="csv")
    assert (pair.premise, pair.labels, pair.metadata) == (
        ("One.", "Two."),
        ("e", "n", None),
        {"why": "Because."},
    )


def test_an_authors_label_of_its_own_column_stands_before_the_others(tmp_path):
    (pair,) = read(tmp_path, TABLE, "premise=context,hypothesis=claim,author_label=verdict,labels=r1+r2")
    assert pair.labels == ("5", "1", "4")


def test_a_column_that_is_named_serves_no_other_field(tmp_path):
    text = '{"premise": "P.", "hypothesis": "H.", "genre": "neutral", "label": "e"}'
    (pair,) = read(tmp_path, text, "label=genre", form="jsonl")
    assert (pair.genre, pair.published_label, pair.unread) == ("", "neutral", {"label": 1})


@pytest.mark.parametrize(
    ("number", "label"),
    [
        (1.49, "contradiction"),
        ("1.5", "neutral"),  # halves go away from zero
        (4.5, "entailment"),
        ("-0.5", "contradiction"),
        (5, "entailment"),
        ("+2", "neutral"),
    ],
)
def test_a_decimal_is_rounded_as_the_bounds_are_written(number, label):
    assert label_map("-1..1=contradiction,2-4=neutral,5=entailment").read(number, "k") == label


def test_bounds_with_decimals_round_to_as_many():
    degrees = label_map("0.00-0.33=contradiction,0.34-1=entailment")
    assert [degrees.read(value, "k") for value in (0.334, 0.335)] == ["contradiction", "entailment"]


@pytest.mark.parametrize("value", [6, "5.6", 0.2])
def test_a_number_that_no_range_holds_is_refused(value):
    with pytest.raises(Unreadable, match=f'"k" is {value}, which is in no range of the label map'):
        label_map("1=contradiction,2-5=entailment").read(value, "k")


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 1e300])
def test_what_is_no_number_is_left_to_the_corpus_to_refuse(value):
    assert label_map("1=contradiction").read(value, "k") == repr(value)


@pytest.mark.parametrize(
    ("columns", "reason"),
    [
        ("premise", '"premise" is invalid; write field=column'),
        ("premisse=a", 'there is no field "premisse"; the fields are: premise, hypothesis'),
        ("premise=a,premise=b", 'the field "premise" is there twice'),
        ("hypothesis=a+b", '"hypothesis" takes one column, not 2; several can go into premise, labels'),
        ("premise=", '"premise" needs a column'),
    ],
)
def test_a_bad_column_map_says_what_is_wrong(columns, reason):
    with pytest.raises(FieldError) as problem:
        column_map(columns)
    assert reason in str(problem.value)


@pytest.mark.parametrize(
    ("labels", "reason"),
    [
        (",", "it is empty"),
        ("1", '"1" is invalid'),
        ("=neutral", '"=neutral" is invalid'),
        ("a=neutral,a=entailment", 'the label "a" is there twice'),
        ("1-3=neutral,3-5=entailment", "the ranges 1-3 and 3-5 overlap"),
        ("4-2=neutral", 'the range "4-2" begins above its end'),
    ],
)
def test_a_bad_label_map_says_what_is_wrong(labels, reason):
    with pytest.raises(FieldError) as problem:
        label_map(labels)
    assert reason in str(problem.value)


def test_a_column_that_is_not_there_is_named_with_those_that_are(tmp_path):
    with pytest.raises(FieldError) as problem:
        read(tmp_path, TABLE, "premise=contxt,hypothesis=claim")
    assert said_by_command(problem.value) == (
        '--columns: premise=contxt: there is no column "contxt". Did you mean "context"? The columns are: context,'
        " claim, verdict, r1, r2."
    )


def test_a_key_that_only_a_later_line_has_is_there(tmp_path):
    text = '{"p": "P.", "h": "H."}\n{"p": "P.", "h": "I.", "gold": "neutral"}\n'
    first, second = read(tmp_path, text, "premise=p,hypothesis=h,label=gold", form="jsonl")
    assert (first.published_label, second.published_label) == (None, "neutral")


def test_a_format_of_its_own_takes_no_map():
    with pytest.raises(FieldError, match="The format mpe has its own columns"):
        FORMATS["mpe"].mapped({}, label_map("a=neutral"))


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ('"\\u0000"', "contains a NUL character"),
        ("NaN", "is NaN or Infinity"),
        ('["\\ud800"]', "surrogate"),
    ],
)
def test_metadata_that_no_database_keeps_is_refused(tmp_path, value, reason):
    text = f'{{"premise": "P.", "hypothesis": "H.", "why": {value}}}'
    (bad,) = read(tmp_path, text, "metadata=why", form="jsonl")
    assert isinstance(bad, BadLine)
    assert reason in bad.reason
