"""`train` and `evaluate`, as a person at a terminal runs them."""

import json
import os
import re
import signal
import subprocess
import sys
from datetime import timedelta

import pytest
from django.conf import settings as django_settings
from django.utils import timezone

from annotation_site.operation.server import database_url
from modeling.folders import evaluation_folder
from modeling.models import Evaluation, RunProgress, TrainingRun
from modeling.running import runner
from snapshots.statistics.job import compute_statistics, request_statistics
from tests.commands import run
from tests.corpora import make_corpus, make_premise
from tests.made_once import made_once
from tests.modeling.material import (
    SMALL,
    a_run,
    claimed,
    done_run,
    program,
    small_snapshot,
    vectors_for,
    wait_for,
)
from tests.snapshots.material import freeze, published_pair

snapshot = made_once(small_snapshot)


def as_words(settings: dict[str, str]) -> list[str]:
    return [f"{key}={value}" for key, value in settings.items()]


@pytest.mark.usefixtures("programs_start_at_once")
def test_training_prints_the_agreed_json_and_nothing_else(snapshot):
    ended = run("train", "small@1", "--baseline", "majority", "--seed", 4, "--json")
    assert ended.failure == ""
    told = ended.json
    found = TrainingRun.objects.get()
    assert told["run"] == found.pk
    assert (told["baseline"], told["snapshot"], told["sha256"], told["seed"]) == (
        "majority",
        "small@1",
        snapshot.sha256,
        4,
    )
    assert told["train_pairs"] == 18
    assert {"train", "dev", "test", "seconds", "pairs_per_second", "device"} <= set(told)
    assert told["test"]["accuracy"] == pytest.approx(1 / 3)
    assert told["test"]["majority"] == pytest.approx(1 / 3)
    assert told["test"]["by_genre"]["fiction"]["pairs"] == 3
    assert (found.status, found.seed) == ("done", 4)
    assert "18 training pairs on cpu" in ended.err


@pytest.mark.thorough
@pytest.mark.usefixtures("programs_start_at_once")
def test_cbow_is_trained_with_settings_and_told_in_words(snapshot, tmp_path):
    vectors = vectors_for(snapshot, tmp_path / "vectors.txt")
    words = as_words({**SMALL, "epochs": "2"})
    ended = run("train", "small@1", "--baseline", "cbow", "--vectors", vectors, "--set", *words)
    assert ended.failure == ""
    assert "epoch 2 done: loss" in ended.err
    assert re.search(
        r"test   accuracy .*\n +to people's shares, of seats: KL \d\.\d{4}, JSD .* \(3 pairs with two",
        ended.out,
    )
    assert TrainingRun.objects.get().config == {"batch_size": 8, "epochs": 2, "hidden": 4, "patience": 0}


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (
            ["small@1", "--baseline", "bert"],
            "no baseline 'bert'. The baselines: majority, hypothesis_only, infersent",
        ),
        (
            ["small@1", "--baseline", "cbow", "--set", "epoch=3"],
            "epoch: unknown key; did you mean .epochs.*batch_size",
        ),
        (
            ["small@1", "--baseline", "cbow", "--set", "epochs=x"],
            "epochs: must be a whole number.*The settings of cbow",
        ),
        (["small@1", "--baseline", "cbow", "--set", "epochs"], "'epochs' is not of the form key=value"),
        (["small@1", "--baseline", "cbow", "--set", "epochs=1", "epochs=2"], "--set names a key twice"),
        (
            ["small@1", "--baseline", "cbow", "--seed", "-1"],
            "'-1' is not a whole number|expected one argument",
        ),
        (["small@1", "--baseline", "pretrained", "--preset", "paper"], "pretrained is in no paper"),
        (["small@1", "--baseline", "hypothesis_only", "--hypothesis-only"], "reads no premise anyway"),
        (["small@9", "--baseline", "cbow"], "no snapshot 'small@9'. Freeze one"),
        (["small@1"], "Name a snapshot .CORPUS@VERSION. and a --baseline: majority"),
        (["--resume", "7"], "There is no run 7"),
    ],
)
def test_what_cannot_be_trained_is_said_and_leaves_no_run(snapshot, words, says):
    ended = run("train", *words)
    assert ended.failure
    assert re.search(says, ended.failure)
    assert not TrainingRun.objects.exists()
    assert ended.out == ""


def test_a_preset_and_a_twin_are_asked_for_with_settings_that_count_before_the_preset(snapshot, sent):
    asked = ("train", "small@1", "--baseline", "lstm", "--queue")
    assert run(*asked, "--preset", "paper", "--set", "epochs=7", "--hypothesis-only").failure == ""
    found = TrainingRun.objects.get()
    assert found.config == {"epochs": 7, "learning_rate": 1.0, "optimiser": "adadelta", "patience": 5}
    assert found.regime == {"hypothesis_only": True}


def test_with_queue_the_run_waits_and_a_missing_worker_is_told(snapshot, sent):
    ended = run("train", "small@1", "--baseline", "majority", "--queue", "--json")
    found = TrainingRun.objects.get()
    assert sent == [found.pk]
    assert ended.json == {
        "run": found.pk,
        "baseline": "majority",
        "snapshot": "small@1",
        "sha256": snapshot.sha256,
        "seed": 1,
        "status": "queued",
    }
    assert "The queue training has no worker" in ended.err


@pytest.mark.usefixtures("programs_start_at_once")
def test_a_failed_training_ends_the_command_with_its_sentence(snapshot, tmp_path):
    ended = run("train", "small@1", "--baseline", "cbow", "--vectors", tmp_path / "none.txt", "--json")
    assert "none.txt cannot be read" in ended.failure
    assert ended.out == ""
    assert TrainingRun.objects.get().status == "failed"


def test_a_run_in_other_hands_is_not_resumed(snapshot):
    ours = claimed(a_run(snapshot), "gpu@there")
    TrainingRun.objects.update(heartbeat_at=timezone.now() - timedelta(seconds=20))
    told = run("train", "--resume", ours.pk).failure
    ago = re.search(
        rf"Run {ours.pk} has the worker gpu@there, whose last heartbeat was (\d+) s ago: stop it there first",
        told,
    )
    again = re.search(r"If that worker has ended, try again in (\d+) s\.", told)
    assert ago
    assert again
    assert 20 <= int(ago[1]) < 60
    assert int(ago[1]) + int(again[1]) in (60, 61)


@pytest.mark.usefixtures("programs_start_at_once")
def test_overlap_with_training_is_warned_of_with_counts(db):
    corpus = make_corpus()
    for number in range(2):
        premise = make_premise(corpus, f"A line {number}.")
        for part in ("train", "test"):
            text = "The same words." if number else f"Words of {part}."
            published_pair(corpus, premise, "neutral", part, f"{part}{number}", hypothesis=text)
    freeze(corpus)
    ended = run("train", "small@1", "--baseline", "majority", "--json")
    says = "Of 2 test pairs, training has 1 as a whole, the premise of 2 and the hypothesis of 1."
    assert f"Warning: {says}" in ended.err
    assert ended.json["overlap"]["test"] == {"pairs": 1, "premises": 2, "hypotheses": 1}
    assert says in TrainingRun.objects.get().warnings
    again = run("evaluate", ended.json["run"], "small@1", "--partition", "test", "--json")
    assert f"Warning: {says}" in again.err
    assert again.json["test"]["overlap"] == {"pairs": 1, "premises": 2, "hypotheses": 1}


@pytest.mark.thorough
@pytest.mark.usefixtures("programs_start_at_once")
def test_a_run_is_evaluated_on_another_snapshot_by_label_and_genre(snapshot):
    trained = run("train", "small@1", "--baseline", "majority", "--json").json["run"]
    small_snapshot(slug="other")
    ended = run("evaluate", trained, "other@1", "--by", "label")
    assert ended.failure == ""
    assert "evaluated on other@1" in ended.out
    assert "entailment: 1.0000  (1 pairs)" in ended.out
    assert "fiction: 0.3333" in run("evaluate", trained, "other@1", "--by", "genre").out
    rows = Evaluation.objects.filter(snapshot__corpus__slug="other")
    assert {row.partition: row.pairs for row in rows} == {"dev": 3, "test": 3}
    told = run("evaluate", trained, "small@1", "--partition", "train", "--json").json
    assert (told["run"], told["train"]["pairs"], told["snapshot"]) == (trained, 18, "small@1")
    assert told["trained_on"]["name"] == "small@1"


@pytest.mark.thorough
@pytest.mark.usefixtures("programs_start_at_once")
def test_a_run_is_evaluated_by_annotation_tag(snapshot, settings):
    corpus = make_corpus(slug="tagged")
    for number, (text, label) in enumerate(
        [
            ("He is not here.", "contradiction"),
            ("She was never there.", "entailment"),
            ("If it rains.", "entailment"),
        ]
    ):
        premise = make_premise(corpus, f"A man stood by door {number}.")
        published_pair(corpus, premise, label, "dev", f"t{number}", hypothesis=text)
    tagged = freeze(corpus)
    trained = run("train", "small@1", "--baseline", "majority", "--json").json["run"]
    told = run("evaluate", trained, "tagged@1", "--by", "tag", "--json").json["dev"]
    gold = {"t0": "contradiction", "t1": "entailment", "t2": "entailment"}
    folder = evaluation_folder(TrainingRun.objects.get(pk=trained), tagged, ["dev"])
    assert json.loads((folder / "evaluation.json").read_text())["threads"] == 1  # TRAINING_THREADS
    rows = [json.loads(line) for line in (folder / "predictions-dev.jsonl").read_text().splitlines()]
    right = {row["pairID"] for row in rows if row["predicted"] == gold[row["pairID"]]}
    negated = len(right & {"t0", "t1"}) / 2
    assert told["by_tag"]["negation"] == {"accuracy": negated, "pairs": 2}
    assert told["by_tag"]["conditionals"]["pairs"] == 1
    assert told["by_tag"]["interjections"] == {"accuracy": None, "pairs": 0}
    assert len(told["by_tag"]) == 15
    out = run("evaluate", trained, "tagged@1", "--by", "tag").out
    assert f"negation: {negated:.4f}  (2 pairs)" in out
    assert "interjections: no pairs" in out
    figures = compute_statistics(statistics_id=request_statistics(snapshot=tagged, kind="tags").pk).data
    dev = next(group for group in figures["groups"] if group["partition"] == "dev")
    assert {tag: found["pairs"] for tag, found in told["by_tag"].items()} == {
        tag: found["word"]["pairs"] for tag, found in dev["tags"].items()
    }, "the pairs of each tag are those of the statistics"
    type(corpus).objects.filter(pk=corpus.pk).update(language="ko")
    assert "tags are for English only" in run("evaluate", trained, "tagged@1", "--by", "tag").failure


@pytest.mark.usefixtures("programs_start_at_once")
def test_what_cannot_be_evaluated_is_said(snapshot):
    waiting = a_run(snapshot)
    assert "only finished runs" in run("evaluate", waiting.pk, "small@1").failure
    assert "There is no run 999" in run("evaluate", 999, "small@1").failure
    trained = done_run(snapshot)
    assert "no snapshot 'small@9'" in run("evaluate", trained.pk, "small@9").failure
    assert "holds no finished run" in run("evaluate", trained.pk, "small@1").failure
    other = make_corpus(slug="two", scheme="grammar3")
    published_pair(other, make_premise(other, "A line."), "minor", "test", "t1")
    freeze(other)
    assert "predicts labels of nli3, two@1 has grammar3" in run("evaluate", trained.pk, "two@1").failure
    assert "has no dev pairs" in run("evaluate", trained.pk, no_dev(), "--partition", "dev").failure


def no_dev() -> str:
    corpus = make_corpus(slug="nodev")
    published_pair(corpus, make_premise(corpus, "A line."), "neutral", "test", "t1")
    return str(freeze(corpus))


@pytest.mark.thorough
@pytest.mark.usefixtures("programs_start_at_once")
def test_a_snapshot_file_that_is_torn_is_named_by_evaluate_too(snapshot):
    trained = run("train", "small@1", "--baseline", "majority", "--json").json["run"]
    path = snapshot.folder / "test.jsonl"
    os.truncate(path, 3)
    assert f"{path} has 3 bytes instead of" in run("evaluate", trained, "small@1").failure


@pytest.mark.thorough
@pytest.mark.django_db(transaction=True)
def test_ctrl_c_stops_with_a_checkpoint_and_says_how_to_go_on(settings, tmp_path):
    snapshot = small_snapshot()
    vectors = vectors_for(snapshot, tmp_path / "vectors.txt")
    environment = {
        **os.environ,
        "DATABASE_URL": database_url(),
        "QUINTET_VAR": str(settings.VAR),
        "SECRET_KEY": "of no use to anybody",
    }
    words = as_words({**SMALL, "epochs": "2000"})
    command = [sys.executable, "manage.py", "train", "small@1", "--baseline", "cbow", "--vectors", vectors]
    process = subprocess.Popen(
        [*command, "--json", "--set", *words],
        cwd=django_settings.BASE_DIR,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        wait_for(lambda: RunProgress.objects.filter(step__gt=0).exists())
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=300)
    found = TrainingRun.objects.get()
    assert (found.status, process.returncode, out) == ("stopped", 130, "")
    assert f"manage.py train --resume {found.pk}" in err
    ended = run("train", "--resume", found.pk, "--json")
    assert ended.failure == ""
    assert "continuing from step" in ended.err
    assert ended.json["run"] == found.pk


def test_a_stop_from_a_page_reaches_the_foreground(db, monkeypatch, tmp_path):
    small_snapshot(3)
    program(monkeypatch, tmp_path, "signal.signal(signal.SIGTERM, lambda *_: sys.exit(3))\ntime.sleep(30)")
    monkeypatch.setattr(runner.Claim, "stop_asked", lambda claim: True)
    ended = run("train", "small@1", "--baseline", "majority")
    assert "Stopped; its checkpoint is stored" in ended.failure
