"""Comparing published records with exported ones reports lost records, new ones, and fields that differ."""

import json

from tests.replication.round_trips import ABSENT, FORMS, compare, lingnli, tab_separated


def test_records_are_matched_by_their_keys_and_compared_field_by_field():
    published = [("dev", {"pairID": name, "text": name, "old": 1}) for name in "abc"]
    ours = [
        ("dev", {"pairID": "a", "text": "a", "old": 1}),
        ("dev", {"pairID": "b", "text": "B", "old": 1, "more": 2}),
        ("test", {"pairID": "c", "text": "c", "old": 1}),
    ]
    found = compare(published, ours, FORMS["snli"])
    assert (found.published, found.out, found.equal) == (3, 3, 1)
    assert (found.lost, found.new) == ([("dev", "c")], [("test", "c")])
    assert found.differing == {"text": 1, "more": 1}
    assert found.examples["more"] == (("dev", "b"), ABSENT, 2)


def test_a_line_of_ours_is_read_back_as_one_of_lingnli(tmp_path):
    line = {
        "annotator_codes": ["here:7", "here:9"],
        "annotator_labels": ["neutral", "neutral"],
        "author": "here:7",
        "gold_label": "neutral",
        "pairID": "12n~e",
        "promptID": "12",
        "sentence1": "It rains.",
        "sentence2": "It pours.",
    }
    path = tmp_path / "dev.jsonl"
    path.write_text(json.dumps(line) + "\n" + json.dumps({**line, "annotator_codes": ["here:7"]}) + "\n")
    judged, alone = lingnli(path)
    assert (judged["pairID"], judged["annotator_ids"], "AnonId" in judged) == ("12n", ["7", "9"], False)
    assert (alone["AnonId"], "annotator_ids" in alone) == ("7", False)


def test_spaces_for_a_tab_are_told_and_mended(tmp_path, capsys):
    path = tmp_path / "mpe_dev.txt"
    path.write_text("ID\tgold_label\n1\tneutral\n2   neutral\n")
    assert [row["ID"] for row in tab_separated(path)] == ["1", "2"]
    assert "mpe_dev.txt, line 3: 1 cells for 2 columns; mended." in capsys.readouterr().out
