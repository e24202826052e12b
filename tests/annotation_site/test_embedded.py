"""The embedded default, as a newcomer gets it: only the folder is set, and nothing is simulated."""

import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.conf import settings as django_settings

from annotation_site.management.commands.demo import PASSWORD
from annotation_site.operation.processes import descendants, still_running
from annotation_site.operation.server import free_port

# The settings of the tests; a newcomer has none of them.
OURS = (
    "DATABASE_URL",
    "CELERY_BROKER_URL",
    "DJANGO_ALLOW_ASYNC_UNSAFE",
    "SECRET_KEY",
    "ALLOWED_HOSTS",
    "DEBUG",
)

ASK_FOR_A_FREEZE = """
from collection.models import Corpus
from snapshots.freezing.job import request_freeze
from jobs.tasks import enqueue
enqueue(request_freeze(corpus=Corpus.objects.get(slug="demo")))
"""

NEWEST = "FROM snapshots_snapshot ORDER BY id DESC LIMIT 1"


@dataclass
class Demo:
    """A running demo."""

    process: "subprocess.Popen[str]"
    url: str
    told: str

    def page(self, path: str) -> bytes:
        with urllib.request.urlopen(self.url + path, timeout=120) as response:
            return bytes(response.read())


def environment(var: Path) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if key not in OURS}
    return {**kept, "QUINTET_VAR": str(var), "PYTHONUNBUFFERED": "1"}


def manage(var: Path, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, "manage.py", *words],
        cwd=django_settings.BASE_DIR,
        env=environment(var),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@contextlib.contextmanager
def demo(var: Path) -> Iterator[Demo]:
    """Starts the demo and waits until it says that it is ready; Ctrl-C at the end."""
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "manage.py", "demo", "--port", str(port)],
        cwd=django_settings.BASE_DIR,
        env=environment(var),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    with process:
        try:
            assert process.stdout is not None
            told = ""
            while "Ctrl-C" not in told:
                line = process.stdout.readline()
                assert line, f"it ended before it was ready:\n{told}"
                told += line
            yield Demo(process, f"http://127.0.0.1:{port}/", told)
        finally:
            stop(process)


def stop(process: subprocess.Popen[str]) -> None:
    """Ctrl-C; a demo that does not end is killed, so that a failing test fails."""
    process.send_signal(signal.SIGINT)
    try:
        process.wait(timeout=300)
    except subprocess.TimeoutExpired:
        process.kill()


def wait_until(holds: Callable[[], object], seconds: float = 300) -> None:
    until = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < until, "it did not come about in time"
        time.sleep(0.2)


@contextlib.contextmanager
def database_of(var: Path) -> Iterator[sqlite3.Connection]:
    with contextlib.closing(sqlite3.connect(var / "quintet.sqlite3", timeout=20)) as link:
        yield link


def one(var: Path, question: str) -> object:
    with database_of(var) as link:
        row = link.execute(question).fetchone()
        return row[0] if row else None


@pytest.mark.thorough
def test_a_newcomer_starts_freezes_stops_and_starts_again(tmp_path: Path) -> None:
    with demo(tmp_path) as running:
        says_where_and_who(running)
        serves_pages_and_static_files_without_debug(running)
        uses_wal_and_a_broker_of_folders(tmp_path)
        wait_until(lambda: json.loads(running.page("health/"))["parts"]["workers"]["state"] == "ok")
        a_worker_freezes_a_snapshot(tmp_path)
        a_worker_trains_the_baselines_of_the_demo(tmp_path)
        assert "DOWN" not in manage(tmp_path, "doctor")
        ctrl_c_leaves_nothing_running(running)
    pairs = one(tmp_path, "SELECT count(*) FROM collection_pair")
    with demo(tmp_path) as again:
        assert "Loading" not in again.told
        assert one(tmp_path, "SELECT count(*) FROM collection_pair") == pairs
        ctrl_c_leaves_nothing_running(again)


def says_where_and_who(running: Demo) -> None:
    assert running.url.replace("127.0.0.1", "localhost") in running.told
    for word in ("ana", "vera", "rosa", PASSWORD):
        assert word in running.told


def serves_pages_and_static_files_without_debug(running: Demo) -> None:
    assert b"Quintet" in running.page("")
    assert running.page("static/css/site.css")
    with pytest.raises(urllib.error.HTTPError) as refused:
        running.page("no/such/page/")
    assert refused.value.code == 404
    assert b"DEBUG" not in refused.value.read()


def uses_wal_and_a_broker_of_folders(var: Path) -> None:
    assert one(var, "PRAGMA journal_mode") == "wal"
    assert (var / "broker" / "messages").is_dir()
    assert one(var, "SELECT count(*) FROM collection_premise") == 2 * 168


def a_worker_freezes_a_snapshot(var: Path) -> None:
    manage(var, "shell", "-c", ASK_FOR_A_FREEZE)
    wait_until(lambda: one(var, f"SELECT status {NEWEST}") == "frozen")
    assert one(var, f"SELECT pair_count > 0 {NEWEST}") == 1
    manage(var, "verify_snapshot", str(var / "snapshots" / "demo" / "1"))


def a_worker_trains_the_baselines_of_the_demo(var: Path) -> None:
    """They wait for it since the demo's first start, and come in the order in which they were asked for."""
    status = "SELECT status FROM modeling_trainingrun WHERE baseline = 'majority'"
    wait_until(lambda: one(var, status) in ("done", "failed"))
    assert one(var, "SELECT count(*) FROM modeling_trainingrun") == 4
    assert one(var, "SELECT count(*) FROM modeling_trainingrun WHERE error != ''") == 0
    assert one(var, "SELECT count(*) > 0 FROM modeling_evaluation") == 1


def ctrl_c_leaves_nothing_running(running: Demo) -> None:
    family = descendants([running.process.pid])
    assert len(family) >= 6  # the site with two processes, the worker with three and its clock
    running.process.send_signal(signal.SIGINT)
    assert running.process.wait(timeout=300) == 0
    assert still_running(family) == []
    with pytest.raises(urllib.error.URLError):
        running.page("")
