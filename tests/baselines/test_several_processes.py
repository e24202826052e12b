"""Two processes train the same network as one process with the same batches; an error in either is reported."""

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file

from tests.baselines.small import ROOT, run_train, small_run, small_settings

pytestmark = pytest.mark.thorough

TORCHRUN = [
    sys.executable, "-W", "ignore", "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2",
    "-m", "modeling.baselines.train",
]  # fmt: skip
# Torch takes long to load: two processes do all runs, one after the other, each with a port of its own.
EACH_IN_TURN = """
import os, sys
from modeling.baselines import epochs, train
epochs.PROGRESS_SECONDS = 0.0
for port, path in zip(sys.argv[1::2], sys.argv[2::2]):
    os.environ["MASTER_PORT"] = port
    train.main([path])
"""
CASES: dict[str, tuple[dict[str, Any], int]] = {
    # Of 71 pairs in batches of 5 the last batch has one: one process has nothing to do.
    "bilstm": ({"batch_size": 5, "epochs": 3}, 71),
    # With AdaDelta and a limit to the gradient; the second process never has a pair.
    "lstm": ({"batch_size": 1, "epochs": 2, "clip": 0.05, "optimiser": "adadelta", "learning_rate": 1.0}, 11),
}


def written(where: Path, run: dict[str, Any]) -> Path:
    where.mkdir(exist_ok=True)
    path = where / "RUN.json"
    path.write_text(json.dumps(run))
    return path


def case(where: Path, baseline: str) -> dict[str, Any]:
    changes, most = CASES[baseline]
    settings = small_settings(baseline, dropout=0.0, patience=0, **changes)
    return small_run(where, baseline, settings=settings, most=most)


def started(command: list[str], **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1", **environment},
    )  # fmt: skip


def free_port() -> str:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return str(one.getsockname()[1])


@pytest.fixture(scope="module")
def together(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[dict[str, Any]], str]:
    """Returns the folders of the runs of two processes, the events of the first, and the standard error of the second."""
    where = tmp_path_factory.mktemp("together")
    same = [written(where / baseline, case(where / baseline, baseline)) for baseline in CASES]
    broken = small_run(where / "broken")
    lacking = written(where / "lacking", {**broken, "vectors": "/nowhere/glove.txt"})
    paths = [[*same, written(where / "broken", broken)], [*same, lacking]]
    ports = [free_port() for _ in paths[0]]
    processes = [
        started(
            [sys.executable, "-c", EACH_IN_TURN, *(text for one in zip(ports, map(str, mine), strict=True) for text in one)],
            RANK=str(rank), WORLD_SIZE="2", MASTER_ADDR="127.0.0.1",
        )
        for rank, mine in enumerate(paths)
    ]  # fmt: skip
    (out, _), (nothing, err) = (process.communicate(timeout=400) for process in processes)
    assert nothing == ""
    return where, [json.loads(text) for text in out.splitlines()], err


def losses(events: list[dict[str, Any]]) -> list[float]:
    return [event["loss"] for event in events if event["event"] == "epoch"]


@pytest.mark.parametrize("baseline", CASES)
def test_two_processes_have_the_losses_and_weights_of_one(
    together: tuple[Path, list[dict[str, Any]], str], tmp_path: Path, baseline: str
):
    where, events, err = together
    ends = [0, *(place for place, event in enumerate(events, start=1) if event["event"] in ("done", "error"))]
    place = list(CASES).index(baseline)
    mine = events[ends[place] : ends[place + 1]]
    assert mine[-1]["event"] == "done", err
    code, alone = run_train(case(tmp_path, baseline), tmp_path)
    assert code == 0
    assert [event["event"] for event in mine].count("started") == 1
    assert losses(mine) == pytest.approx(losses(alone), rel=1e-5)
    one, two = (load_file(folder / "run/weights.safetensors") for folder in (tmp_path, where / baseline))
    for name in one:
        np.testing.assert_allclose(two[name], one[name], atol=2e-5)
    assert alone[-1]["metrics"]["test"]["accuracy"] == mine[-1]["metrics"]["test"]["accuracy"]
    assert (where / baseline / "run/predictions-test.jsonl").read_text().count("\n") == 12


def test_what_fails_in_one_process_alone_is_told_by_that_process(
    together: tuple[Path, list[dict[str, Any]], str],
):
    _, events, err = together
    told = [json.loads(text) for text in err.splitlines() if text.startswith("{")]
    assert [(one["event"], one["process"]) for one in told] == [("error", 1)], err
    assert "/nowhere/glove.txt" in told[0]["message"]
    assert "Another process of this run has ended" in events[-1]["message"]


def test_what_two_processes_began_under_torchrun_one_can_end(tmp_path: Path):
    settings = small_settings("cbow", epochs=150, batch_size=4, dropout=0.2, patience=0)
    run = small_run(tmp_path, settings=settings)
    process = started([*TORCHRUN, str(written(tmp_path, run))])
    assert process.stdout is not None
    while json.loads(process.stdout.readline())["event"] != "epoch":
        pass
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=400)
    stopped = json.loads(out.splitlines()[-1])
    assert stopped["event"] == "stopped", err
    code, events = run_train(run, tmp_path)
    assert code == 0
    assert events[0]["resumed_from_step"] == stopped["step"] > 0
    assert events[-1]["metrics"]["steps"] == 150 * 72 // 4
