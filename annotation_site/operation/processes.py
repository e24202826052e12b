"""Starts, watches and stops the demo's processes, with everything that they started.

Why no library does this: docs/decisions/0018-own-process-starters.md."""

import contextlib
import ctypes
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

PR_SET_PDEATHSIG = 1
# As Django ("... ERROR django.request ..."), gunicorn ("[ERROR]") and Celery (": ERROR/ForkPoolWorker-1]") write it.
ERROR = re.compile(r"[ \[](ERROR|CRITICAL)[ \]/]")
LAST_LINES = 15


class Service:
    """A child process with its log. It has its own session, so that Ctrl-C reaches the demo alone."""

    def __init__(self, name: str, command: Sequence[str], log: Path, *, restarts: bool) -> None:
        self.name, self.command, self.log = name, command, log
        self.restarts = restarts
        self.process: subprocess.Popen[bytes] | None = None
        self.started_at: list[float] = []
        self._read = 0

    def start(self) -> None:
        if not self.started_at:
            self.log.parent.mkdir(parents=True, exist_ok=True)
            if self.log.exists():
                self.log.replace(self.log.with_suffix(".log.1"))
        self.started_at.append(time.monotonic())
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env={**os.environ, "PYTHONUNBUFFERED": "1"},
                start_new_session=True,
                preexec_fn=_end_with_parent if sys.platform == "linux" else None,
            )

    @property
    def pid(self) -> int | None:
        return self.process.pid if self.process else None

    def has_ended(self) -> bool:
        return self.process is not None and self.process.poll() is not None

    def end_orphans(self) -> None:
        """Kills what a crashed process left in its group: otherwise two Celery clocks would run."""
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)

    def may_restart(self) -> bool:
        """Returns whether the process may be restarted: at most five times a minute."""
        recent = [moment for moment in self.started_at if time.monotonic() - moment < 60]
        return self.restarts and len(recent) <= 5

    def new_errors(self) -> list[str]:
        """Returns the errors in the log since the last call."""
        with contextlib.suppress(FileNotFoundError), self.log.open("rb") as log:
            log.seek(self._read)
            # A line that is still being written is left for the next call.
            text = log.read()
            text = text[: text.rfind(b"\n") + 1]
            self._read += len(text)
            lines = text.decode(errors="replace").splitlines()
            return [line for line in lines if ERROR.search(line)]
        return []

    def last_lines(self) -> str:
        with contextlib.suppress(FileNotFoundError):
            return "\n".join(self.log.read_text(errors="replace").splitlines()[-LAST_LINES:])
        return ""


def stop(services: Iterable[Service], *, seconds: float = 20.0) -> None:
    """Stops the processes and everything that they started, and kills what still runs after `seconds`.

    On SIGTERM, the worker lets its trainings write a checkpoint and sets them back to waiting. A training program has
    its own session, so process groups would not reach it.
    """
    running = [service for service in services if service.process and not service.has_ended()]
    family = descendants([service.process.pid for service in running if service.process])
    for service in running:
        _signal(service.pid, signal.SIGTERM)
    for service in running:
        _wait_for_end(service, seconds)
    left = still_running(family)
    for pid in left:
        _signal(pid, signal.SIGTERM)
    until = time.monotonic() + seconds / 4
    while left and time.monotonic() < until:
        time.sleep(0.1)
        left = still_running(left)
    for pid in left:
        _signal(pid, signal.SIGKILL)


def descendants(pids: Sequence[int]) -> list[int]:
    """Returns all descendants of these processes."""
    parents = {pid: parent for pid, (parent, _) in process_table().items()}
    found, before = set(pids), 0
    while len(found) != before:
        before = len(found)
        found |= {pid for pid, parent in parents.items() if parent in found}
    return sorted(found - set(pids))


def process_table() -> dict[int, tuple[int, str]]:
    """Returns pid -> (parent's pid, state such as S or Z), from /proc if there is one: `ps` may not be installed."""
    if not Path("/proc/self/stat").exists():
        listing = subprocess.run(["ps", "-A", "-o", "pid=,ppid=,stat="], capture_output=True, text=True)
        rows = [line.split(None, 2) for line in listing.stdout.splitlines()]
        return {int(pid): (int(parent), state) for pid, parent, state in rows}
    table = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError):  # it ended meanwhile
                # "pid (name) state parent ...": the name may hold anything, brackets too.
                state, parent = (folder / "stat").read_text().rpartition(")")[2].split()[:2]
                table[int(folder.name)] = (int(parent), state)
    return table


def still_running(pids: Iterable[int]) -> list[int]:
    """Returns the processes that still run. A zombie has ended."""
    table = process_table()
    return [pid for pid in pids if pid in table and not table[pid][1].startswith("Z")]


def _wait_for_end(service: Service, seconds: float) -> None:
    if service.process is None:
        return
    try:
        service.process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        service.process.kill()
        service.process.wait()


def _signal(pid: int | None, number: int) -> None:
    if pid is not None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


def _end_with_parent() -> None:
    """Makes this process end when the demo is killed (Linux). Call it in the child."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
