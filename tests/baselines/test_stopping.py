"""How the learning rate falls, when training ends, which epoch counts, and which weights L2 excludes."""

from pathlib import Path
from typing import Any

import pytest
import torch

from modeling.baselines.catalogue import make_settings
from modeling.baselines.networks import make_network
from modeling.baselines.optimisers import make_optimiser
from modeling.baselines.settings import LearningSettings
from tests.baselines.small import run_train, small_run, small_settings

# As InferSent is trained.
SGD: dict[str, Any] = {
    "optimiser": "sgd",
    "learning_rate": 0.1,
    "decay": 0.99,
    "shrink": 5.0,
    "stop_below": 1e-5,
    "patience": 0,
}


def epochs_of(
    where: Path, monkeypatch: pytest.MonkeyPatch, baseline: str, accuracies: list[float], **settings: Any
) -> list[dict[str, Any]]:
    """Returns the events of the epochs of a run with these dev accuracies; the last event is the end."""
    with monkeypatch.context() as patch:
        left = iter(accuracies)
        patch.setattr("modeling.baselines.epochs.dev_accuracy", lambda training: next(left))
        # Whether a network has learnt anything yet is tested in test_chance_and_language.py.
        patch.setattr("modeling.baselines.epochs.is_at_chance", lambda *_: False)
        chosen = small_settings(baseline, batch_size=24, **settings)
        code, events = run_train(small_run(where, baseline, settings=chosen), where)
    assert code == 0, events[-1]
    return [event for event in events if event["event"] in ("epoch", "done")]


def test_the_rate_decays_each_epoch_and_shrinks_when_dev_accuracy_falls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    accuracies = [0.5, 0.6, 0.55, 0.6, 0.7]
    events = epochs_of(tmp_path, monkeypatch, "hypothesis_only", accuracies, epochs=5, **SGD)
    rates = [event["learning_rate"] for event in events[:-1]]
    expected = [0.1, 0.1 * 0.99, 0.1 * 0.99**2, 0.1 * 0.99**3 / 5, 0.1 * 0.99**4 / 5]
    assert rates == pytest.approx(expected)


def test_training_ends_once_the_rate_is_too_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    # 0.1 / 5 ** 6 is below 1e-5: five falls, and the sixth ends it.
    events = epochs_of(tmp_path, monkeypatch, "hypothesis_only", [0.9, *[0.1] * 19], epochs=20, **SGD)
    assert len(events) - 1 == 7


def test_training_ends_after_so_many_epochs_without_a_better_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    events = epochs_of(tmp_path, monkeypatch, "cbow", [0.5, 0.6, 0.6, 0.4, 0.55, 0.9], epochs=6)
    assert len(events) - 1 == 5
    assert events[-1]["metrics"]["best_epoch"] == 2


def test_the_weights_of_the_best_epoch_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    epochs_of(tmp_path / "short", monkeypatch, "cbow", [0.5, 0.6], epochs=2, dropout=0.0)
    epochs_of(tmp_path / "long", monkeypatch, "cbow", [0.5, 0.6, 0.4, 0.3], epochs=4, dropout=0.0)
    short, long = ((tmp_path / name / "run/weights.safetensors").read_bytes() for name in ("short", "long"))
    assert short == long


@pytest.mark.parametrize("optimiser", ["adam", "sgd", "adadelta"])
def test_l2_pulls_at_weights_and_leaves_word_vectors_alone(optimiser: str):
    settings = make_settings("cbow", small_settings("cbow", l2=0.5, optimiser=optimiser))
    assert isinstance(settings, LearningSettings)
    network = make_network(settings, 5, 4, 3)
    before = {name: one.detach().clone() for name, one in network.named_parameters()}
    for one in network.parameters():
        one.grad = torch.zeros_like(one)
    make_optimiser(network, settings).step()
    for name, one in network.named_parameters():
        if name == "vectors.weight":
            assert torch.equal(one, before[name])
        else:
            assert one.norm() < before[name].norm(), name
