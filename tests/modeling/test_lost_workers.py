"""Real Celery workers that die or are shut down: another worker continues the run from its checkpoint."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
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
from modeling.models import Breakdown, RunProgress, TrainingRun
from modeling.querysets import WAITS_FOR_ITS_HOST
from modeling.running import runner
from modeling.workers import working
from tests.jobs.material import silence
from tests.modeling.material import SMALL, a_run, claimed, small_snapshot, vectors_for, wait_for


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
def worker(name: str, var: Path, host: str = "here") -> Iterator[subprocess.Popen]:
    """Starts a worker of the queue `training` with the test's database and folders."""
    environment = {
        **{key: value for key, value in os.environ.items() if not key.startswith("CELERY_")},
        "DATABASE_URL": database_url(),
        "QUINTET_VAR": str(var),
        "SECRET_KEY": "of no use to anybody",
    }
    command = [
        *(
            sys.executable,
            "-m",
            "celery",
            "--app",
            "annotation_site",
            "worker",
            "--hostname",
            f"{name}@{host}",
        ),
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


def send(broker: Connection) -> None:
    with current_app.amqp.Producer(broker) as producer:
        tasks.work.apply_async(("training",), producer=producer, queue="training")


@pytest.mark.thorough
def test_a_worker_that_is_told_to_quit_leaves_the_run_to_others_too(long_run, broker, settings):
    with worker("first", settings.VAR) as first:
        send(broker)
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
        send(broker)
        wait_for(lambda: is_under_way(long_run))
        stop_run(run=long_run)
        wait_for(lambda: state(long_run) == "stopped")
        resume_run(run=long_run)
        send(broker)
        wait_for(lambda: state(long_run) == "done")


@pytest.mark.thorough
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_an_interrupted_run_goes_on_from_its_checkpoint_before_all_that_wait(long_run, broker, settings, how):
    """The queue is full, and the only message that is left says nothing about the run."""
    waiting = a_run(long_run.snapshot, seed=2)
    with worker("first", settings.VAR) as first:
        send(broker)
        wait_for(lambda: is_under_way(long_run))
        assert [seen.name for seen in working("training")] == ["first@here"]
        if how == signal.SIGTERM:
            first.terminate()
            assert first.wait(timeout=300) == 0
            long_run.refresh_from_db()
            assert (long_run.status, long_run.attempts) == ("queued", 0), (
                "it was paused and stays on the list"
            )
        else:
            child = child_of(long_run)
            kill_all(first)
            # Its pipe is broken: the program ends by itself, with a checkpoint.
            wait_for(lambda: has_ended(child))
            assert state(long_run) == "running"
            silence(TrainingRun)  # a minute passes without a heartbeat
    assert (folder_of(long_run) / "checkpoint").is_dir()
    assert state(waiting) == "queued"
    with worker("second", settings.VAR):
        send(broker)
        wait_for(lambda: state(long_run) == state(waiting) == "done")
    long_run.refresh_from_db()
    assert (long_run.worker, long_run.attempts) == ("second@here", 2 if how == signal.SIGKILL else 1)
    starts = TrainingRun.objects.order_by("started_at").values_list("pk", flat=True)
    assert list(starts) == [long_run.pk, waiting.pk]
    told = (folder_of(long_run) / "progress.jsonl").read_text()
    assert '"resumed_from_step": null' in told.splitlines()[0]
    assert (told.count('"event": "started"'), told.count('"resumed_from_step": null')) == (2, 1)


@pytest.mark.thorough
def test_a_run_that_moves_to_another_machine_waits_and_says_what_is_lost(
    long_run, broker, settings, tmp_path
):
    """Two machines with folders of their own; the first is stopped and does not come back."""
    behind = a_run(long_run.snapshot, seed=2)
    # The other machine has the files of snapshots, as if it had fetched them, and no runs.
    there = tmp_path / "there"
    shutil.copytree(settings.VAR, there, ignore=shutil.ignore_patterns("broker", "runs"))
    (there / "broker").symlink_to(settings.VAR / "broker")
    with worker("first", settings.VAR) as first:
        send(broker)
        wait_for(lambda: is_under_way(long_run))
        first.terminate()
        assert first.wait(timeout=300) == 0
    step = RunProgress.objects.filter(run=long_run).latest("pk").step
    with worker("second", there, host="there"):
        send(broker)
        wait_for(lambda: state(behind) == "done")
        assert state(long_run) == "queued", "it waits for its machine"
        TrainingRun.objects.update(queued_at=timezone.now() - WAITS_FOR_ITS_HOST)
        send(broker)
        wait_for(lambda: state(long_run) == "done")
    long_run.refresh_from_db()
    assert (long_run.worker, long_run.host) == ("second@there", "there")
    assert f"steps are lost: here trained this run up to step {step:,}" in long_run.warnings
    lost = RunProgress.objects.filter(run=long_run, is_lost=True)
    assert lost.latest("pk").step == step
    assert RunProgress.objects.kept().filter(run=long_run).count() > 1


@pytest.mark.thorough
def test_a_worker_that_dies_while_breakdowns_are_counted_loses_none(long_run, broker, settings):
    """The program is over then: the next worker gets its metrics again and trains nothing."""
    TrainingRun.objects.update(config={**long_run.config, "epochs": 2})
    run = TrainingRun.objects.get()
    ours = claimed(run)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runner, "break_down", lambda run: sys.exit("killed"))
        with pytest.raises(SystemExit):
            runner.carry_out(ours)
    assert (state(run), Breakdown.objects.count()) == ("running", 0)
    silence(TrainingRun)
    with worker("second", settings.VAR):
        send(broker)
        wait_for(lambda: state(run) == "done")
    assert Breakdown.objects.filter(run=run, dimension="confidence").exists()
    assert (folder_of(run) / "progress.jsonl").read_text().count('"event": "started"') == 1


def test_a_message_finds_no_run_that_is_over(transactional_db, broker, settings):
    run = a_run(small_snapshot(3))
    stop_run(run=run)
    tasks.work.apply(("training",))
    assert state(run) == "stopped"
