"""A hypothesis-only twin is the same network, and does not depend on any premise."""

import json
from pathlib import Path

import pytest

from modeling.baselines.catalogue import BASELINES, NO_PREMISE
from tests.baselines.small import (
    graded,
    lines,
    run_evaluate,
    run_train,
    small_run,
    small_settings,
    write_lines,
)

READERS = sorted(name for name in BASELINES if name not in NO_PREMISE)
RESULTS = ("weights.safetensors", "predictions-dev.jsonl", "predictions-test.jsonl")


def other_premises(run: dict, folder: Path) -> dict:
    """Returns the same run on pairs with the same hypotheses and labels, but other premises, and other numbers of them."""
    folder.mkdir(parents=True, exist_ok=True)
    files = {}
    for name, file in run["files"].items():
        rows = [json.loads(text) for text in Path(file["path"]).read_text().splitlines()]
        for number, row in enumerate(rows):
            row["premise_sentences"] = [f"Number {number} is here.", "A dog"][: 1 + number % 2]
        files[name] = write_lines(folder / f"{name}.jsonl", rows)
    return {**run, "files": files, "folder": str(folder / "run")}


@pytest.mark.parametrize("baseline", graded(name for name in READERS if name != "pretrained"))
def test_no_premise_changes_a_twin(tmp_path: Path, baseline: str):
    settings = small_settings(baseline, epochs=2, batch_size=4)
    run = small_run(tmp_path / "one", baseline, settings=settings, hypothesis_only=True)
    assert run_train(run, tmp_path)[0] == 0
    other = other_premises(run, tmp_path / "other")
    assert run_train(other, tmp_path)[0] == 0
    for name in RESULTS:
        assert (tmp_path / "one/run" / name).read_bytes() == (tmp_path / "other/run" / name).read_bytes(), (
            name
        )


def test_a_twin_stays_one_when_it_is_evaluated(tmp_path: Path):
    run = small_run(tmp_path, hypothesis_only=True)
    metrics = run_train(run, tmp_path)[1][-1]["metrics"]
    assert metrics["regime"] == {"hypothesis_only": True}
    rows = [{**row, "sentence1": "Nobody knows."} for row in lines(("A postman",), "t")]
    evaluation = {
        "snapshot": {"name": "other@1", "sha256": "1" * 64},
        "files": {"test": write_lines(tmp_path / "other.jsonl", rows)},
        "folder": str(tmp_path / "evaluation"),
        "vectors": run["vectors"],
    }
    code, events = run_evaluate(tmp_path / "run", evaluation, tmp_path)
    assert code == 0
    theirs = tmp_path / "evaluation/predictions-test.jsonl"
    assert theirs.read_bytes() == (tmp_path / "run/predictions-test.jsonl").read_bytes()
    # What was seen in training is counted on the texts themselves: the premises are other ones.
    assert events[-1]["metrics"]["test"]["overlap"]["premises"] == 0


def test_a_twin_and_its_full_network_are_two_runs(tmp_path: Path):
    run_train(small_run(tmp_path), tmp_path)
    code, events = run_train(small_run(tmp_path, hypothesis_only=True), tmp_path)
    assert code == 1
    assert "belongs to another run" in events[-1]["message"]


@pytest.mark.parametrize("baseline", NO_PREMISE)
def test_a_baseline_that_reads_no_premise_has_no_twin(tmp_path: Path, baseline: str):
    code, events = run_train(small_run(tmp_path, baseline, hypothesis_only=True), tmp_path)
    assert code == 1
    assert f"hypothesis_only: is set, but {baseline} reads no premise" in events[-1]["message"]
