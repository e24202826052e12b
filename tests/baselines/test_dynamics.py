"""The data map of a run, compared with a direct computation over its epochs."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from modeling.baselines.data import Pair
from modeling.baselines.dynamics import no_dynamics, record, write_dynamics
from tests.baselines.small import lines, run_train, small_run, small_settings

CPU = torch.device("cpu")


def rows_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(text) for text in (folder / "training_dynamics.jsonl").read_text().splitlines()]


def test_confidence_variability_and_correctness_are_those_of_the_paper(tmp_path: Path):
    labels = np.array([0, 1, 2, 0])
    pairs = [Pair(f"p{number}", ("A.",), "B.", label, "g") for number, label in enumerate(labels)]
    chance = np.random.default_rng(5)
    epochs = chance.normal(size=(6, 4, 3))
    sums = no_dynamics(4, CPU)
    for logits in epochs:
        for rows in (np.array([2, 0]), np.array([1, 3])):
            record(
                sums, torch.from_numpy(rows), torch.from_numpy(logits[rows]), torch.from_numpy(labels[rows])
            )
    write_dynamics(tmp_path, pairs, sums, ("e", "n", "c"))
    probabilities = np.exp(epochs) / np.exp(epochs).sum(axis=2, keepdims=True)
    gold = probabilities[:, np.arange(4), labels]
    right = probabilities.argmax(axis=2) == labels
    for number, row in enumerate(rows_of(tmp_path)):
        assert (row["pairID"], row["gold"], row["epochs"]) == (f"p{number}", "enc"[labels[number]], 6)
        assert row["confidence"] == pytest.approx(gold[:, number].mean(), abs=1e-6)
        assert row["variability"] == pytest.approx(gold[:, number].std(), abs=1e-6)
        assert row["correctness"] == pytest.approx(right[:, number].mean(), abs=1e-6)


def test_a_run_leaves_a_line_for_each_training_pair(tmp_path: Path):
    run = small_run(tmp_path, settings=small_settings("cbow", epochs=4, batch_size=4, patience=0))
    assert run_train(run, tmp_path)[0] == 0
    rows = rows_of(tmp_path / "run")
    assert [row["pairID"] for row in rows] == [row["pairID"] for row in lines()]
    assert {row["epochs"] for row in rows} == {4}
    assert all(0 < row["confidence"] < 1 and row["variability"] > 0 for row in rows)


def test_a_pair_that_no_epoch_drew_has_no_line(tmp_path: Path):
    pairs = [Pair(name, ("A.",), "B.", 0, "g") for name in ("drawn", "left")]
    sums = no_dynamics(2, CPU)
    record(sums, torch.tensor([0]), torch.zeros(1, 3), torch.tensor([0]))
    write_dynamics(tmp_path, pairs, sums, ("e", "n", "c"))
    assert [row["pairID"] for row in rows_of(tmp_path)] == ["drawn"]
