"""Measures breakdowns of ten runs on a large snapshot, and all result tables: seconds and memory."""

import json
import os
import random
import resource
import time
import uuid
from collections.abc import Callable
from typing import Any

from django.utils import timezone

from bench.corpora import LABELS, sentences
from collection.models import Corpus
from modeling.folders import folder_of
from modeling.models import Breakdown, Evaluation, TrainingRun
from modeling.reports.cells import Scores, fill
from modeling.reports.definitions import TABLES
from modeling.results.breakdowns import store_breakdowns, store_composition
from modeling.results.predictions import WRONG, Choice, Predictions
from snapshots.models import Snapshot

RUNS = 10
GENRES = tuple(f"genre-{number}" for number in range(10))
BASELINES = ("cbow", "bilstm", "esim", "lstm", "hypothesis_only")


def measure_breakdowns(pairs: int) -> None:
    """Measures breakdowns and result tables. All pairs are in the test partition, so every one is counted."""
    snapshot = make_snapshot(pairs)
    runs = [make_run(snapshot, number) for number in range(RUNS)]
    print(f"Breakdowns: {pairs:,} pairs, {RUNS} runs\n")
    print("| step | seconds | processor seconds | peak memory, MiB |\n|---|---|---|---|")
    step("values of the pairs, once", lambda: store_composition(snapshot, "test"))
    step("breakdowns of the first run", lambda: store(snapshot, runs[0]))
    step(f"breakdowns of {RUNS - 1} further runs", lambda: store(snapshot, *runs[1:]))
    step("a page of the error browser", lambda: page_of_errors(runs[0]))
    step(
        "the same beside a second run, with a filter",
        lambda: page_of_errors(runs[0], runs[1], genre=GENRES[0]),
    )
    step("all result tables with the exact paired tests", lambda: tables(snapshot))
    print(f"\n{Breakdown.objects.count()} rows are stored.\n")


def step(name: str, work: Callable[[], Any]) -> None:
    began, busy = time.monotonic(), time.process_time()
    work()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"| {name} | {time.monotonic() - began:.1f} | {time.process_time() - busy:.1f} | {peak:,.0f} |",
        flush=True,
    )


def store(snapshot: Snapshot, *runs: TrainingRun) -> None:
    for run in runs:
        store_breakdowns(run, snapshot, folder_of(run), ["test"])


def page_of_errors(run: TrainingRun, beside: TrainingRun | None = None, **values: str) -> None:
    """Reads a page of wrong predictions. The texts are left out: reading them takes as long for any number of pairs."""
    predictions = Predictions(run, "test", beside=beside)
    assert len(predictions.chosen(Choice(outcome=WRONG, values=values)))
    assert predictions.dimensions


def tables(snapshot: Snapshot) -> None:
    scores = Scores([snapshot])
    for name in TABLES:
        fill(name, [snapshot], scores=scores, tests=True)


def make_snapshot(pairs: int) -> Snapshot:
    """Makes a frozen snapshot by writing its file directly: freezing has a section of its own."""
    corpus = Corpus.objects.create(slug="broken-down", name="Broken down")
    snapshot = Snapshot.objects.create(
        corpus=corpus, version=1, status="frozen", sha256=uuid.uuid4().hex * 2, frozen_at=timezone.now()
    )
    os.makedirs(snapshot.folder)
    dice, text = random.Random(1), sentences(1)
    with (snapshot.folder / "test.jsonl").open("w", encoding="utf-8") as stream:
        for number in range(pairs):
            label = LABELS[number % 3]
            line = {
                "pairID": f"p{number}", "gold_label": label, "genre": dice.choice(GENRES), "sentence1": next(text),
                "sentence2": next(text), "author": f"a{dice.randrange(2000)}", "prompt_version": "1",
                "annotator_labels": [label, label, label, *dice.choices(LABELS, k=2)],
            }  # fmt: skip
            stream.write(json.dumps(line) + "\n")
    return snapshot


def make_run(snapshot: Snapshot, number: int) -> TrainingRun:
    """Makes a finished run with a file of predictions."""
    run = TrainingRun.objects.create(
        snapshot=snapshot,
        baseline=BASELINES[number % len(BASELINES)],
        seed=number,
        status="done",
        worker="bench",
    )
    dice, right, count = random.Random(number), 0, 0
    folder_of(run).mkdir(parents=True)
    with (
        (snapshot.folder / "test.jsonl").open(encoding="utf-8") as lines,
        (folder_of(run) / "predictions-test.jsonl").open("w", encoding="utf-8") as stream,
    ):
        for data in lines:
            line = json.loads(data)
            predicted = line["gold_label"] if dice.random() < 0.7 else dice.choice(LABELS)
            right, count = right + (predicted == line["gold_label"]), count + 1
            shares = {label: 0.8 if label == predicted else 0.1 for label in LABELS}
            row = {
                "pairID": line["pairID"], "gold": line["gold_label"], "predicted": predicted,
                "probabilities": shares, "genre": line["genre"],
            }  # fmt: skip
            stream.write(json.dumps(row) + "\n")
    Evaluation.objects.create(
        run=run, snapshot=snapshot, partition="test", pairs=count, accuracy=right / count, majority=1 / 3
    )
    return run
