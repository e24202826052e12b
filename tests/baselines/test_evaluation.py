"""A finished run scores files of another snapshot, from its folder alone."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.baselines.small import line, lines, run_evaluate, run_train, small_run, write_lines


@pytest.fixture
def trained(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    baseline = getattr(request, "param", "cbow")
    assert run_train(small_run(tmp_path / "training", baseline), tmp_path)[0] == 0
    return tmp_path / "training/run"


def evaluation(where: Path, rows: list[dict[str, object]]) -> dict[str, Any]:
    places = [path for path in (where / "vectors.txt", where / "training/vectors.txt") if path.exists()]
    return {
        "vectors": str(places[0]),
        "snapshot": {"name": "other@2", "sha256": "1" * 64},
        "files": {"test": write_lines(where / "other.jsonl", rows)},
        "folder": str(where / "evaluation"),
        "device": "cpu",
    }


@pytest.mark.parametrize("trained", ["cbow", "hypothesis_only"], indirect=True)
def test_the_same_file_gets_the_same_predictions_without_training_files(trained: Path, tmp_path: Path):
    moved = tmp_path / "moved"
    shutil.move(trained, moved)
    shutil.move(tmp_path / "training/vectors.txt", tmp_path / "vectors.txt")
    shutil.rmtree(tmp_path / "training")
    code, events = run_evaluate(moved, evaluation(tmp_path, lines(("A postman",), "t")), tmp_path)
    assert code == 0
    assert (tmp_path / "evaluation/predictions-test.jsonl").read_bytes() == (
        moved / "predictions-test.jsonl"
    ).read_bytes()
    before = json.loads((moved / "metrics.json").read_text())
    metrics = events[-1]["metrics"]
    assert metrics["test"] == before["test"]
    assert (metrics["snapshot"], metrics["trained_on"]["name"]) == ("other@2", "small@1")
    assert json.loads((tmp_path / "evaluation/metrics.json").read_text()) == metrics


def test_scores_come_by_genre_and_say_which_genres_are_matched(trained: Path, tmp_path: Path):
    rows = [*lines(("A postman",), "t"), line("n1", "It rains.", "It snows.", "neutral", genre="letters")]
    metrics = run_evaluate(trained, evaluation(tmp_path, rows), tmp_path)[1][-1]["metrics"]["test"]
    assert {genre: (one["pairs"], one["matched"]) for genre, one in metrics["by_genre"].items()} == {
        "letters": (1, False),
        "stories": (12, True),
    }
    assert metrics["by_label"]["neutral"]["pairs"] == 5
    assert metrics["majority"] == 5 / 13
    assert metrics["overlap"] == {"pairs": 0, "premises": 0, "hypotheses": 0}


def test_labels_of_another_scheme_are_refused(trained: Path, tmp_path: Path):
    rows = [line("n1", "It rains.", "It snows.", "not-entailed")]
    code, events = run_evaluate(trained, evaluation(tmp_path, rows), tmp_path)
    assert code == 1
    assert "'not-entailed'" in events[-1]["message"]


def test_an_unfinished_or_damaged_run_folder_is_refused(trained: Path, tmp_path: Path):
    given = evaluation(tmp_path, lines(("A postman",), "t"))
    (trained / "weights.safetensors").write_bytes(b"torn")
    code, events = run_evaluate(trained, given, tmp_path)
    assert (code, "damaged" in events[-1]["message"]) == (1, True)
    (trained / "metrics.json").unlink()
    code, events = run_evaluate(trained, given, tmp_path)
    assert (code, "no finished run" in events[-1]["message"]) == (1, True)


def test_an_evaluation_never_overwrites_the_runs_own_predictions(trained: Path, tmp_path: Path):
    given = {**evaluation(tmp_path, lines(("A postman",), "t")), "folder": str(trained)}
    code, events = run_evaluate(trained, given, tmp_path)
    assert (code, "name another" in events[-1]["message"]) == (1, True)


def test_a_run_of_majority_can_be_evaluated_too(tmp_path: Path):
    assert run_train(small_run(tmp_path / "training", "majority"), tmp_path)[0] == 0
    given = evaluation(tmp_path, lines(("A postman",), "t"))
    code, events = run_evaluate(tmp_path / "training/run", given, tmp_path)
    assert (code, events[-1]["metrics"]["test"]["accuracy"]) == (0, pytest.approx(1 / 3))
