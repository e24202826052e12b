"""`demo` checks before it starts, starts everything, and leaves no process behind."""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests
from django.conf import settings as django_settings
from django.core.management import CommandError, call_command

from accounts.models import User
from annotation_site.management.commands import demo
from annotation_site.operation import server
from annotation_site.operation.processes import Service, descendants, still_running, stop
from tests.cast import person

SLEEP = [sys.executable, "-c", "import time; time.sleep(600)"]
# A parent whose child is in a session of its own, as the training program is.
PARENT = [
    sys.executable,
    "-c",
    "import subprocess, sys, time; subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'],"
    " start_new_session=True); print('2026 ERROR here: it hurts', flush=True); time.sleep(600)",
]


def wait_until(holds: Any, seconds: float = 300) -> None:
    until = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < until, "it did not come about in time"
        time.sleep(0.1)


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    made = Service("parent", PARENT, tmp_path / "parent.log", restarts=True)
    yield made
    stop([made])


def test_a_taken_port_is_said_with_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(
            CommandError, match=f"Another program uses port {port}.* make demo PORT={port + 1}"
        ):
            call_command("demo", port=str(port))


@pytest.mark.parametrize("port", ["0", "65536", "http", "-1", ""])
def test_a_port_that_is_none_is_refused(port: str) -> None:
    with pytest.raises(CommandError, match="A port is a number from 1 to 65535"):
        call_command("demo", port=port)


def test_a_second_demo_over_the_same_files_is_refused() -> None:
    with (
        demo.only_one_demo(),
        pytest.raises(CommandError, match="A demo is already running"),
        demo.only_one_demo(),
    ):
        pass
    with demo.only_one_demo():
        pass  # the lock ended with its process


@pytest.mark.django_db
def test_a_database_that_people_use_gets_no_account_with_a_known_password() -> None:
    person("stan")
    with pytest.raises(CommandError, match="This database is in use"):
        demo.Command().prepare()
    assert list(User.objects.values_list("username", flat=True)) == ["stan"]


def test_stopping_ends_grandchildren_in_sessions_of_their_own(service: Service) -> None:
    service.start()
    assert service.pid is not None
    pid = service.pid
    wait_until(lambda: descendants([pid]))
    family = [pid, *descendants([pid])]
    stop([service])
    assert still_running(family) == []


def test_a_process_that_ended_is_noticed_and_may_start_again_but_not_for_ever(service: Service) -> None:
    service.command = [sys.executable, "-c", "print('the last words')"]
    for _ in range(5):
        service.start()
        wait_until(service.has_ended)
        assert service.may_restart()
    service.start()
    wait_until(service.has_ended)
    assert not service.may_restart()
    assert service.last_lines().endswith("the last words")


def test_errors_in_a_log_are_shown_once(service: Service) -> None:
    service.start()
    wait_until(lambda: "ERROR" in service.last_lines())
    assert service.new_errors() == ["2026 ERROR here: it hurts"]
    assert service.new_errors() == []


def test_errors_of_celery_and_gunicorn_are_shown_too(tmp_path: Path) -> None:
    lines = (
        "[2026-11-22 01:00:00,000: ERROR/ForkPoolWorker-1] small@1 failed",
        "[2026-11-22 01:00:00,000: CRITICAL/MainProcess] Unrecoverable error",
        "[2026-11-22 01:00:00 +0000] [7] [ERROR] Worker timed out",
    )
    log = tmp_path / "worker.log"
    log.write_text("\n".join([*lines, "[2026-11-22 01:00:00,000: INFO/MainProcess] no ERRORS", ""]))
    assert Service("worker", [], log, restarts=False).new_errors() == list(lines)


def test_the_log_of_the_last_start_is_kept_beside(service: Service) -> None:
    service.log.write_text("from yesterday\n")
    service.start()
    assert service.log.with_suffix(".log.1").read_text() == "from yesterday\n"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no parent-death signal")
def test_processes_end_when_the_demo_is_killed_outright(tmp_path: Path) -> None:
    code = (
        "import signal, sys, time; from pathlib import Path; from annotation_site.operation.processes import Service;"
        f"s = Service('sleeper', {SLEEP!r}, Path({str(tmp_path / 'log')!r}), restarts=False);"
        "s.start(); print(s.pid, flush=True); time.sleep(600)"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", code], cwd=django_settings.BASE_DIR, stdout=subprocess.PIPE, text=True
    )
    with parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert still_running([pid]) == [pid]
        parent.kill()
    wait_until(lambda: still_running([pid]) == [])


def test_it_waits_as_long_as_the_site_lives(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine the first answer takes minutes."""
    calls: list[str] = []

    def slow(url: str, timeout: float) -> None:
        calls.append(url)
        if len(calls) < 5_000:
            raise requests.ConnectionError

    monkeypatch.setattr(server.time, "sleep", lambda seconds: None)
    monkeypatch.setattr(server.requests, "get", slow)
    assert server.wait_for("http://127.0.0.1:1", lambda: False)
    assert len(calls) == 5_000
    assert not server.wait_for("http://127.0.0.1:1", lambda: True)
