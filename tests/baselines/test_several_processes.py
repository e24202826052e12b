"""Two processes under torchrun train what one process trains with the same batches."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file

from tests.baselines.small import ROOT, run_train, small_run, small_settings

PROGRAM = [
    sys.executable, "-W", "ignore", "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2",
    "-m", "modeling.baselines.train",
]  # fmt: skip


def start_two(run: dict[str, Any], where: Path) -> subprocess.Popen[str]:
    path = where / "RUN.json"
    path.write_text(json.dumps(run))
    return subprocess.Popen(
        [*PROGRAM, str(path)], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )  # fmt: skip


def losses(events: list[dict[str, Any]]) -> list[float]:
    return [event["loss"] for event in events if event["event"] == "epoch"]


def test_two_processes_have_the_losses_and_weights_of_one(tmp_path: Path):
    baseline, most = "bilstm", 71  # in batches of 5 the last has one pair: one process has nothing to do
    settings = small_settings(baseline, epochs=3, batch_size=5, dropout=0.0, patience=0)
    (tmp_path / "two").mkdir()
    process = start_two(small_run(tmp_path / "two", baseline, settings=settings, most=most), tmp_path / "two")
    code, alone = run_train(
        small_run(tmp_path / "one", baseline, settings=settings, most=most), tmp_path / "one"
    )
    out, err = process.communicate(timeout=120)
    assert (code, process.returncode) == (0, 0), err
    together = [json.loads(text) for text in out.splitlines()]
    assert [event["event"] for event in together].count("started") == 1
    assert losses(together) == pytest.approx(losses(alone), rel=1e-5)
    one, two = (load_file(tmp_path / name / "run/weights.safetensors") for name in ("one", "two"))
    for name in one:
        np.testing.assert_allclose(two[name], one[name], atol=2e-5)
    scores = [json.loads((tmp_path / name / "run/metrics.json").read_text()) for name in ("one", "two")]
    assert scores[0]["test"]["accuracy"] == scores[1]["test"]["accuracy"]
    assert (tmp_path / "two/run/predictions-test.jsonl").read_text().count("\n") == 12


def test_what_two_processes_began_one_can_end(tmp_path: Path):
    settings = small_settings("cbow", epochs=150, batch_size=4, dropout=0.2, patience=0)
    run = small_run(tmp_path, settings=settings)
    process = start_two(run, tmp_path)
    assert process.stdout is not None
    while json.loads(process.stdout.readline())["event"] != "epoch":
        pass
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=120)
    stopped = json.loads(out.splitlines()[-1])
    assert stopped["event"] == "stopped", err
    code, events = run_train(run, tmp_path)
    assert code == 0
    assert events[0]["resumed_from_step"] == stopped["step"] > 0
    assert events[-1]["metrics"]["steps"] == 150 * 72 // 4
