"""A small snapshot and vectors for tests, and the two programs run as a person would run them."""

import contextlib
import hashlib
import io
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np
import pytest

from modeling.baselines import evaluate, train
from modeling.baselines.catalogue import BASELINES, TWO_CLASSES

ROOT = Path(__file__).resolve().parents[2]
WHO = ("A baker", "The old man", "Two girls", "A dog", "Some sailors", "The teacher")
WHERE = ("in a kitchen", "near the river", "on a bridge", "behind the school")
ENDINGS = {"entailment": "outdoors or indoors", "neutral": "for a friend", "contradiction": "nowhere at all"}
DIMENSIONS = 8


# Each reads its words in a way of its own: sums, one sentence by steps, pairs of words; and one is fitted.
DIFFERENT = ("cbow", "hypothesis_only", "esim", "lexicalized")


def graded(baselines: Iterable[str]) -> list[Any]:
    """Returns them as parameters: those that differ most in the first grade of tests, the others in the second."""
    return [
        pytest.param(each, marks=() if each in DIFFERENT else pytest.mark.thorough)
        for each in sorted(baselines)
    ]


def line(pair_id: str, premise: str, hypothesis: str, label: str, /, **more: object) -> dict[str, object]:
    """Returns one line of a snapshot's file."""
    return {
        "gold_label": label,
        "sentence1": premise,
        "sentence2": hypothesis,
        "promptID": pair_id.split("-")[0],
        "pairID": pair_id,
        "genre": "stories",
        "annotator_labels": [label],
        "gold_source": "voted",
        **more,
    }


def lines(who: Sequence[str] = WHO, prefix: str = "p") -> list[dict[str, object]]:
    """Returns three pairs for each premise; the hypothesis gives the label away."""
    return [
        line(f"{prefix}{number}-{label[0]}", f"{person} waits {place}.", f"{person} waits {ending}.", label)
        for number, (person, place) in enumerate((person, place) for person in who for place in WHERE)
        for label, ending in ENDINGS.items()
    ]


def write_lines(path: Path, rows: Sequence[Mapping[str, object]]) -> dict[str, str]:
    """Writes JSON Lines; returns the file as RUN.json names it."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return file_of(path)


def file_of(path: Path) -> dict[str, str]:
    """Returns a file as RUN.json names it."""
    return {"path": str(path), "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}


def write_vectors(path: Path) -> Path:
    """Writes a GloVe text file with the small snapshot's words in lower case."""
    text = " ".join(f"{row['sentence1']} {row['sentence2']}" for row in lines())
    words = sorted({word.strip(".").lower() for word in text.split()} | {"."})
    chance = np.random.default_rng(7)
    rows = (
        " ".join([word, *(f"{number:.4f}" for number in chance.normal(size=DIMENSIONS))]) for word in words
    )
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def small_settings(baseline: str, **changes: object) -> dict[str, object]:
    """Returns small sizes for those settings that the baseline has."""
    small = {"hidden": 8, "states": 6, "size": 7, "labels": "annotators", **changes}
    return {key: value for key, value in small.items() if key in get_type_hints(BASELINES[baseline])}


def small_run(folder: Path, baseline: str = "cbow", **changes: object) -> dict[str, Any]:
    """Writes the small snapshot into `folder`; returns the content of its RUN.json."""
    folder.mkdir(parents=True, exist_ok=True)
    files = {
        "train": write_lines(folder / "train.jsonl", lines()),
        "dev": write_lines(folder / "dev.jsonl", lines(("The queen", "A dog"), "d")),
        "test": write_lines(folder / "test.jsonl", lines(("A postman",), "t")),
    }
    run: dict[str, Any] = {
        "baseline": baseline,
        "seed": 1,
        "snapshot": {"name": "small@1", "sha256": "0" * 64},
        "scheme": "nli3",
        "files": files,
        "vectors": str(write_vectors(folder / "vectors.txt")),
        "cache": str(folder / "cache"),
        "folder": str(folder / "run"),
        "settings": small_settings(baseline, epochs=3, batch_size=4),
        "device": "cpu",
        "threads": 1,
    }
    two = {"scheme": "entailed2", "collapse": True} if baseline in TWO_CLASSES else {}
    return {**run, **two, **changes}


def run_train(run: Mapping[str, object], where: Path) -> tuple[int, list[dict[str, Any]]]:
    """Runs the training program in this process; returns its exit code and its events."""
    path = where / "RUN.json"
    path.write_text(json.dumps(run), encoding="utf-8")
    return in_process(lambda: train.main([str(path)]))


def run_evaluate(
    folder: Path, evaluation: Mapping[str, object], where: Path
) -> tuple[int, list[dict[str, Any]]]:
    """Runs the evaluation program in this process; returns its exit code and its events."""
    path = where / "EVAL.json"
    path.write_text(json.dumps(evaluation), encoding="utf-8")
    return in_process(lambda: evaluate.main([str(folder), str(path)]))


def in_process(program: Callable[[], int]) -> tuple[int, list[dict[str, Any]]]:
    """Runs a program, captures its output, and restores this process's signal handlers."""
    output = io.StringIO()
    with kept_signals(), contextlib.redirect_stdout(output):
        code = program()
    return code, [json.loads(one) for one in output.getvalue().splitlines()]


@contextlib.contextmanager
def kept_signals() -> Iterator[None]:
    """Restores the handlers of SIGTERM and SIGINT afterwards."""
    kept = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler)


def train_until(
    run: Mapping[str, object],
    where: Path,
    number: signal.Signals,
    is_time: Callable[[dict[str, Any]], bool],
) -> tuple[int, list[dict[str, Any]]]:
    """Runs the training program as a process and sends it a signal after the first event that fits."""
    path = where / "RUN.json"
    path.write_text(json.dumps(run), encoding="utf-8")
    process = subprocess.Popen(
        [sys.executable, "-m", "modeling.baselines.train", str(path)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    alarm = threading.Timer(60, process.kill)
    alarm.start()
    told: list[dict[str, Any]] = []
    is_sent = False
    assert process.stdout is not None
    with process.stdout:
        for text in process.stdout:
            told.append(json.loads(text))
            if not is_sent and is_time(told[-1]):
                process.send_signal(number)
                is_sent = True
    alarm.cancel()
    return process.wait(), told
