"""Dependency trees and VerbOcean, the other two resources of SNLI's classifier (SNLI paper, section 3.1)."""

import json
from pathlib import Path

import pytest

from modeling.baselines.data import Pair
from modeling.baselines.errors import BaselineError
from modeling.baselines.features.tagged import Tagger, Word, Words
from modeling.baselines.features.trees import TREES, tree_shares
from modeling.baselines.features.verb_ocean import RELATIONS, VERB_OCEAN, load_verb_ocean, verb_ocean_shares
from tests.baselines.small import run_evaluate, run_train, small_run

OCEAN = """# a comment
chase [stronger-than] follow :: 12.5
run [similar] jog :: 9
sleep [opposite-of] wake :: 11.0

win [unk] lose :: 0
"""


def parsed(*texts: str) -> list[Words]:
    (premise, hypothesis), *_ = Tagger(parses=True).read([Pair("1", texts[:1], texts[1], 0, "")])
    return [premise, hypothesis]


def test_words_know_on_which_word_they_depend():
    premise, _ = parsed("A dog chases the old cat.", "It rains.")
    heads = {word.text: (word.relation, premise[place + word.up].text) for place, word in enumerate(premise)}
    assert heads["dog"] == ("nsubj", "chases")
    assert heads["cat"] == ("dobj", "chases")
    assert heads["old"] == ("amod", "cat")
    assert heads["chases"] == ("", "chases")
    (plain, _) = next(Tagger().read([Pair("1", ("A dog chases the old cat.",), "It rains.", 0, "")]))
    assert {(word.relation, word.up) for word in plain} == {("", 0)}, (
        "sentences are parsed where that is wanted"
    )


def test_a_part_of_the_premise_has_all_its_dependencies_and_swapped_roles_have_other_paths():
    *dependencies, same, other, root = tree_shares(
        *parsed("A dog chases the old cat.", "A dog chases the cat.")
    )
    assert dependencies[0] == dependencies[3] == 1.0
    assert dependencies[1] < 1.0
    assert (same, other, root) == (1.0, 0.0, 1.0)
    *swapped, same, other, root = tree_shares(*parsed("A dog chases the cat.", "A cat chases the dog."))
    assert swapped[0] < swapped[3] == 1.0, "a dependency without its relation is the same for both roles"
    assert [same, other, root] == pytest.approx([1 / 3, 2 / 3, 1.0])


def test_an_empty_side_has_no_dependencies():
    assert tree_shares([], []) == [0.0] * TREES
    assert tree_shares(*parsed("A dog runs.", "")) == [0.0] * TREES


def verb(lemma: str) -> Word:
    return Word(lemma, lemma, "VB", False)


def test_each_relation_counts_in_both_directions(tmp_path: Path):
    path = tmp_path / "ocean.txt"
    path.write_text(OCEAN)

    def shares(premise: str, hypothesis: str) -> dict[str, list[float]]:
        found = verb_ocean_shares([verb(premise)], [verb(hypothesis), Word("dog", "dog", "NN", False)], path)
        assert len(found) == VERB_OCEAN
        pairs = {name: found[2 * place : 2 * place + 2] for place, name in enumerate(RELATIONS)}
        return {name: pair for name, pair in pairs.items() if any(pair)}

    assert shares("chase", "follow") == {"stronger-than": [1.0, 0.0]}
    assert shares("follow", "chase") == {"stronger-than": [0.0, 1.0]}
    assert shares("wake", "sleep") == {"opposite-of": [0.0, 1.0]}
    assert shares("win", "lose") == {}
    assert verb_ocean_shares([], [], path) == [0.0] * VERB_OCEAN


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("run [similar] jog :: 9\nrun jog\n", r"verb_ocean: bad.txt, line 2, 'run jog', is not of the form"),
        ("run [similar] jog\n", "line 1"),
        ("\x1f\x8b\x08\x00", "line 1.*unpacked"),
        ("", "none of the relations similar"),
    ],
)
def test_a_file_that_is_not_verb_oceans_is_refused(tmp_path: Path, text: str, told: str):
    path = tmp_path / "bad.txt"
    path.write_text(text)
    with pytest.raises(BaselineError, match=told):
        load_verb_ocean(path)
    with pytest.raises(BaselineError, match=r"cannot be read .*: correct the path"):
        load_verb_ocean(tmp_path / "missing.txt")


def test_a_run_keeps_the_file_with_which_it_is_evaluated(tmp_path: Path):
    path = tmp_path / "ocean.txt"
    path.write_text(OCEAN)
    run = small_run(tmp_path, "wordnet_classifier", settings={"verb_ocean": str(path)})
    code, events = run_train(run, tmp_path)
    assert code == 0, events[-1]
    folder = Path(run["folder"])
    config = json.loads((folder / "config.json").read_text())
    assert config["settings"]["verb_ocean"] == "ocean.txt"
    assert len(config["verb_ocean"]) == 64
    path.unlink()
    evaluation = {
        "snapshot": {"name": "other@2", "sha256": "1" * 64},
        "files": {"test": run["files"]["test"]},
        "folder": str(tmp_path / "evaluation"),
        "collapse": True,
    }
    code, events = run_evaluate(folder, evaluation, tmp_path)
    assert code == 0, events[-1]
    name = "predictions-test.jsonl"
    assert (tmp_path / "evaluation" / name).read_bytes() == (folder / name).read_bytes()


def test_a_missing_file_ends_the_run_with_a_sentence(tmp_path: Path):
    run = small_run(tmp_path, "wordnet_classifier", settings={"verb_ocean": str(tmp_path / "none.txt")})
    code, events = run_train(run, tmp_path)
    assert code == 1
    assert "none.txt cannot be read" in events[-1]["message"]
