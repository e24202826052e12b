"""Measures breakdowns of ten runs on a large snapshot, and all tables over them: seconds and memory."""

import json
import os
import random
import resource
import time
import uuid
from collections.abc import Callable, Mapping
from typing import Any

from django.db import transaction
from django.utils import timezone

from bench.corpora import LABELS, sentences
from bench.measure import run_command
from bench.rows import Rows, unchecked
from collection.models import Corpus, Genre, Pair, Premise
from collection.models.querysets import refresh_planner
from modeling.folders import folder_of
from modeling.models import Breakdown, Evaluation, TrainingRun
from modeling.reports.definitions import TABLES
from modeling.reports.filling import fill
from modeling.reports.leak_audits import LEAKS
from modeling.reports.overviews import OVERVIEWS
from modeling.reports.scores import Scores
from modeling.results.breakdowns import store_breakdowns, store_composition
from modeling.results.features import TOP_FEATURES
from modeling.results.predictions import WRONG, Choice, Predictions
from modeling.results.twins import TWIN
from nli.lines import MANIFEST, PARTITION_FILES
from snapshots.files.hashes import file_sha256
from snapshots.models import Snapshot, SnapshotFile, SnapshotPair
from validation.models import Question

RUNS, TWINS = 10, 2
GENRES = tuple(f"genre-{number}" for number in range(10))
PARTS = ("dev", "test")
BASELINES = ("cbow", "bilstm", "esim", "lstm", "hypothesis_only")


def measure_breakdowns(pairs: int) -> None:
    """Measures breakdowns and tables. Half of the pairs are in dev and half in test, so every one is counted."""
    snapshot = make_snapshot("broken-down", {"dev": pairs // 2, "test": pairs - pairs // 2})
    other = make_snapshot("beside", dict.fromkeys(PARTS, max(1, pairs // 40)))
    runs = [make_run(snapshot, number) for number in range(RUNS)]
    print(f"Breakdowns: {pairs:,} pairs, {RUNS} runs\n")
    print("| step | seconds | processor seconds | peak memory, MiB |\n|---|---|---|---|")
    step("values of the pairs, once", lambda: compose(snapshot, other))
    step("breakdowns of the first run", lambda: store(snapshot, runs[0]))
    step(f"breakdowns of {RUNS - 1} further runs", lambda: store(snapshot, *runs[1:]))
    step("a page of the error browser", lambda: page_of_errors(runs[0]))
    step(
        "the same beside a second run, with a filter",
        lambda: page_of_errors(runs[0], runs[1], genre=GENRES[0]),
    )
    step("all result tables with the exact paired tests", lambda: tables(snapshot, other))
    print(f"\n{Breakdown.objects.count()} rows are stored.\n")
    measure_own_tables(snapshot, pairs)


def measure_own_tables(snapshot: Snapshot, pairs: int) -> None:
    """Measures the platform's own tables, each twice as its command: what it keeps helps the second."""
    for number in range(TWINS):
        make_run(snapshot, number, regime={TWIN: True})
    classifier = make_run(snapshot, RUNS, "lexicalized")
    weights = [{"feature": f"word {number}", "kind": "hypothesis", "weight": 1.0} for number in range(100)]
    (folder_of(classifier) / TOP_FEATURES).write_text(json.dumps(dict.fromkeys(LABELS, weights)))
    held = max(1, pairs // 40)
    parts = make_snapshot("parted", {"train": pairs - 2 * held, "dev": held, "test": held})
    print("| table | seconds | processor seconds | peak memory, MiB | again: seconds | processor | MiB |")
    print("|---|---|---|---|---|---|---|")
    for name, kind in OVERVIEWS.items():
        named = [parts] if name == LEAKS else [snapshot, parts] if kind.several else [snapshot]
        used = [run_command("report", *named, name) for _ in range(2)]
        cells = (f"{one.seconds:.1f} | {one.processor:.1f} | {one.memory:,.0f}" for one in used)
        print(f"| {name} | {' | '.join(cells)} |", flush=True)
    print()


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
        store_breakdowns(run, snapshot, folder_of(run), PARTS)


def compose(*snapshots: Snapshot) -> None:
    for snapshot in snapshots:
        for partition in PARTS:
            store_composition(snapshot, partition)


def page_of_errors(run: TrainingRun, beside: TrainingRun | None = None, **values: str) -> None:
    """Reads a page of wrong predictions. The texts are left out: reading them takes as long for any number of pairs."""
    predictions = Predictions(run, "test", beside=beside)
    assert len(predictions.chosen(Choice(outcome=WRONG, values=values)))
    assert predictions.dimensions


def tables(*snapshots: Snapshot) -> None:
    scores = Scores(snapshots)
    for name in TABLES:
        fill(name, snapshots, scores=scores, tests=True)


def make_snapshot(slug: str, partitions: Mapping[str, int]) -> Snapshot:
    """Makes a frozen snapshot with so many pairs. Writes its files and rows itself: freezing has a section of its own."""
    corpus = Corpus.objects.create(slug=slug, name=slug)
    Question.objects.create(corpus=corpus, scheme="nli3", wording="How do they relate?")
    genres = {name: Genre.objects.create(corpus=corpus, slug=name, name=name).pk for name in GENRES}
    snapshot = Snapshot.objects.create(
        corpus=corpus, version=1, status="frozen", sha256=uuid.uuid4().hex * 2, frozen_at=timezone.now()
    )
    os.makedirs(snapshot.folder)
    facts = {"scheme": "nli3", "labels": LABELS, "question": {"seats": 5, "threshold": 3}}
    dice, text, rows, number = random.Random(1), sentences(1), Rows(), 0
    with transaction.atomic(), unchecked(Premise, Pair, SnapshotPair):
        for partition, pairs in partitions.items():
            with (snapshot.folder / PARTITION_FILES[partition]).open("w", encoding="utf-8") as stream:
                for place in range(pairs):
                    label, number = LABELS[number % 3], number + 1
                    if place % 3 == 0:
                        name, premise, genre = f"{slug}-{number}", next(text), dice.choice(GENRES)
                        prompt = rows.add(
                            Premise, corpus_id=corpus.pk, genre_id=genres[genre], public_id=name, group=name, text=premise,
                            digest=f"{number:064}",
                        )  # fmt: skip
                    line = {
                        "pairID": f"{name}-{label}", "gold_label": label, "author_label": label, "genre": genre,
                        "promptID": name, "sentence1": premise, "sentence2": next(text),
                        "author": f"a{dice.randrange(2000)}", "prompt_version": "1",
                        "annotator_labels": [label, label, label, *dice.choices(LABELS, k=2)],
                    }  # fmt: skip
                    stream.write(json.dumps(line) + "\n")
                    pair = rows.add(
                        Pair, corpus_id=corpus.pk, premise_id=prompt, hypothesis=line["sentence2"], scheme="nli3",
                        author_label=label, public_id=line["pairID"],
                    )  # fmt: skip
                    rows.add(
                        SnapshotPair, snapshot_id=snapshot.pk, pair_id=pair, partition=partition, scheme="nli3",
                        gold_label=label, gold_source="vote",
                    )  # fmt: skip
        rows.write()
    files = [(snapshot.folder / PARTITION_FILES[name], pairs) for name, pairs in partitions.items()]
    listed = {path.name: {"sha256": file_sha256(path), "lines": pairs} for path, pairs in files}
    (snapshot.folder / MANIFEST).write_text(json.dumps({"corpus": facts, "files": listed}))
    SnapshotFile.objects.bulk_create(
        SnapshotFile(snapshot=snapshot, name=path.name, size=path.stat().st_size, **listed[path.name])
        for path, _ in files
    )
    refresh_planner(Premise, Pair, SnapshotPair)
    return snapshot


def make_run(
    snapshot: Snapshot, number: int, baseline: str = "", regime: Mapping[str, Any] | None = None
) -> TrainingRun:
    """Makes a finished run with a file of predictions."""
    run = TrainingRun.objects.create(
        snapshot=snapshot,
        baseline=baseline or BASELINES[number % len(BASELINES)],
        seed=number,
        regime=regime or {},
        status="done",
        worker="bench",
    )
    folder_of(run).mkdir(parents=True)
    for partition in PARTS:
        _predict(run, partition, random.Random(run.pk))
    return run


def _predict(run: TrainingRun, partition: str, dice: random.Random) -> None:
    """Writes predictions for a partition of the run's snapshot, and stores their score."""
    right, count = 0, 0
    with (
        (run.snapshot.folder / PARTITION_FILES[partition]).open(encoding="utf-8") as lines,
        (folder_of(run) / f"predictions-{partition}.jsonl").open("w", encoding="utf-8") as stream,
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
        run=run,
        snapshot=run.snapshot,
        partition=partition,
        pairs=count,
        accuracy=right / count,
        majority=1 / 3,
    )
