"""Snapshots to train on, vectors for their words, and programs that misbehave on purpose."""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from jobs.claims import claim
from modeling.folders import folder_of
from modeling.launching.actions import request_run
from modeling.models import TrainingRun
from modeling.running import runner
from modeling.running.actions import record_result
from snapshots.models import Snapshot
from tests.snapshots.material import corpus_of, freeze, lines

# The beginning of a test's program: it can then write events.
SAY = "say = lambda **event: print(json.dumps(event), flush=True)\n"
# An epoch takes milliseconds, and training never ends early.
SMALL = {"hidden": "4", "batch_size": "8", "patience": "0"}


def small_snapshot(premises: int = 8, **fields: Any) -> Snapshot:
    """Makes a snapshot with three pairs for each premise, one premise in dev and one in test."""
    snapshot = freeze(corpus_of(premises, **fields))
    return Snapshot.objects.select_related("corpus").get(pk=snapshot.pk)


def vectors_for(snapshot: Snapshot, path: Path) -> str:
    """Writes a GloVe text file with three invented numbers for every word of the snapshot."""
    texts = (
        f"{line['sentence1']} {line['sentence2']}"
        for part in ("train", "dev", "test")
        for line in lines(snapshot, part)
    )
    words = sorted({word.strip(".:").lower() for text in texts for word in text.split()} | {".", ":"})
    rows = (f"{word} {index % 7}.5 -{index % 5}.25 0.{index % 9}" for index, word in enumerate(words))
    path.write_text("\n".join(rows) + "\n")
    return str(path)


def a_run(snapshot: Snapshot, baseline: str = "majority", **fields: Any) -> TrainingRun:
    return request_run(snapshot=snapshot, baseline=baseline, **fields)


def claimed(run: TrainingRun, worker: str = "first@here") -> TrainingRun:
    found: TrainingRun = claim(TrainingRun, run.pk, worker=worker)
    assert found is not None
    return found


def done_run(
    snapshot: Snapshot, baseline: str = "cbow", *, accuracy: float = 0.5, **fields: Any
) -> TrainingRun:
    """Makes a finished run without any training."""
    run = claimed(a_run(snapshot, baseline, **fields))
    record_result(run=run, metrics=metrics(accuracy))
    run.refresh_from_db()
    return run


def write_predictions(run: TrainingRun, partition: str, wrong: int = 0) -> list[dict[str, Any]]:
    """Writes a file of predictions into the run's folder, the first `wrong` of them wrong; returns its lines."""
    labels = run.snapshot.corpus.labels
    pairs = [line for line in lines(run.snapshot, partition) if line["gold_label"] != "-"]
    rows = []
    for number, line in enumerate(pairs):
        gold = line["gold_label"]
        predicted = next(label for label in labels if label != gold) if number < wrong else gold
        shares = {label: 0.8 if label == predicted else 0.1 for label in labels}
        rows.append(
            {
                "pairID": line["pairID"],
                "gold": gold,
                "predicted": predicted,
                "probabilities": shares,
                "genre": line["genre"],
            }
        )
    folder_of(run).mkdir(parents=True, exist_ok=True)
    path = folder_of(run) / f"predictions-{partition}.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return rows


def metrics(
    accuracy: float = 0.5, majority: float = 0.4, distribution: dict[str, Any] | None = None
) -> dict[str, Any]:
    """Returns the metrics that the training program reports at its end."""
    part = {
        "accuracy": accuracy,
        "majority": majority,
        "pairs": 6,
        "distribution": distribution,
    }
    return {
        "train_pairs": 18,
        "train": {"accuracy": 0.9, "genres": {"fiction": 18}},
        "dev": part,
        "test": part,
        "seconds": 1.5,
        "pairs_per_second": 1000.0,
        "device": "cpu",
    }


def distribution(kl: float, entropy_correlation: float | None = 0.25) -> dict[str, Any]:
    """Returns the distance from the annotators' shares as the training program reports it."""
    return {"pairs": 4, "labels": "seats", "kl": kl, "jsd": 0.125, "entropy_correlation": entropy_correlation}


def program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, code: str) -> None:
    """Replaces the training program by a program of the test."""
    path = tmp_path / "program.py"
    path.write_text(f"import json, os, signal, sys, time\n{code}\n")
    monkeypatch.setattr(runner, "TRAIN", [sys.executable, str(path)])


def wait_for(what: Callable[[], Any], seconds: float = 300) -> Any:
    """Returns the first true result of a call. Fails after a timeout."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if found := what():
            return found
        time.sleep(0.1)
    pytest.fail("this took too long")
