"""Without a dev part, a tenth of train is held back, premise by premise, to stop the training and to choose its epoch."""

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from modeling.baselines.data import Pair, held_back
from tests.baselines.small import lines, run_train, small_run, small_settings, write_lines
from tests.baselines.test_resuming import StopAfter

GROUPS = st.lists(st.tuples(st.integers(0, 30), st.integers(1, 4)), min_size=1, max_size=60)


@given(GROUPS, st.integers(0, 5), st.sampled_from([0.0, 0.1, 0.5]))
def test_whole_premises_are_drawn_by_the_seed_and_make_up_the_share_at_most(drawn, seed, share):
    pairs = [
        Pair(f"{number}-{k}", (f"premise {group % 7}",), "h", 0, "g", group=f"{group}" * (group > 9))
        for number, (group, times) in enumerate(drawn)
        for k in range(times)
    ]
    learnt, held = held_back(pairs, share, seed)
    assert sorted(pair.pair_id for pair in [*learnt, *held]) == sorted(pair.pair_id for pair in pairs)
    groups = Counter(pair.group or pair.premise[0] for pair in pairs)
    assert len(held) <= max(round(share * len(pairs)), min(min(groups.values()), len(pairs) / 4))
    assert held or not share or min(groups.values()) > max(round(share * len(pairs)), len(pairs) / 4)
    of = [{pair.group or pair.premise[0] for pair in part} for part in (learnt, held)]
    assert not of[0] & of[1]
    assert held_back(pairs, share, seed) == (learnt, held)


def test_of_many_small_premises_it_is_the_whole_share():
    pairs = [Pair(f"{n}-{k}", (f"premise {n}",), "h", k, "g") for n in range(100) for k in range(3)]
    assert len(held_back(pairs, 0.1, 1)[1]) == 30
    assert held_back(pairs, 0.1, 1) != held_back(pairs, 0.1, 2)


def without_dev(where: Path, baseline: str = "cbow", **changes: object) -> dict:
    run = small_run(where, baseline, **changes)
    del run["files"]["dev"]
    return run


def trained(run: dict, where: Path) -> dict:
    code, events = run_train(run, where)
    assert code == 0, events[-1]
    return events[-1]["metrics"]


def test_a_run_that_memorises_stops_at_its_best_epoch_and_not_at_the_last(tmp_path: Path):
    settings = small_settings("cbow", epochs=30, learning_rate=0.02, dropout=0.0, patience=2)
    metrics = trained(without_dev(tmp_path, settings=settings), tmp_path)
    assert metrics["epochs"] < 30
    assert metrics["best_epoch"] < metrics["epochs"]
    assert metrics["held_back"]["majority"] == pytest.approx(1 / 3)
    assert metrics["dev"]["accuracy"] is None, "a score on pairs of train is no score on dev"
    config = json.loads((tmp_path / "run/config.json").read_text())
    assert config["held_back"] == 0.1


def test_nothing_is_held_back_where_dev_is_there_or_where_nobody_wants_it(tmp_path: Path):
    assert "held_back" not in trained(small_run(tmp_path / "dev"), tmp_path)
    run = without_dev(tmp_path / "off", hold_back=0.0)
    metrics = trained(run, tmp_path)
    assert ("held_back" in metrics, metrics["train_pairs"], metrics["best_epoch"]) == (False, 72, None)
    assert "held_back" not in trained(without_dev(tmp_path / "fitted", "majority", settings={}), tmp_path)


def test_an_empty_dev_file_is_none(tmp_path: Path):
    run = small_run(tmp_path)
    run["files"]["dev"] = write_lines(tmp_path / "dev.jsonl", [])
    assert trained(run, tmp_path)["held_back"]["pairs"] == 6


def test_a_resumed_run_holds_the_same_pairs_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    settings = small_settings("cbow", epochs=3, batch_size=4, dropout=0.3)
    whole = trained(without_dev(tmp_path / "whole", settings=settings), tmp_path)
    run = without_dev(tmp_path / "stopped", settings=settings)
    code = 3
    while code == 3:
        monkeypatch.setattr("modeling.baselines.program.Stop", lambda: StopAfter(9))
        code, events = run_train(run, tmp_path)
    metrics = events[-1]["metrics"]
    for key in ("held_back", "best_epoch", "test", "train", "steps"):
        assert metrics[key] == whole[key], key


def test_a_regime_holds_back_from_the_pairs_that_it_takes(tmp_path: Path):
    metrics = trained(without_dev(tmp_path, most=40), tmp_path)
    assert metrics["train_pairs"] + metrics["held_back"]["pairs"] == 40


def test_a_test_part_at_chance_is_told_though_dev_is_above(tmp_path: Path):
    settings = small_settings("cbow", epochs=30, learning_rate=0.02, dropout=0.0, patience=0)
    run = small_run(tmp_path, settings=settings)
    turned = {"entailment": "neutral", "neutral": "contradiction", "contradiction": "entailment"}
    rows = [{**row, "gold_label": turned[str(row["gold_label"])]} for row in lines(("A postman",), "t")]
    run["files"]["test"] = write_lines(tmp_path / "test.jsonl", rows)
    code, events = run_train(run, tmp_path)
    assert code == 0
    told = [event["message"] for event in events if event["event"] == "warning"]
    assert any("The run ends at chance: test accuracy is 0.0%" in message for message in told)
    assert any("does not carry over to test" in message for message in told)
