"""The real training program under the runner: results, scores, stopping and resuming."""

import io
import json
import re
import threading
import zipfile
from pathlib import Path

import pytest
from django.db import connection

from modeling.baselines.checkpoint import load_run
from modeling.folders import CHILD, folder_of, unscored_of
from modeling.launching.actions import resume_run, stop_run
from modeling.models import Evaluation, RunProgress, TrainingRun
from modeling.querysets import DISTRIBUTION
from modeling.running import configs, runner
from modeling.running.evaluating import score
from snapshots.models import HandIn, Snapshot
from snapshots.withholding.actions import withhold
from tests.cast import rosa, stan, with_token
from tests.modeling.material import SMALL, a_run, claimed, small_snapshot, vectors_for, wait_for
from tests.snapshots.material import corpus_of, freeze


@pytest.fixture
def snapshot(transactional_db):
    return small_snapshot()


@pytest.mark.thorough
def test_majority_is_trained_and_its_scores_are_recorded_by_partition_genre_and_label(snapshot):
    run = runner.carry_out(claimed(a_run(snapshot)))
    assert (run.status, run.error) == ("done", "")
    assert (run.train_pairs, run.device) == (18, "cpu")
    assert run.seconds > 0
    whole = {
        row.partition: (row.pairs, round(row.accuracy, 3), row.majority and round(row.majority, 3))
        for row in Evaluation.objects.all()
    }
    assert whole == {"train": (18, 0.333, None), "dev": (3, 0.333, 0.333), "test": (3, 0.333, 0.333)}
    told = json.loads((folder_of(run) / "metrics.json").read_text())["test"]["distribution"]
    test = Evaluation.objects.all().get(partition="test")
    assert told["pairs"] == 3
    assert told == {
        "labels": "seats",
        "pairs": test.voted_pairs,
        **{key: getattr(test, key) for key in DISTRIBUTION},
    }
    parts = {row.dimension: row.rows for row in run.breakdowns.filter(partition="test")}
    assert sorted(value for value, pairs, *_ in parts["label"] if pairs == 1) == [
        "contradiction",
        "entailment",
        "neutral",
    ]
    assert [row[:2] for row in parts["genre"]] == [["fiction", 3]]
    assert [row[:2] for row in parts["matched"]] == [["matched", 3]]
    assert sum(pairs for _, pairs, *_ in parts["seen"]) == 3
    assert (folder_of(run) / "predictions-test.jsonl").exists()
    assert not (folder_of(run) / CHILD).exists()


@pytest.mark.usefixtures("programs_start_at_once")
def test_cbow_learns_from_vectors_of_a_file_and_draws_its_curve(snapshot, tmp_path):
    vectors = vectors_for(snapshot, tmp_path / "vectors.txt")
    events: list[str] = []
    run = claimed(a_run(snapshot, "cbow", vectors=vectors, config={**SMALL, "epochs": "4"}))
    run = runner.carry_out(run, tell=lambda event: events.append(event["event"]))
    assert (run.status, run.error) == ("done", "")
    assert run.pairs_per_second > 0
    assert (events[0], events[-1]) == ("started", "done")
    ends = RunProgress.objects.filter(dev_accuracy__isnull=False)
    assert list(ends.values_list("epoch", flat=True)) == [1, 2, 3, 4]
    assert RunProgress.objects.last().loss > 0
    archive = unpacked(rosa(), f"/api/v1/runs/{run.pk}/model/", tmp_path / "model")
    assert "load_run" in (archive / "README.md").read_text()
    assert not (archive / "predictions-test.jsonl").exists()
    loaded = load_run(archive)
    assert loaded.labels == ("entailment", "neutral", "contradiction")
    assert sum(one.numel() for one in loaded.network.parameters()) > 0
    TrainingRun.objects.filter(pk=run.pk).update(folder="elsewhere")
    gone = with_token(rosa()).get(f"/api/v1/runs/{run.pk}/model/")
    assert (gone.status_code, "is not here" in gone.json()["detail"]) == (404, True)


@pytest.mark.usefixtures("programs_start_at_once")
@pytest.mark.parametrize("when", ["before the freeze", "after a run"])
def test_a_withheld_part_is_predicted_and_handed_in_and_its_labels_are_nowhere(
    transactional_db, browser_of, settings, tmp_path, when
):
    settings.HAND_INS_A_DAY = 1
    corpus = corpus_of(8)
    if when == "before the freeze":
        withhold(corpus=corpus, partition="test", by=rosa())
        snapshot = freeze(corpus)
        run = runner.carry_out(claimed(a_run(snapshot)))
    else:
        snapshot = freeze(corpus)
        run = runner.carry_out(claimed(a_run(snapshot)))
        assert (folder_of(run) / "predictions-test.jsonl").exists()
        withhold(corpus=corpus, partition="test", by=rosa(), frozen=True)
        snapshot = Snapshot.objects.get(pk=snapshot.pk)
        run.refresh_from_db()
        score(run, snapshot, ["test"])
    told = (snapshot.sealed_folder / "test-full.jsonl").read_text().splitlines()
    gold = {line["pairID"]: line["gold_label"] for line in map(json.loads, told)}
    assert run.status == "done"
    assert set(Evaluation.objects.values_list("partition", flat=True)) == {"train", "dev"}
    file = unscored_of(run, snapshot, "test")
    assert [set(json.loads(line)) for line in file.read_text().splitlines()] == [
        {"pairID", "predicted", "probabilities", "genre"}
    ] * len(gold)
    for path in folder_of(run).rglob("*"):
        if path.suffix in (".jsonl", ".txt") or path.name == "metrics.json":
            text = path.read_text()
            assert not re.search('"test": {"accuracy": [0-9]|test accuracy', text), path
            lines = [json.loads(line) for line in text.splitlines() if path.suffix == ".jsonl"]
            assert not any("gold" in line and line["pairID"] in gold for line in lines), path
    browser, address = browser_of(stan()), f"/runs/{run.pk}/hand-in/"
    assert browser.post(address, {"partition": "test", "team": "T"}).status_code == 403
    browser = browser_of(rosa())
    page = browser.get(f"/runs/{run.pk}/").text
    assert "Hand in its predictions for test" in page
    form = {"partition": "test", "team": "Team", "name": "majority 1"}
    answer = browser.post(address, form, follow=True)
    assert "majority 1 is scored" in answer.text
    assert HandIn.objects.get().scores == {"fiction": [3, 1]}
    assert (
        "has handed in 1 times in 24 hours" in browser.post(address, form | {"name": "2"}, follow=True).text
    )
    assert (
        "Name a partition of small@1" in browser.post(address, form | {"partition": "dev"}, follow=True).text
    )


def unpacked(user, address: str, folder: Path) -> Path:
    """Unpacks what an address sends."""
    answer = with_token(user).get(address)
    assert answer.status_code == 200
    zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content))).extractall(folder)
    return folder


@pytest.mark.thorough
def test_a_stopped_run_goes_on_from_its_checkpoint_and_ends(snapshot, tmp_path):
    vectors = vectors_for(snapshot, tmp_path / "vectors.txt")
    run = claimed(a_run(snapshot, "cbow", vectors=vectors, config={**SMALL, "epochs": "3000"}))
    training = threading.Thread(target=in_a_thread, args=(run,))
    training.start()
    wait_for(lambda: RunProgress.objects.filter(run=run, step__gt=0).exists())
    stop_run(run=TrainingRun.objects.get(pk=run.pk))
    training.join(timeout=300)
    run.refresh_from_db()
    assert (run.status, run.stop_requested) == ("stopped", False)
    assert (folder_of(run) / "checkpoint").is_dir()

    resume_run(run=run)
    started: list[dict] = []
    run = runner.carry_out(claimed(run), tell=lambda event: started.append(event) if not started else None)
    assert run.status == "done"
    assert started[0]["resumed_from_step"] > 0


def in_a_thread(run: TrainingRun) -> None:
    try:
        runner.carry_out(run)
    finally:
        connection.close()


@pytest.mark.thorough
@pytest.mark.usefixtures("programs_start_at_once")
def test_a_run_that_was_done_when_its_worker_died_is_told_again(snapshot):
    run = runner.carry_out(claimed(a_run(snapshot)))
    Evaluation.objects.all().delete()
    TrainingRun.objects.filter(pk=run.pk).update(status="queued")
    assert runner.carry_out(claimed(run)).status == "done"
    assert Evaluation.objects.all().count() == 3


@pytest.mark.usefixtures("programs_start_at_once")
def test_the_programs_refusal_is_kept_for_people(snapshot, tmp_path):
    run = runner.carry_out(claimed(a_run(snapshot, "cbow", vectors=str(tmp_path / "none.txt"))))
    assert run.status == "failed"
    assert "none.txt cannot be read" in run.error
    assert "name a GloVe text file" in run.error


def test_run_json_names_hashes_and_no_more_than_the_program_takes(snapshot, settings):
    settings.TRAINING_THREADS = 2
    run = claimed(a_run(snapshot, "cbow", seed=3, config={"epochs": "2"}))
    told = json.loads(configs.write_config(run).read_text())
    assert told["snapshot"] == {"name": "small@1", "sha256": snapshot.sha256}
    assert (told["seed"], told["settings"], told["scheme"]) == (3, {"epochs": 2}, "nli3")
    assert told["threads"] == 2
    hashes = {file.name: file.sha256 for file in snapshot.files.all()}
    assert {name: file["sha256"] for name, file in told["files"].items()} == {
        part: hashes[f"{part}.jsonl"] for part in ("train", "dev", "test")
    }
