"""Real Celery workers that die or are shut down: another worker continues the run from its checkpoint."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path

import pytest
from celery import current_app
from django.conf import settings as django_settings
from django.utils import timezone
from kombu import Connection

from annotation_site.operation.server import database_url
from jobs import tasks
from modeling.folders import CHILD, folder_of
from modeling.launching.actions import resume_run, stop_run
from modeling.models import RunProgress, TrainingRun
from modeling.running.actions import claim_run
from modeling.workers import working
from tests.jobs.material import age, silence
from tests.modeling.material import SMALL, a_run, small_snapshot, vectors_for, wait_for


@pytest.fixture
def broker(settings) -> Iterator[Connection]:
    """Returns the embedded broker in the test's folder; the workers below read its messages."""
    folders = {name: settings.VAR / "broker" / name for name in ("messages", "control")}
    for folder in folders.values():
        folder.mkdir(parents=True)
    options = {
        "data_folder_in": str(folders["messages"]),
        "data_folder_out": str(folders["messages"]),
        "control_folder": str(folders["control"]),
    }
    with Connection("filesystem://", transport_options=options) as found:
        yield found


@pytest.fixture
def long_run(transactional_db, tmp_path) -> TrainingRun:
    """Requests a run that trains for some seconds in very many small steps."""
    snapshot = small_snapshot()
    vectors = vectors_for(snapshot, tmp_path / "vectors.txt")
    return a_run(snapshot, "cbow", vectors=vectors, config={**SMALL, "epochs": "2000"})


@contextmanager
def worker(name: str, var: Path) -> Iterator[subprocess.Popen]:
    """Starts a worker of the queue `training` with the test's database and folders."""
    environment = {
        **{key: value for key, value in os.environ.items() if not key.startswith("CELERY_")},
        "DATABASE_URL": database_url(),
        "QUINTET_VAR": str(var),
        "SECRET_KEY": "of no use to anybody",
    }
    command = [
        *(sys.executable, "-m", "celery", "--app", "annotation_site", "worker", "--hostname", f"{name}@here"),
        *("--queues", "training", "--concurrency", "1", "--without-gossip", "--without-mingle"),
    ]
    with (var / f"{name}.log").open("wb") as log:
        process = subprocess.Popen(
            command,
            cwd=django_settings.BASE_DIR,
            env=environment,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        kill_all(process)


def kill_all(process: subprocess.Popen) -> None:
    """Kills the worker and its pool by SIGKILL. The training program is not in their process group."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def has_ended(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return Path(f"/proc/{pid}/stat").exists() and Path(f"/proc/{pid}/stat").read_text().split()[2] == "Z"


def child_of(run: TrainingRun) -> int:
    return json.loads((folder_of(run) / CHILD).read_text())["pid"]


def is_under_way(run: TrainingRun) -> bool:
    return RunProgress.objects.filter(run=run, step__gt=0).exists()


def state(run: TrainingRun) -> str:
    return TrainingRun.objects.get(pk=run.pk).status


def send(task, broker: Connection, *args: object) -> None:
    with current_app.amqp.Producer(broker) as producer:
        task.apply_async(args, producer=producer, queue="training")


def message(run: TrainingRun) -> tuple[str, int]:
    return "modeling.TrainingRun", run.pk


@pytest.mark.thorough
def test_a_run_whose_worker_was_killed_is_taken_up_again_from_its_checkpoint(long_run, broker, settings):
    with worker("first", settings.VAR) as first:
        send(tasks.work, broker, *message(long_run))
        wait_for(lambda: is_under_way(long_run))
        assert [seen.name for seen in working("training")] == ["first@here"]
        child = child_of(long_run)
        kill_all(first)
    # Its pipe is broken: the program ends by itself, with a checkpoint.
    wait_for(lambda: has_ended(child))
    assert (folder_of(long_run) / "checkpoint").is_dir()
    assert state(long_run) == "running"
    # A minute passes without a heartbeat.
    silence(TrainingRun)
    with worker("second", settings.VAR):
        send(tasks.sweep, broker, "training")
        wait_for(lambda: state(long_run) == "done")
    long_run.refresh_from_db()
    assert (long_run.worker, long_run.attempts) == ("second@here", 2)
    told = (folder_of(long_run) / "progress.jsonl").read_text()
    assert told.count('"event": "started"') == 2
    assert '"resumed_from_step": null' in told.splitlines()[0]
    assert told.count('"resumed_from_step": null') == 1


@pytest.mark.thorough
def test_a_worker_that_is_asked_to_go_pauses_its_run_and_leaves_it_on_the_list(long_run, broker, settings):
    with worker("first", settings.VAR) as first:
        send(tasks.work, broker, *message(long_run))
        wait_for(lambda: is_under_way(long_run))
        first.terminate()
        assert first.wait(timeout=300) == 0
    long_run.refresh_from_db()
    assert (long_run.status, long_run.attempts) == ("queued", 0)
    assert (folder_of(long_run) / "checkpoint").is_dir()


@pytest.mark.thorough
def test_a_worker_that_is_told_to_quit_leaves_the_run_to_others_too(long_run, broker, settings):
    with worker("first", settings.VAR) as first:
        send(tasks.work, broker, *message(long_run))
        wait_for(lambda: is_under_way(long_run))
        child = child_of(long_run)
        first.send_signal(signal.SIGQUIT)
        first.wait(timeout=300)
        wait_for(lambda: has_ended(child))
    assert (folder_of(long_run) / "checkpoint").is_dir()
    assert state(long_run) in ("queued", "running")


@pytest.mark.thorough
def test_stop_and_resume_reach_a_worker_through_the_database(long_run, broker, settings):
    with worker("first", settings.VAR):
        send(tasks.work, broker, *message(long_run))
        wait_for(lambda: is_under_way(long_run))
        stop_run(run=long_run)
        wait_for(lambda: state(long_run) == "stopped")
        resume_run(run=long_run)
        send(tasks.work, broker, *message(long_run))
        wait_for(lambda: state(long_run) == "done")


def test_a_message_for_a_run_that_is_over_does_nothing(transactional_db, broker, settings):
    run = a_run(small_snapshot(3))
    stop_run(run=run)
    tasks.work.apply(message(run))
    assert state(run) == "stopped"


def test_the_sweep_sends_for_waiting_and_abandoned_runs_and_no_others(db, monkeypatch, sent):
    snapshot = small_snapshot(3)
    waiting, abandoned, running, stopped = (a_run(snapshot, seed=seed) for seed in range(4))
    for run in (abandoned, running):
        claim_run(run_id=run.pk, worker="first@here")
    age(TrainingRun)
    silence(TrainingRun)
    TrainingRun.objects.filter(pk=running.pk).update(heartbeat_at=timezone.now())
    stop_run(run=stopped)
    monkeypatch.setattr(tasks, "SECOND_LOOK_AFTER", timedelta(0))
    tasks.sweep("training")
    assert sent == [waiting.pk, abandoned.pk]
