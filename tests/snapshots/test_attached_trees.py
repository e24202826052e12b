"""Trees made elsewhere: attached to pairs, checked against their words, named in the manifest, exported, verified."""

from pathlib import Path

import pytest

from collection.models import Parse
from snapshots.models import DerivedTree, Parser
from tests.cast import rosa
from tests.commands import Run, run, write_jsonl
from tests.snapshots.altered import edit_manifest, findings, rewrite, seal
from tests.snapshots.material import add_pair, add_premise, corpus_of, folder, freeze, lines, manifest

pytestmark = pytest.mark.django_db
QUOTED = 'He says "no" (twice).'
TREE = (
    "(ROOT (S (NP (PRP He)) (VP (VBZ says) (`` ``) (INTJ (UH no)) ('' '') "
    "(PRN (-LRB- -LRB-) (ADVP (RB twice)) (-RRB- -RRB-))) (. .)))"
)
BINARY = "( He ( ( says ( ( ( `` no ) '' ) ( ( -LRB- twice ) -RRB- ) ) ) . ) )"


@pytest.fixture
def pair():
    corpus = corpus_of(0, dev=0, test=0)
    premise = add_premise(corpus, "A dog.\nIt runs.")
    premise.sentence_count = 2
    premise.save()
    one = premise.pairs.order_by("pk")[0]
    one.hypothesis = QUOTED
    one.save()
    return one


def attach(path: Path, *more: str) -> Run:
    return run("attach_trees", "small", path, "--made-by", "Stanford PCFG 3.5.2", *more)


def test_attached_trees_come_out_in_snlis_fields_named_and_verified(pair, tmp_path):
    premise = "(ROOT (NP (DT A) (NN dog) (. .))) (ROOT (S (NP (PRP It)) (VP (VBZ runs)) (. .)))"
    record = {
        "pairID": pair.public_id,
        "sentence1_parse": premise,
        "sentence2_parse": TREE,
        "sentence2_binary_parse": BINARY,
    }
    said = attach(write_jsonl(tmp_path / "trees.jsonl", [record]))
    assert said.out.startswith("Trees for 3 sentences of 1 pairs.")
    assert "dog" not in "".join(DerivedTree.objects.values_list("parse", flat=True)), "stored without words"
    snapshot = freeze(pair.corpus, trees="trees.jsonl")
    (line,) = [each for each in lines(snapshot, "train") if each["pairID"] == pair.public_id]
    assert (line["sentence2_parse"], line["sentence2_binary_parse"]) == (TREE, BINARY)
    assert line["sentence1_parse"] == (
        "(ROOT (FRAG (NP (DT A) (NN dog) (. .)) (S (NP (PRP It)) (VP (VBZ runs)) (. .))))"
    )
    assert line["attached_parses"] == ["sentence1", "sentence2"]
    assert "derived_parses" not in line
    stated = manifest(snapshot)
    assert stated["parser"]["file"] == "trees.jsonl"
    assert stated["parser"]["tool"] == "Stanford PCFG 3.5.2"
    assert stated["parses"]["attached"]["sentence2"] == 1
    assert findings(folder(snapshot)) == []


def test_a_tree_of_other_words_is_found_by_the_checker(pair, tmp_path):
    attach(write_jsonl(tmp_path / "t.jsonl", [{"pairID": pair.public_id, "sentence2_parse": TREE}]))
    snapshot = freeze(pair.corpus, trees="t.jsonl")

    def spoil(rows: list[dict]) -> None:
        for row in rows:
            row["sentence2_parse"] = row["sentence2_parse"].replace("He", "She")

    rewrite(folder(snapshot), "train.jsonl", spoil)
    edit_manifest(folder(snapshot), lambda stated: stated.update(parser=None))
    seal(folder(snapshot))
    found = "\n".join(findings(folder(snapshot)))
    assert "the tokens of sentence2_parse and sentence2_binary_parse are not those of sentence2" in found
    assert "'parser' is missing, but the files have attached trees" in found


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"sentence2_parse": TREE.replace("He", "She")}, "the tree has 'She' where the sentence has 'Hes'"),
        ({"sentence2_parse": "(ROOT (NP (PRP He)))"}, "the tree ends before"),
        ({"sentence2_parse": "(ROOT (NP (PRP He))"}, "its brackets form no tree"),
        (
            {"sentence2_parse": TREE, "sentence2_binary_parse": "( He says )"},
            "binary parse is no binary tree",
        ),
        ({"sentence1_parse": "(ROOT (NP (DT A) (NN dog) (. .)))"}, "1 trees for 2 sentences"),
        ({}, "it has neither sentence1_parse nor sentence2_parse"),
        ({"pairID": "x", "sentence2_parse": TREE}, "the corpus has no pair 'x'"),
    ],
)
def test_wrong_lines_are_named_and_nothing_is_stored(pair, tmp_path, more, reason):
    path = write_jsonl(tmp_path / "t.jsonl", [{"pairID": pair.public_id, **more}])
    failure = attach(path).failure
    assert "line 1: " in failure
    assert reason in failure
    assert not Parser.objects.exists()


def test_trees_that_came_with_the_corpus_stay_and_the_rest_goes_in_partly(pair, tmp_path):
    other = add_pair(pair.premise, "n", "It is big.")
    Parse.objects.create(pair=other, hypothesis_parse="(ROOT (X x))")
    mine = {"pairID": pair.public_id, "sentence2_parse": TREE}
    path = write_jsonl(tmp_path / "t.jsonl", [{"pairID": other.public_id, "sentence2_parse": TREE}, mine])
    assert "1 lines left out" in attach(path, "--partly").out
    assert "already" in attach(path).failure
    changed = {**mine, "sentence2_parse": TREE.replace("INTJ", "NP")}
    assert "line 1 has another tree" in attach(write_jsonl(tmp_path / "u.jsonl", [mine, changed])).failure


def test_a_freeze_offers_the_files_of_trees(pair, tmp_path, browser_of):
    client = browser_of(rosa())
    assert "made elsewhere" not in client.get("/snapshots/freeze/small/plan/").content.decode()
    attach(write_jsonl(tmp_path / "t.jsonl", [{"pairID": pair.public_id, "sentence2_parse": TREE}]))
    assert "t.jsonl" in client.get("/snapshots/freeze/small/plan/?seed=0").content.decode()
    other = run("freeze_snapshot", "small", "--trees", "other").failure
    assert "Files that attach_trees read: t.jsonl" in other
    both = run("freeze_snapshot", "small", "--trees", "t.jsonl", "--derived-parses").failure
    assert "choose one of the two" in both
