"""Words that training lacks are read by their vectors when pairs are predicted, and do not influence training."""

import json
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from modeling.baselines import vectors as reading
from modeling.baselines.catalogue import make_settings, read_stored_settings, stored_settings
from tests.baselines.small import (
    DIMENSIONS,
    graded,
    line,
    run_evaluate,
    run_train,
    small_run,
    write_lines,
    write_vectors,
)

# Each reads its words in a way of its own: sums, distinct words, steps, several premises.
READERS = ["cbow", "hypothesis_only", "esim", "lstm", "sum_of_experts"]
# A twin word: it has the vector of "kitchen", and stands in no training pair.
TWINS = [
    line("t1-n", "A baker waits in a kitchen.", "A baker waits in a kitchen.", "neutral"),
    line("t2-n", "A baker waits in a galley.", "A baker waits in a galley.", "neutral"),
]


def run_on_twins(where: Path, baseline: str, **settings: object) -> dict[str, Any]:
    run = small_run(where, baseline)
    vectors = Path(run["vectors"])
    rows = vectors.read_text().splitlines()
    twin = next(row for row in rows if row.startswith("kitchen ")).replace("kitchen", "galley")
    vectors.write_text("\n".join([*rows, twin]) + "\n")
    run["files"]["test"] = write_lines(where / "twins.jsonl", TWINS)
    # Tuned, the trained word would move away from its twin.
    run["settings"] = {**run["settings"], "train_vectors": False, **settings}
    return run


def probabilities(folder: Path) -> list[dict[str, float]]:
    text = (folder / "predictions-test.jsonl").read_text()
    return [json.loads(one)["probabilities"] for one in text.splitlines()]


@pytest.mark.parametrize("baseline", graded(READERS))
def test_a_word_that_training_lacks_is_read_as_its_vector_says(tmp_path: Path, baseline: str):
    run = run_on_twins(tmp_path, baseline)
    assert run_train(run, tmp_path)[0] == 0
    seen, unseen = probabilities(tmp_path / "run")
    assert unseen == pytest.approx(seen, abs=2e-6)


def test_without_look_up_it_is_an_unknown_word(tmp_path: Path):
    assert run_train(run_on_twins(tmp_path, "cbow", look_up=False), tmp_path)[0] == 0
    seen, unseen = probabilities(tmp_path / "run")
    assert unseen != pytest.approx(seen, abs=1e-3)


def test_training_does_not_depend_on_the_words_of_held_out_pairs(tmp_path: Path):
    plain, twins = small_run(tmp_path / "plain", "cbow"), run_on_twins(tmp_path / "twins", "cbow")
    plain.update(vectors=twins["vectors"], settings=twins["settings"])
    for run in (plain, twins):
        assert run_train(run, tmp_path)[0] == 0
    weights = [(Path(run["folder"]) / "weights.safetensors").read_bytes() for run in (plain, twins)]
    assert weights[0] == weights[1]


def test_an_evaluation_reads_them_too_and_wants_the_same_vectors(tmp_path: Path):
    run = run_on_twins(tmp_path, "cbow")
    assert run_train(run, tmp_path)[0] == 0
    folder = Path(run["folder"])
    asked = {
        "snapshot": run["snapshot"],
        "files": {"test": run["files"]["test"]},
        "folder": str(tmp_path / "evaluation"),
        "device": "cpu",
    }
    code, events = run_evaluate(folder, asked, tmp_path)
    assert (code, "vectors.txt: set vectors to that file" in events[-1]["message"]) == (1, True)
    (tmp_path / "other").mkdir()
    others = {**asked, "vectors": str(write_vectors(tmp_path / "other/vectors.txt"))}
    code, events = run_evaluate(folder, others, tmp_path)
    assert (code, "are not those that the run in" in events[-1]["message"]) == (1, True)
    assert run_evaluate(folder, {**asked, "vectors": run["vectors"]}, tmp_path)[0] == 0
    assert probabilities(tmp_path / "evaluation") == probabilities(folder)


def test_a_text_file_is_read_once_for_the_words_of_all_partitions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    run = run_on_twins(tmp_path, "cbow")  # "galley" is new in test, and in dev it is "queen"
    vectors = Path(run["vectors"])
    vectors.write_text(vectors.read_text() + "queen" + " 0.5" * DIMENSIONS + "\n")
    read = Mock(wraps=reading.read_text_file)
    monkeypatch.setattr(reading, "read_text_file", read)
    assert run_train(run, tmp_path)[0] == 0
    assert read.call_count == 1
    asked = {
        "snapshot": run["snapshot"],
        "files": run["files"],
        "folder": str(tmp_path / "evaluation"),
        "vectors": run["vectors"],
        "device": "cpu",
    }
    assert run_evaluate(Path(run["folder"]), asked, tmp_path)[0] == 0
    assert read.call_count == 2
    for name in ("dev", "test"):
        first, again = (
            (tmp_path / folder / f"predictions-{name}.jsonl").read_bytes() for folder in ("run", "evaluation")
        )
        assert first == again


def test_held_out_words_that_no_vectors_know_are_no_fault(tmp_path: Path):
    run = small_run(tmp_path, "cbow")
    rows = [line("t1-n", "Xqz vrr", "Xqz zzk", "neutral")]
    run["files"]["test"] = write_lines(tmp_path / "strange.jsonl", rows)
    code, events = run_train(run, tmp_path)
    assert code == 0, events[-1]


def test_a_run_from_before_words_were_looked_up_stays_as_it_was():
    old = {
        key: value for key, value in stored_settings(make_settings("cbow", {})).items() if key != "look_up"
    }
    assert read_stored_settings("cbow", old) == make_settings("cbow", {"look_up": False})
    assert stored_settings(read_stored_settings("cbow", old)) == old
