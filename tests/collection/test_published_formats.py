"""Readers of published files report an invalid line with its reason, and continue."""

import json

import pytest

from collection.formats.lines import BadLine
from collection.formats.registry import FORMATS

MPE = {
    "ID": "1",
    **{f"premise{n}": f"7.jpg#{n}/Caption {n}/2." for n in range(1, 5)},
    "hypothesis": "A boy.",
    "entailment_judgments": "3",
    "neutral_judgments": "0",
    "contradiction_judgments": "2",
    "gold_label": "neutral",
}


@pytest.fixture
def read(tmp_path):
    def read_text(form: str, text: str):
        path = tmp_path / "file"
        path.write_text(text, encoding="utf-8")
        return list(FORMATS[form].read(path))

    return read_text


def table(*rows: dict[str, str]) -> str:
    return "\n".join("\t".join(cells) for cells in (rows[0].keys(), *(row.values() for row in rows)))


def test_counts_become_judgements_and_the_final_label_stands_beside_them(read):
    (pair,) = read("mpe", table(MPE))
    assert pair.labels == ("entailment",) * 3 + ("contradiction",) * 2
    assert (pair.published_label, pair.gold_stands, pair.has_author) == ("neutral", True, False)
    assert (pair.premise[0], pair.group) == ("Caption 1/2.", "7.jpg")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"neutral_judgments": "-1"}, '"neutral_judgments" must be a number of judgements, not "-1"'),
        ({"neutral_judgments": "²"}, '"neutral_judgments" must be a number of judgements, not "²"'),
        (
            {"neutral_judgments": "9" * 9},
            '"neutral_judgments" must be a number of judgements, not "999999999"',
        ),
        ({"premise2": "7.jpg#2"}, '"premise2" must be a caption\'s id, a slash and its text'),
    ],
)
def test_a_line_of_mpe_that_says_no_pair_is_refused_for_a_reason(read, change, reason):
    bad, good = read("mpe", table({**MPE, **change}, MPE))
    assert bad == BadLine(2, reason)
    assert good.line == 3


def test_objects_of_an_array_come_with_the_lines_that_they_begin_on(read):
    one, two = ({"premise": "P", "hypothesis": str(n), "author": "neutral"} for n in (1, 2))
    text = "\n[\n" + json.dumps(one, indent=1) + ",\n\n 7,\n" + json.dumps(two) + "\n]\n"
    first, number, second = read("klue", text)
    assert (first.line, first.hypothesis, first.labels) == (3, "1", ("neutral",))
    assert number == BadLine(9, "a line must hold a JSON object, not a number")
    assert (second.line, second.hypothesis) == (10, "2")


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("", "the file must hold a JSON array: it has to begin with ["),
        ('{"premise": "P"}', "the file must hold a JSON array: it has to begin with ["),
        ("[", "not valid JSON from here on: Expecting value, at character 2"),
        ("[1,]", "not valid JSON from here on: Expecting value, at character 4"),
        ("[1 2]", "not valid JSON after this object: there must be a comma or ]"),
        ("[" * 100_000, "not valid JSON from here on: maximum recursion depth exceeded"),
    ],
)
def test_an_array_that_breaks_off_ends_with_a_reason(read, text, last):
    assert read("klue", text)[-1].reason.startswith(last)


def test_an_empty_array_holds_no_pairs(read):
    assert read("klue", " [ ] ") == []


def test_the_hundred_labels_stand_behind_five_places_also_where_one_is_missing(read):
    record = {
        "uid": "9.jpg#0r1e",
        "example": {"premise": "P", "hypothesis": "H", "source": "snli_agree_3"},
        "old_labels": ["entailment", "neutral", "neutral", "neutral"],
        "old_label": "n",
        "label_count": [1, 0, 2],
    }
    (pair,) = read("chaosnli", json.dumps(record))
    assert pair.metadata == {"source": record["example"]["source"]}
    assert pair.labels[4:] == (None, "entailment", "contradiction", "contradiction")
    assert (pair.group, pair.genre, pair.published_label) == ("9.jpg", "snli", "neutral")
    for counts in ([1, 2], [1, 2, True], [1, 2, -1], "100", [1, 2, 10**9]):
        (bad,) = read("chaosnli", json.dumps({**record, "label_count": counts}))
        assert bad.reason == '"label_count" must be three numbers: entailment, neutral, contradiction'


def test_metadata_of_recast_pairs_is_read_from_the_file_beside_them(tmp_path):
    pair = {"context": "C", "hypothesis": "H", "label": "entailed", "pair-id": 1, "split": "dev"}
    about = {"pair-id": 1, "corpus": "News", "corpus-sent-id": 12}
    data = tmp_path / "recast_x_data.json"
    data.write_text(json.dumps([pair]))
    (alone,) = FORMATS["dnc"].read(data)
    assert (alone.group, alone.partition) == ("", "dev")
    (tmp_path / "recast_x_metadata.json").write_text(json.dumps([about]))
    (known,) = FORMATS["dnc"].read(data)
    assert known.group == "News 12"


def test_a_table_of_snli_has_labels_in_columns(read):
    header = "gold_label\tsentence1\tsentence2\tcaptionID\tpairID\tlabel1\tlabel2\tlabel3"
    (pair,) = read("snli_txt", f"{header}\nneutral\tA.\tB.\t7.jpg#1\t7.jpg#1r1n\tneutral\tneutral\t")
    assert (pair.labels, pair.published_label, pair.group) == (("neutral", "neutral"), "neutral", "7.jpg")


def test_an_array_in_one_long_line_is_read_object_by_object(read):
    one = {"premise": "P " * 4000, "hypothesis": '[]{}\\"', "author": "neutral"}
    text = json.dumps([{**one, "number": n} for n in range(300)])
    assert len(text) > 2_000_000
    assert len({pair.hypothesis for pair in read("klue", text)}) == 1
    assert len(read("klue", text)) == 300
    *good, bad = read("klue", text[:-3])
    assert len(good) == 299
    assert (bad.line, bad.reason.startswith("not valid JSON from here on")) == (1, True)
    *good, bad = read("klue", text.replace('"number": 299', '"number": 29x'))
    assert bad.reason == f"not valid JSON from here on: Expecting ',' delimiter, at character {len(text) - 2}"
