"""Fixtures of all tests of training runs."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from modeling.running import evaluating, runner
from tests.modeling.ready_programs import command, process_with_torch


@pytest.fixture(scope="session")
def torch_is_loaded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    address = tmp_path_factory.mktemp("torch") / "socket"
    with process_with_torch(address):
        yield address


@pytest.fixture
def programs_start_at_once(torch_is_loaded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets trainings and evaluations begin without loading torch (ready_programs.py)."""
    monkeypatch.setattr(runner, "TRAIN", command(torch_is_loaded, "modeling.baselines.train"))
    monkeypatch.setattr(evaluating, "EVALUATE", command(torch_is_loaded, "modeling.baselines.evaluate"))
