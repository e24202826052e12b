"""Lines of SNLI, real ones and some of our own, are imported completely, with labels, premises, groups and parses."""

from collections import Counter

import pytest

from collection.models import Corpus, Pair, Parse, Premise
from tests.commands import run, write_jsonl
from tests.snapshots.altered import findings
from tests.snapshots.material import folder, freeze, lines
from validation.models import Label

pytestmark = pytest.mark.django_db


@pytest.fixture
def rows(five_labels) -> list[dict]:
    return five_labels.rows


def test_all_pairs_and_labels_of_the_files_are_there(five_labels, files, rows):
    pairs, five = five_labels.pairs, five_labels.with_five
    summary = run("import_pairs", "snli", *files, format="snli", json=True).json
    assert (summary["pairs"], summary["refused"]) == (pairs, [])
    assert (summary["author_labels"], summary["fewer_labels"]) == (pairs, pairs - five)
    assert summary["gold_differs"] == 0
    assert summary["labels"] == five * 5 + (pairs - five) * 4
    stored = Label.objects.order_by("position").values_list("pair__public_id", "label")
    labels: dict[str, list[str | None]] = {}
    for public_id, label in stored:
        labels.setdefault(public_id, []).append(label)
    assert labels == {row["pairID"]: row["annotator_labels"] for row in rows}
    assert Counter(map(len, labels.values())) == {5: five, 4: pairs - five}


@pytest.mark.thorough
def test_texts_and_parses_come_through_unchanged(files, rows):
    run("import_pairs", "snli", *files, format="snli")
    stored = {pair.public_id: pair for pair in Pair.objects.select_related("premise", "parse")}
    for row in rows:
        pair = stored[row["pairID"]]
        assert (pair.premise.text, pair.hypothesis) == (row["sentence1"], row["sentence2"])
        assert pair.premise.public_id == row["captionID"]
        assert pair.premise.group == row["captionID"].split("#")[0]
        assert pair.author_label == row["annotator_labels"][0]
        assert pair.parse.premise_binary_parse == row["sentence1_binary_parse"]
    assert Premise.objects.count() == len({row["captionID"] for row in rows})
    assert Parse.objects.count() == len(rows)


@pytest.mark.thorough
def test_a_second_import_passes_over_all_of_them(files, rows):
    run("import_pairs", "snli", *files, format="snli")
    again = run("import_pairs", "snli", *files, format="snli", json=True).json
    assert (again["pairs"], again["skipped"], again["refused"]) == (0, len(rows), [])


@pytest.mark.thorough
def test_gold_labels_without_votes_are_published_labels(shared_data):
    path = shared_data / "snli_gold" / "dev.jsonl.gz"
    summary = run("import_pairs", "gold", path, format="jsonl", partition="dev", json=True).json
    assert (summary["pairs"], summary["published_labels"], summary["labels"]) == (8642, 8642, 0)
    counts = Counter(Pair.objects.values_list("published_label", flat=True))
    assert counts == {"neutral": 2792, "entailment": 2915, "contradiction": 2935}


def test_trees_of_the_published_files_attach_to_the_bare_pairs(files, rows, tmp_path):
    bare = [{key: value for key, value in row.items() if "parse" not in key} for row in rows]
    path = write_jsonl(tmp_path / "bare.jsonl", bare)
    run("import_pairs", "snli", path, format="snli", partition="train")
    trees = write_jsonl(tmp_path / "trees.jsonl", rows)
    said = run("attach_trees", "snli", trees, "--made-by", "Stanford PCFG 3.5.2", "--partly")
    left_out = {int(line.split(":")[0].removeprefix("line ")) for line in said.err.splitlines()}
    snapshot = freeze(Corpus.objects.get(), trees="trees.jsonl")
    frozen = {line["pairID"]: line for line in lines(snapshot, "train")}
    same = [
        all(frozen[row["pairID"]][key] == row[key] for key in row if "parse" in key)
        for number, row in enumerate(rows, start=1)
        if number not in left_out
    ]
    assert (len(left_out), all(same)) == (0, True)
    assert findings(folder(snapshot)) == []
