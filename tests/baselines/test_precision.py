"""Half precision and compiling: a setting requests them, the run folder records them, and results stay close."""

import json
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from modeling.baselines.catalogue import make_settings
from modeling.baselines.config import read_run_config
from modeling.baselines.networks import recurrence
from modeling.baselines.program import sentence_for
from modeling.baselines.settings import LearningSettings
from modeling.baselines.training_state import compiled, in_precision
from tests.baselines.small import graded, run_train, small_run, small_settings
from tests.baselines.test_networks import CPU, NEURAL, made
from tests.baselines.test_recurrence import steps, twins

HALF = make_settings("cbow", {"precision": "bfloat16"})
assert isinstance(HALF, LearningSettings)


@pytest.mark.parametrize("baseline", graded(NEURAL))
def test_in_half_precision_a_network_says_nearly_the_same_and_learns(baseline: str):
    network, pairs = made(baseline)
    batch = pairs.cut(np.arange(len(pairs)), CPU)
    whole = network(batch)
    with in_precision(HALF, CPU):
        half = network(batch)
    assert not torch.equal(half.float(), whole)
    torch.testing.assert_close(half.float().softmax(1), whole.softmax(1), atol=0.05, rtol=0)
    torch.nn.functional.cross_entropy(half.float(), batch.labels).backward()
    for name, parameter in network.named_parameters():
        if parameter.requires_grad:
            assert parameter.grad is not None, name
            assert parameter.grad.dtype == torch.float32, name
            assert torch.isfinite(parameter.grad).all(), name


def test_torchs_kernel_which_is_for_gpus_takes_half_precision_too():
    ours, _ = twins()
    table, read = torch.randn(4, 3), steps()
    words = (table[read.tokens], read, ours.left_to_right, ours.right_to_left)
    whole = recurrence.by_torch(*words)
    with in_precision(HALF, CPU):
        half = recurrence.by_torch(*words)
    assert half.dtype == torch.bfloat16
    torch.testing.assert_close(half.float(), whole, atol=0.02, rtol=0)


def test_a_run_in_half_precision_says_so_and_keeps_whole_weights(tmp_path: Path):
    settings = small_settings("bilstm", epochs=3, batch_size=4, precision="bfloat16")
    folders = []
    for name, given in (("half", settings), ("whole", {**settings, "precision": "float32"})):
        code, events = run_train(small_run(tmp_path / name, "bilstm", settings=given), tmp_path / name)
        assert code == 0, events[-1]
        folders.append(tmp_path / name / "run")
    half, whole = folders
    assert json.loads((half / "environment.json").read_text())["precision"] == "bfloat16"
    assert json.loads((half / "config.json").read_text())["settings"]["precision"] == "bfloat16"
    assert "precision" not in json.loads((whole / "config.json").read_text())["settings"]
    weights = [load_file(folder / "weights.safetensors") for folder in folders]
    assert all(tensor.dtype == torch.float32 for tensor in weights[0].values())
    assert any(not torch.equal(weights[0][name], weights[1][name]) for name in weights[0])


# torch warns of its own modules while it loads its compiler.
@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_compiled_network_learns_what_the_plain_one_learns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    # Everything but the C++ compiler, which takes minutes on a busy machine.
    monkeypatch.setattr(torch, "compile", partial(torch.compile, backend="aot_eager"))
    metrics = []
    for name, asked in (("plain", False), ("compiled", True)):
        settings = small_settings("cbow", epochs=2, batch_size=6, dropout=0.0, compile=asked)
        run = small_run(tmp_path / name, "cbow", settings=settings)
        code, events = run_train(run, tmp_path / name)
        assert code == 0, events[-1]
        metrics.append(events[-1]["metrics"])
        told = json.loads((tmp_path / name / "run/environment.json").read_text())
        assert told["compiled"] is asked
    plain, compiled_weights = (
        load_file(tmp_path / name / "run/weights.safetensors") for name in ("plain", "compiled")
    )
    for name, tensor in plain.items():
        torch.testing.assert_close(compiled_weights[name], tensor, atol=1e-4, rtol=1e-4)
    assert metrics[0]["test"]["accuracy"] == metrics[1]["test"]["accuracy"]


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore:The .grad attribute:UserWarning")
# One of each way of reading: torch's own layers, BiLSTMs, and word by word, a loop whose compiling would take minutes.
@pytest.mark.parametrize("baseline", ["hypothesis_only", "lstm", "word_attention"])
def test_a_compiled_network_computes_and_learns_what_the_plain_one_does(
    baseline: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    # What is compiled is ours to choose; how, the test above tries with more of torch's compiler.
    monkeypatch.setattr(torch, "compile", partial(torch.compile, backend="eager"))
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path))
    torch._dynamo.reset()
    settings = make_settings(baseline, small_settings(baseline, compile=True))
    answers = []
    for wrap in (lambda network: network, lambda network: compiled(network, settings, tmp_path)):
        network, pairs = made(baseline)
        module = wrap(network)
        batches = [pairs.cut(np.arange(first, len(pairs), 3), CPU) for first in range(2)]  # of two lengths
        logits = [module(batch) for batch in batches]
        sum(map(torch.sum, logits)).backward()
        answers.append((logits, [one.grad for one in network.parameters() if one.requires_grad]))
    for plain, other in zip(*answers, strict=True):
        torch.testing.assert_close(other, plain, atol=1e-5, rtol=1e-4)


def test_a_run_that_asks_for_neither_keeps_the_identity_of_before(tmp_path: Path):
    plain = read_run_config(small_run(tmp_path))
    same = read_run_config(
        small_run(tmp_path, settings={**small_run(tmp_path)["settings"], "precision": "float32"})
    )
    other = read_run_config(
        small_run(tmp_path, settings={**small_run(tmp_path)["settings"], "precision": "bfloat16"})
    )
    assert plain.digest() == same.digest() != other.digest()
    assert not {"precision", "compile"} & set(plain.identity()["settings"])


def test_a_machine_that_cannot_compile_is_told_in_a_sentence():
    error = type("CppCompileError", (RuntimeError,), {"__module__": "torch._inductor.exc"})
    told = sentence_for(error("No C++ compiler found.\nmany more lines"))
    assert told == "The network could not be compiled here (No C++ compiler found.): set compile to false."
