"""The results of a run: a folder with exact files, metrics, and the same numbers for the same seed."""

import json
import re
from pathlib import Path

import pytest

from modeling.baselines.catalogue import BASELINES
from modeling.baselines.networks import NETWORKS, Network, network_of
from modeling.baselines.settings import LearningSettings
from tests.baselines.small import graded, line, lines, run_train, small_run, small_settings, write_lines

FILES = {
    "weights.safetensors",
    "config.json",
    "vocabulary.json",
    "labels.json",
    "metrics.json",
    "environment.json",
    "progress.jsonl",
    "training_texts.safetensors",
    "predictions-dev.jsonl",
    "predictions-test.jsonl",
}
ENOUGH = {
    "cbow": {"epochs": 40, "learning_rate": 0.01, "dropout": 0, "patience": 0},
    "hypothesis_only": {"epochs": 40, "states": 8, "hidden": 16, "learning_rate": 0.02, "patience": 0},
}


def test_every_baseline_of_the_catalogue_has_a_network():
    assert set(NETWORKS) == set(BASELINES.values())
    assert all(issubclass(network_of(each), Network) for each in NETWORKS)


@pytest.mark.parametrize("baseline", graded(ENOUGH))
def test_a_network_learns_a_few_pairs_by_heart(tmp_path: Path, baseline: str):
    run = small_run(tmp_path, baseline, settings=ENOUGH[baseline], hold_back=0.0)
    del run["files"]["dev"], run["files"]["test"]
    code, events = run_train(run, tmp_path)
    assert code == 0
    assert events[-1]["metrics"]["train"]["accuracy"] == 1.0


@pytest.mark.parametrize("baseline", graded(name for name in BASELINES if "pretrained" not in name))
def test_a_finished_run_folder_holds_exactly_these_files(tmp_path: Path, baseline: str):
    preset = "default" if "pretrained" in baseline else "paper"
    settings = small_settings(baseline, epochs=2, batch_size=4)
    code, events = run_train(small_run(tmp_path, baseline, preset=preset, settings=settings), tmp_path)
    assert code == 0
    # A later run may continue with AdaDelta's accumulators.
    more = {"accumulators.safetensors"} if baseline in ("sum_of_words", "rnn", "lstm") else set()
    more |= {"training_dynamics.jsonl"} if issubclass(BASELINES[baseline], LearningSettings) else set()
    more |= {"top_features.json"} if baseline == "lexicalized" else set()
    assert {path.name for path in (tmp_path / "run").iterdir()} == FILES | more
    assert json.loads((tmp_path / "run/metrics.json").read_text()) == events[-1]["metrics"]


def test_a_run_folder_names_no_path_and_no_host(tmp_path: Path):
    run_train(small_run(tmp_path), tmp_path)
    for name in ("config.json", "environment.json", "metrics.json", "progress.jsonl"):
        assert str(tmp_path) not in (tmp_path / "run" / name).read_text()


def test_metrics_say_what_was_trained_on_what_and_how_well(tmp_path: Path):
    metrics = run_train(small_run(tmp_path), tmp_path)[1][-1]["metrics"]
    assert (metrics["baseline"], metrics["snapshot"], metrics["seed"]) == ("cbow", "small@1", 1)
    assert metrics["train_pairs"] == 72
    assert metrics["test"]["majority"] == pytest.approx(1 / 3)
    assert metrics["test"]["pairs"] == 12
    assert metrics["test"]["by_genre"]["stories"]["matched"] is True
    assert set(metrics["dev"]["by_label"]) == {"entailment", "neutral", "contradiction"}
    assert 0 <= metrics["padding"] < 1
    assert metrics["pairs_per_second"] > 0
    assert metrics["device"] == "cpu"


def test_predictions_keep_the_order_of_the_file_and_carry_probabilities(tmp_path: Path):
    metrics = run_train(small_run(tmp_path), tmp_path)[1][-1]["metrics"]
    rows = [json.loads(text) for text in (tmp_path / "run/predictions-test.jsonl").read_text().splitlines()]
    assert [row["pairID"] for row in rows] == [row["pairID"] for row in lines(("A postman",), "t")]
    for row in rows:
        assert sum(row["probabilities"].values()) == pytest.approx(1, abs=1e-5)
        assert row["predicted"] == max(row["probabilities"], key=row["probabilities"].get)
    right = [row["gold"] == row["predicted"] for row in rows]
    assert metrics["test"]["accuracy"] == pytest.approx(sum(right) / len(right))


@pytest.mark.parametrize("baseline", ["cbow", pytest.param("hypothesis_only", marks=pytest.mark.thorough)])
def test_the_same_seed_gives_the_same_weights_and_another_seed_others(tmp_path: Path, baseline: str):
    weights = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        run = small_run(tmp_path / name, baseline, seed=seed)
        assert run_train(run, tmp_path / name)[0] == 0
        weights.append((tmp_path / name / "run/weights.safetensors").read_bytes())
    assert weights[0] == weights[1] != weights[2]


def test_majority_answers_the_commonest_training_label_and_tells_the_evaluated_sets_own(tmp_path: Path):
    run = small_run(tmp_path, "majority")
    labels = ["neutral"] * 5 + ["entailment"] * 3
    run["files"]["train"] = write_lines(
        tmp_path / "train.jsonl", [line(f"x{i}", "A.", f"B {i}.", label) for i, label in enumerate(labels)]
    )
    labels = ["contradiction"] * 3 + ["neutral"]
    run["files"]["test"] = write_lines(
        tmp_path / "test.jsonl", [line(f"y{i}", "C.", f"D {i}.", label) for i, label in enumerate(labels)]
    )
    del run["vectors"]
    metrics = run_train(run, tmp_path)[1][-1]["metrics"]
    assert metrics["train"]["accuracy"] == 5 / 8
    assert (metrics["test"]["accuracy"], metrics["test"]["majority"]) == (1 / 4, 3 / 4)


def test_missing_dev_and_empty_test_are_told_and_scored_null(tmp_path: Path):
    run = small_run(tmp_path)
    del run["files"]["dev"]
    run["files"]["test"] = write_lines(tmp_path / "test.jsonl", [line("t1", "A.", "B.", "-")])
    code, events = run_train(run, tmp_path)
    assert code == 0
    warned = [event["message"] for event in events if event["event"] == "warning"]
    assert any(
        "There are no dev pairs with a gold label: 6 training pairs of whole premises or groups are held back."
        in message
        for message in warned
    )
    assert any("no test pairs" in message for message in warned)
    metrics = events[-1]["metrics"]
    assert (metrics["dev"]["accuracy"], metrics["test"]["accuracy"], metrics["test"]["majority"]) == (
        None,
    ) * 3
    assert metrics["dropped"] == {"train": 0, "test": 1}
    assert metrics["best_epoch"] in (1, 2, 3)
    assert (metrics["held_back"]["pairs"], metrics["train_pairs"]) == (6, 66)
    assert not (tmp_path / "run/predictions-dev.jsonl").exists()


def test_a_finished_run_says_its_metrics_again_and_trains_nothing(tmp_path: Path):
    run = small_run(tmp_path)
    first = run_train(run, tmp_path)[1][-1]
    code, events = run_train(run, tmp_path)
    assert (code, events) == (0, [first])


def test_a_folder_of_another_run_is_refused(tmp_path: Path):
    run_train(small_run(tmp_path), tmp_path)
    code, events = run_train(small_run(tmp_path, seed=2), tmp_path)
    assert code == 1
    assert "belongs to another run" in events[-1]["message"]


def test_a_loss_that_is_no_number_ends_the_run_with_advice(tmp_path: Path):
    run = small_run(tmp_path)
    vectors = tmp_path / "vectors.txt"
    vectors.write_text(re.sub(r"\d\.\d+", "1e30", vectors.read_text()))
    code, events = run_train(run, tmp_path)
    assert code == 1
    assert "learning_rate" in events[-1]["message"]


def test_several_premises_are_read_as_one_text(tmp_path: Path):
    run = small_run(tmp_path)
    rows = [
        {key: value for key, value in row.items() if key != "sentence1"}
        | {"premise_sentences": [str(row["sentence1"]), "It rains."]}
        for row in lines()
    ]
    run["files"]["train"] = write_lines(tmp_path / "train.jsonl", rows)
    assert run_train(run, tmp_path)[0] == 0
    words = json.loads((tmp_path / "run/vocabulary.json").read_text())
    assert "rains" in words
    assert "rains." not in words


def test_a_vocabulary_holds_training_words_only(tmp_path: Path):
    run_train(small_run(tmp_path), tmp_path)
    words = json.loads((tmp_path / "run/vocabulary.json").read_text())
    assert words[:2] == ["<padding>", "<unknown>"]
    assert "baker" in words
    assert "postman" not in words
