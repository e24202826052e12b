"""Regimes: mixtures, one genre, sizes, the weights of an earlier run, two classes, and soft labels."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file
from scipy.spatial.distance import jensenshannon
from scipy.stats import entropy

from modeling.baselines.batches import Part
from modeling.baselines.data import Pair
from modeling.baselines.scores import distribution_scores
from tests.baselines.small import (
    line,
    lines,
    run_evaluate,
    run_train,
    small_run,
    small_settings,
    write_lines,
    write_vectors,
)
from tests.baselines.test_resuming import StopAfter, assert_same_result

OTHER = {"name": "other@2", "sha256": "1" * 64}


def trained(where: Path, baseline: str = "cbow", **changes: object) -> dict[str, Any]:
    """Returns the metrics of a small run."""
    code, events = run_train(small_run(where, baseline, **changes), where)
    assert code == 0, events[-1]
    return dict(events[-1]["metrics"])


def refusal(where: Path, **changes: object) -> str:
    """Returns the error of a small run."""
    code, events = run_train(small_run(where, **changes), where)
    assert code == 1
    return str(events[-1]["message"])


def other_file(where: Path) -> dict[str, str]:
    where.mkdir(exist_ok=True)
    return write_lines(where / "other.jsonl", lines(("A clown", "The crowd"), "o"))


def weights(where: Path) -> dict[str, np.ndarray]:
    return load_file(where / "run/weights.safetensors")


def test_a_share_of_another_corpus_is_drawn_anew_each_epoch():
    part = Part(100, 300, 0.15)
    first, again, later, other = (
        part.drawn(seed, epoch).tolist() for seed, epoch in ((1, 0), (1, 0), (1, 1), (2, 0))
    )
    assert len(set(first)) == 30
    assert set(first) <= set(range(100, 300))
    assert first == again
    assert len({frozenset(first), frozenset(later), frozenset(other)}) == 3
    assert len(set().union(*(part.drawn(1, epoch).tolist() for epoch in range(60)))) > 190


def test_a_mixture_learns_its_own_pairs_and_a_share_of_the_others_in_each_epoch(tmp_path: Path):
    mixed = [{"snapshot": OTHER, "file": other_file(tmp_path), "share": 0.5}]
    metrics = trained(tmp_path, mixed=mixed)
    assert metrics["train_pairs"] == 72 + 24
    assert metrics["steps"] == 3 * (72 + 12) // 4
    assert metrics["regime"]["mixed"][0]["snapshot"] == OTHER
    assert "clown" in json.loads((tmp_path / "run/vocabulary.json").read_text())


def test_a_union_takes_at_most_so_many_pairs_of_each(tmp_path: Path):
    for most, there in ((10, 10), (10_000, 24)):  # of a smaller one all
        mixed = [{"snapshot": OTHER, "file": other_file(tmp_path), "most": most}]
        assert trained(tmp_path / str(most), mixed=mixed, most=20)["train_pairs"] == 20 + there


def test_a_run_on_one_genre_sees_no_other(tmp_path: Path):
    rows = [row | {"genre": "letters" if number % 2 else "stories"} for number, row in enumerate(lines())]
    tmp_path.mkdir(exist_ok=True)
    for number, genre in enumerate(("letters", "plays")):
        run = small_run(tmp_path / str(number), genre=genre)
        run["files"]["train"] = write_lines(tmp_path / "train.jsonl", rows)
        code, events = run_train(run, tmp_path)
        if genre == "letters":
            assert events[-1]["metrics"]["train"]["genres"] == {"letters": 36}
        else:
            assert code == 1
            assert "The genres: letters, stories." in events[-1]["message"]


def test_a_larger_size_of_a_learning_curve_holds_the_smaller_one(tmp_path: Path):
    from modeling.baselines.regimes import some

    pairs = [Pair(str(number), ("a",), "b", 0, "g") for number in range(50)]
    small, large = some(pairs, 10, seed=3), some(pairs, 30, seed=3)
    assert len(small) == 10
    assert set(small) < set(large)
    assert set(small) != set(some(pairs, 10, seed=4))
    assert "fewer than the 73" in refusal(tmp_path, most=73)


# What they read of the one new pair: "Sailors" with a capital and "Nobody", or "Nobody" alone.
@pytest.mark.parametrize(
    ("baseline", "new_words"), [("cbow", 2), pytest.param("hypothesis_only", 1, marks=pytest.mark.thorough)]
)
def test_update_goes_on_from_another_runs_weights(tmp_path: Path, baseline: str, new_words: int):
    trained(tmp_path / "first", baseline)
    start = {"folder": str(tmp_path / "first/run"), "how": "update"}
    still = small_settings(baseline, epochs=1, batch_size=4, learning_rate=0)
    rows = [*lines(), line("x", "Sailors behind the bridge.", "Nobody waits.", "neutral")]
    run = small_run(tmp_path / "second", baseline, start=start, settings=still, seed=5)
    run["files"]["train"] = write_lines(tmp_path / "second/train.jsonl", rows)
    assert run_train(run, tmp_path)[0] == 0
    first, second = weights(tmp_path / "first"), weights(tmp_path / "second")
    table = second.pop("vectors.weight")
    known = len(first["vectors.weight"])
    np.testing.assert_array_equal(table[:known], first.pop("vectors.weight"))
    assert len(table) == known + new_words
    assert all((second[name] == first[name]).all() for name in first)
    moving = small_settings(baseline, epochs=1, batch_size=4)
    trained(tmp_path / "third", baseline, start=start, settings=moving)
    assert any((weights(tmp_path / "third")[name] != first[name]).any() for name in first)


def test_transfer_makes_the_softmax_anew_and_keeps_adadeltas_accumulators(tmp_path: Path):
    first = trained(
        tmp_path / "first", "sum_of_words", preset="paper", settings=small_settings("sum_of_words", epochs=2)
    )
    start = {"folder": str(tmp_path / "first/run"), "how": "transfer"}
    still = small_settings("sum_of_words", epochs=1, learning_rate=0)
    second = trained(
        tmp_path / "second", "sum_of_words", start=start, preset="paper", settings=still, seed=2,
        scheme="entailed2", collapse=True,
    )  # fmt: skip
    before, after = weights(tmp_path / "first"), weights(tmp_path / "second")
    assert after["classifier.6.weight"].shape == (2, 8)
    for name in set(before) - {"classifier.6.weight", "classifier.6.bias"}:
        np.testing.assert_array_equal(after[name], before[name])
    kept, went_on = (
        load_file(tmp_path / name / "run/accumulators.safetensors") for name in ("first", "second")
    )
    steps = first["best_epoch"] * first["steps"] / first["epochs"]
    assert kept["classifier.0.weight/step"] == steps
    assert went_on["classifier.0.weight/step"] == steps + second["steps"]
    assert went_on["classifier.6.weight/step"] == second["steps"]


def test_what_an_earlier_run_learnt_counts_as_seen_by_the_later(tmp_path: Path):
    first = small_run(tmp_path / "first", settings=small_settings("cbow", epochs=1))
    letters = [row | {"genre": "letters"} for row in lines()]
    first["files"]["train"] = write_lines(tmp_path / "first/train.jsonl", letters)
    assert run_train(first, tmp_path)[0] == 0
    start: dict[str, Any] = {"folder": first["folder"], "how": "update"}
    tests = [
        *letters[:2],
        line("n", "A clown waits on a bridge.", "It snows.", "neutral"),
        *lines(("The crowd",), "t")[:1],
    ]
    for name in ("second", "third"):  # the third knows what the first learnt from by the second alone
        run = small_run(tmp_path / name, start=start, settings=small_settings("cbow", epochs=1))
        run["files"]["train"] = write_lines(tmp_path / name / "train.jsonl", lines(("A clown",), "o"))
        run["files"]["test"] = write_lines(tmp_path / name / "test.jsonl", tests)
        code, events = run_train(run, tmp_path)
        assert code == 0, events[-1]
        scores = events[-1]["metrics"]["test"]
        assert scores["overlap"] == {"pairs": 2, "premises": 3, "hypotheses": 2}
        assert {genre: one["matched"] for genre, one in scores["by_genre"].items()} == {
            "letters": True,
            "stories": True,
        }
        assert events[-1]["metrics"]["train"]["genres"] == {"stories": 12}
        assert any(event.get("overlap") == scores["overlap"] for event in events)
        start = {"folder": run["folder"], "how": "update"}
    asked = {
        "snapshot": OTHER,
        "files": {"test": run["files"]["test"]},
        "vectors": run["vectors"],
        "folder": str(tmp_path / "scored"),
    }
    assert run_evaluate(Path(run["folder"]), asked, tmp_path)[1][-1]["metrics"]["test"] == scores


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"start": {"folder": "FIRST", "how": "fixed"}}, "update, transfer"),
        ({"start": {"folder": "/nowhere", "how": "update"}}, "/nowhere"),
        (
            {"start": {"folder": "FIRST", "how": "update"}, "scheme": "entailed2", "collapse": True},
            "transfer",
        ),
        (
            {"start": {"folder": "FIRST", "how": "update"}, "baseline": "esim"},
            "has the baseline cbow, this one has esim",
        ),
        ({"start": {"folder": "FIRST", "how": "update"}, "settings": {"hidden": 9}}, "classifier.0.weight"),
        (
            {"start": {"folder": "FIRST", "how": "update"}, "vectors": "OTHERS"},
            "are not those that the run in",
        ),
        ({"collapse": True}, "entailed2"),
        ({"mixed": [{"snapshot": OTHER, "file": {"path": "x", "sha256": "0" * 64}, "share": 0}]}, "share"),
        ({"most": 0}, "most: is 0; it must be at least 1"),
        ({"soft_labels": "yes"}, "soft_labels"),
    ],
)
def test_a_regime_that_cannot_be_is_refused_with_the_reason(
    tmp_path: Path, change: dict[str, Any], words: str
):
    if "start" in change:
        trained(tmp_path / "first", settings=small_settings("cbow", epochs=1))
        folder = change["start"]["folder"].replace("FIRST", str(tmp_path / "first/run"))
        change = change | {"start": change["start"] | {"folder": folder}}
    if "vectors" in change:
        others = tmp_path / "others.txt"
        others.write_text(write_vectors(tmp_path / "vectors.txt").read_text().replace("dog", "cat"))
        change = change | {"vectors": str(others)}
    if change.get("baseline") == "esim":
        change = change | {"settings": small_settings("esim")}
    assert words in refusal(tmp_path / "second", **change)


def test_three_labels_are_read_as_two_where_a_run_asks_for_it(tmp_path: Path):
    two = trained(tmp_path / "two", scheme="entailed2", collapse=True)
    assert two["test"]["by_label"]["entailed"]["pairs"] == 4
    assert two["test"]["by_label"]["not-entailed"]["pairs"] == 8
    assert "set collapse" in refusal(tmp_path / "strict", scheme="entailed2")


def test_a_run_on_three_labels_is_scored_on_two_by_summing(tmp_path: Path):
    trained(tmp_path)
    rows = [row | {"gold_label": "entailed", "annotator_labels": []} for row in lines(("A postman",), "t")]
    evaluation = {
        "snapshot": OTHER,
        "files": {"test": write_lines(tmp_path / "two.jsonl", rows)},
        "vectors": str(tmp_path / "vectors.txt"),
        "folder": str(tmp_path / "scored"),
        "collapse": True,
    }
    code, events = run_evaluate(tmp_path / "run", evaluation, tmp_path)
    assert code == 0, events[-1]
    three, two = (
        [json.loads(text)["probabilities"] for text in (tmp_path / name).read_text().splitlines()]
        for name in ("run/predictions-test.jsonl", "scored/predictions-test.jsonl")
    )
    for before, after in zip(three, two, strict=True):
        assert after["not-entailed"] == pytest.approx(before["neutral"] + before["contradiction"], abs=2e-6)


def test_five_points_are_read_as_two_classes(tmp_path: Path):
    rows = [
        row | {"gold_label": "5" if number % 3 else "3", "annotator_labels": []}
        for number, row in enumerate(lines(("A postman",), "t"))
    ]
    files = {name: write_lines(tmp_path / f"{name}.jsonl", rows) for name in ("train", "dev", "test")}
    given = {"files": files, "baseline": "majority", "settings": {}, "vectors": None}
    two = trained(tmp_path / "two", scheme="entailed2", collapse=True, **given)
    assert {label: part["pairs"] for label, part in two["test"]["by_label"].items()} == {
        "entailed": 8,
        "not-entailed": 4,
    }
    five = trained(tmp_path / "five", scheme="ordinal5", **given)
    assert set(five["test"]["by_label"]) == {"1", "2", "3", "4", "5"}
    evaluation = {
        "snapshot": OTHER,
        "files": {"test": files["test"]},
        "folder": str(tmp_path / "scored"),
        "collapse": True,
    }
    code, events = run_evaluate(tmp_path / "five/run", evaluation, tmp_path)
    assert code == 0, events[-1]
    scores = events[-1]["metrics"]["test"]
    assert scores["accuracy"] == scores["majority"] == pytest.approx(8 / 12)


def soft_lines() -> list[dict[str, object]]:
    """Returns two groups of pairs that differ in their hypotheses: unanimous ones, and ones split three to two."""
    split = ["neutral"] * 3 + ["entailment"] * 2
    return [
        line(f"s{i}", f"A dog waits {i}.", "outdoors", "neutral", annotator_labels=split)
        if i % 2
        else line(
            f"s{i}", f"A dog waits {i}.", "nowhere", "contradiction", annotator_labels=["contradiction"] * 5
        )
        for i in range(24)
    ]


@pytest.mark.thorough
def test_soft_labels_teach_how_people_are_divided(tmp_path: Path):
    settings = small_settings("cbow", epochs=60, batch_size=8, dropout=0.0, patience=0, learning_rate=0.01)
    scores = {}
    for soft in (True, False):
        # All pairs are learnt to the end: a part held back would choose an early epoch, by accuracy.
        run = small_run(tmp_path / str(soft), settings=settings, soft_labels=soft, hold_back=0.0)
        run["files"] = dict.fromkeys(
            ("train", "test"), write_lines(tmp_path / str(soft) / "soft.jsonl", soft_lines())
        )
        code, events = run_train(run, tmp_path)
        assert code == 0, events[-1]
        scores[soft] = events[-1]["metrics"]["test"]["distribution"]
    assert scores[True]["pairs"] == 24
    assert scores[True]["kl"] < 0.05 < 0.2 < scores[False]["kl"]
    assert scores[True]["entropy_correlation"] > 0.95


def test_distribution_scores_are_those_of_scipy():
    chance = np.random.default_rng(1)
    votes = [tuple(map(int, row)) for row in chance.multinomial(5, [0.5, 0.3, 0.2], size=40)]
    pairs = [Pair(str(i), ("a",), "b", 0, "g", row) for i, row in enumerate(votes)]
    predicted = chance.dirichlet([1, 1, 1], size=40).astype(np.float32)
    alone = [Pair("alone", ("a",), "b", 0, "g", (1, 0, 0)), Pair("none", ("a",), "b", 0, "g")]
    scores = distribution_scores([*pairs, *alone], np.concatenate((predicted, predicted[:2])))
    people = np.array(votes) / 5
    assert scores is not None
    assert scores["pairs"] == 40
    assert scores["kl"] == pytest.approx(np.mean(entropy(people, predicted, axis=1)), rel=1e-4)
    assert scores["jsd"] == pytest.approx(np.mean(jensenshannon(people, predicted, axis=1) ** 2), rel=1e-4)
    assert scores["entropy_correlation"] == pytest.approx(
        np.corrcoef(entropy(people, axis=1), entropy(predicted, axis=1))[0, 1], rel=1e-4
    )
    assert distribution_scores(alone, predicted[:2]) is None


@pytest.mark.thorough
def test_a_stopped_run_of_every_regime_ends_as_one_that_never_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    settings = small_settings(
        "sum_of_words", epochs=2, batch_size=4, dropout=0.3, optimiser="adadelta", learning_rate=1.0
    )
    trained(tmp_path / "first", "sum_of_words", settings=settings)
    asked: dict[str, Any] = {
        "settings": settings,
        "mixed": [{"snapshot": OTHER, "file": other_file(tmp_path), "share": 0.4}],
        "start": {"folder": str(tmp_path / "first/run"), "how": "transfer"},
        "most": 60,
        "soft_labels": True,
    }
    trained(tmp_path / "whole", "sum_of_words", **asked)
    run = small_run(tmp_path / "stopped", "sum_of_words", **asked)
    code, stops = 3, 0
    while code == 3:
        monkeypatch.setattr("modeling.baselines.program.Stop", lambda: StopAfter(7))
        code, _ = run_train(run, tmp_path)
        stops += code == 3
    assert (code, stops > 3) == (0, True)
    assert_same_result(tmp_path / "whole/run", tmp_path / "stopped/run")
    for name in ("whole", "stopped"):
        assert (tmp_path / name / "run/accumulators.safetensors").exists()
