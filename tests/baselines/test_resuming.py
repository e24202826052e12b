"""A resumed run equals one that never stopped, to the last bit: after SIGTERM, after SIGKILL, within an epoch."""

import hashlib
import json
import signal
from pathlib import Path
from typing import Any

import pytest

from modeling.baselines.checkpoint import load_state, save_state
from modeling.baselines.program import Events, Stop
from tests.baselines.small import run_train, small_run, small_settings, train_until
from tests.baselines.test_networks import NEURAL

SAME = (
    "weights.safetensors",
    "vocabulary.json",
    "predictions-dev.jsonl",
    "predictions-test.jsonl",
    "config.json",
)
SCORES = ("train", "dev", "test", "epochs", "best_epoch", "steps", "padding")


def started(event: dict[str, Any]) -> bool:
    return event["event"] == "started"


def assert_same_result(one: Path, other: Path) -> None:
    dynamics = "training_dynamics.jsonl"  # baselines that are fitted at once have none
    assert (one / dynamics).exists() == (other / dynamics).exists()
    for name in (*SAME, *([dynamics] if (one / dynamics).exists() else [])):
        assert (one / name).read_bytes() == (other / name).read_bytes(), name
    metrics = [json.loads((folder / "metrics.json").read_text()) for folder in (one, other)]
    assert [metrics[0][key] for key in SCORES] == [metrics[1][key] for key in SCORES]


class StopAfter(Stop):
    """Requests the end after this number of checks: an exact moment, which a signal cannot hit."""

    def __init__(self, looks: int) -> None:
        self._left = looks

    @property
    def requested(self) -> bool:  # type: ignore[override]
        self._left -= 1
        return self._left < 0

    def listen(self) -> None:
        """Handles no signals: the test requests the end by itself."""


@pytest.mark.parametrize(
    "baseline",
    [name if name == "cbow" else pytest.param(name, marks=pytest.mark.thorough) for name in NEURAL],
)
def test_a_run_stopped_after_every_few_steps_ends_as_one_that_never_stopped(
    tmp_path: Path, baseline: str, monkeypatch: pytest.MonkeyPatch
):
    settings = small_settings(baseline, epochs=2, batch_size=4, dropout=0.3)
    assert run_train(small_run(tmp_path / "whole", baseline, settings=settings), tmp_path)[0] == 0
    run = small_run(tmp_path / "stopped", baseline, settings=settings)
    code, stops = 3, 0
    while code == 3:
        monkeypatch.setattr("modeling.baselines.program.Stop", lambda: StopAfter(7))
        code, _ = run_train(run, tmp_path)
        stops += code == 3
    assert code == 0
    assert stops > 4
    assert_same_result(tmp_path / "whole/run", tmp_path / "stopped/run")
    assert not (tmp_path / "stopped/run/checkpoint").exists()


def test_evaluations_within_an_epoch_tell_how_dev_accuracy_varies_and_change_no_weight(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """SNLI, section 3.3: the accuracy near the end varies by up to half a point between evaluations."""
    plain = small_settings("cbow", epochs=2, batch_size=4, dropout=0.3)
    events = {}
    for name, settings in {"plain": plain, "often": {**plain, "evaluations": 3}}.items():
        code, events[name] = run_train(small_run(tmp_path / name, settings=settings), tmp_path)
        assert code == 0, events[name][-1]
    ends = [event for event in events["plain"] if event["event"] == "epoch"]
    often = [event for event in events["often"] if "dev_accuracy" in event]
    steps = ends[0]["step"]
    assert [(event["epoch"], event["step"]) for event in often] == [
        (epoch, (epoch - 1) * steps + steps * number // 3) for epoch in (1, 2) for number in (1, 2, 3)
    ]
    assert [event["dev_accuracy"] for event in often[2::3]] == [event["dev_accuracy"] for event in ends]
    assert all(0 <= event["dev_accuracy"] <= 1 for event in often)
    for file in ("weights.safetensors", "predictions-dev.jsonl", "training_dynamics.jsonl"):
        assert (tmp_path / "plain/run" / file).read_bytes() == (tmp_path / "often/run" / file).read_bytes()
    run = small_run(tmp_path / "stopped", settings={**plain, "evaluations": 3})
    monkeypatch.setattr("modeling.baselines.program.Stop", lambda: StopAfter(7))
    while run_train(run, tmp_path)[0] == 3:
        pass
    assert_same_result(tmp_path / "often/run", tmp_path / "stopped/run")


def long_run(where: Path) -> dict[str, Any]:
    """Returns a run that is long enough to be hit by a signal."""
    settings = {"epochs": 60, "batch_size": 2, "hidden": 8, "patience": 0, "dropout": 0.2}
    return small_run(where, settings=settings, checkpoint_seconds=0.1)


@pytest.mark.thorough
def test_a_run_that_got_sigterm_or_sigkill_ends_as_one_that_never_stopped(tmp_path: Path):
    assert run_train(long_run(tmp_path / "whole"), tmp_path)[0] == 0
    run = long_run(tmp_path / "hit")
    folder = tmp_path / "hit/run"

    code, events = train_until(run, tmp_path, signal.SIGTERM, started)
    assert code == 3
    assert events[-1]["event"] == "stopped"
    assert (folder / "checkpoint/state.safetensors").exists()
    assert not (folder / "metrics.json").exists()
    step = events[-1]["step"]

    code, events = train_until(run, tmp_path, signal.SIGKILL, lambda event: event["event"] == "epoch")
    assert code == -signal.SIGKILL
    assert next(filter(started, events))["resumed_from_step"] == step

    code, events = run_train(run, tmp_path)
    assert code == 0
    assert next(filter(started, events))["resumed_from_step"] >= step
    assert_same_result(tmp_path / "whole/run", folder)
    told = [
        json.loads(text) for text in (folder / "progress.jsonl").read_text().splitlines() if text[-1:] == "}"
    ]
    assert [event["event"] for event in told].count("started") == 3


def test_two_processes_never_train_in_one_folder(tmp_path: Path):
    from modeling.baselines.checkpoint import run_folder
    from modeling.baselines.config import read_run_config

    run = small_run(tmp_path)
    config = read_run_config(run)
    with run_folder(config.folder, config.identity(), config.digest()):
        code, events = run_train(run, tmp_path)
    assert code == 1
    assert "Another process" in events[-1]["message"]


def test_a_damaged_checkpoint_is_told_with_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    run = small_run(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr("modeling.baselines.program.Stop", lambda: StopAfter(7))
        assert run_train(run, tmp_path)[0] == 3
    state = tmp_path / "run/checkpoint/state.safetensors"
    state.write_bytes(state.read_bytes()[:-9])
    code, events = run_train(run, tmp_path)
    assert code == 1
    assert "delete it" in events[-1]["message"]


def replace_vectors(run: dict[str, Any]) -> None:
    """Replaces the vectors by others under the same name."""
    path = Path(run["vectors"])
    path.write_text(path.read_text().replace("dog", "cat"))


def test_a_run_never_goes_on_with_other_vectors_of_the_same_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    run = small_run(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr("modeling.baselines.program.Stop", lambda: StopAfter(7))
        assert run_train(run, tmp_path)[0] == 3
    before = Path(run["vectors"]).read_text()
    replace_vectors(run)
    code, events = run_train(run, tmp_path)
    digests = [
        hashlib.sha256(text.encode()).hexdigest()[:12] for text in (before, before.replace("dog", "cat"))
    ]
    assert code == 1
    assert all(one in events[-1]["message"] for one in digests), events[-1]
    # A checkpoint from before vectors were recorded is accepted.
    tensors, facts = load_state(tmp_path / "run") or ({}, {})
    save_state(tmp_path / "run", tensors, {key: facts[key] for key in facts if key != "vectors"})
    assert run_train(run, tmp_path)[0] == 0


def test_a_finished_run_never_tells_its_metrics_as_those_of_other_vectors(tmp_path: Path):
    run = small_run(tmp_path, settings=small_settings("cbow", epochs=1))
    first = run_train(run, tmp_path)[1][-1]
    vectors = Path(run["vectors"])
    kept = vectors.read_text()
    replace_vectors(run)
    code, events = run_train(run, tmp_path)
    assert (code, "are not those that the run in" in events[-1]["message"]) == (1, True)
    vectors.write_text(kept)
    assert run_train(run, tmp_path)[1] == [first]
    vectors.unlink()  # nothing shows that the vectors have changed
    assert run_train(run, tmp_path)[1] == [first]


def test_a_reader_that_went_away_asks_the_run_to_stop():
    class Gone:
        def write(self, text: str) -> int:
            raise BrokenPipeError

    stop = Stop()
    Events(Gone(), stop).emit("progress")
    assert stop.requested
