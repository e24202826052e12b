"""Clocks, percentiles, the processor time of client, site and database (by Linux's /proc), and commands in processes of
their own, whose time and memory are measured. Describes the machine."""

import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from django.conf import settings
from django.db import connection

from annotation_site.operation.server import database_url

Result = TypeVar("Result")
TICK = os.sysconf("SC_CLK_TCK")


def timed(work: Callable[[], Result]) -> tuple[Result, float]:
    """Returns the result of `work` and the seconds that it took."""
    start = time.perf_counter()
    result = work()
    return result, time.perf_counter() - start


def percentile(values: Sequence[float], share: float) -> float:
    """Returns the value that `share` of the values do not exceed (nearest rank); 0 if there are none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


def describe() -> str:
    """Returns one line: processor, cores, memory, Python, database."""
    return "; ".join(
        (
            _processor(),
            f"{os.cpu_count()} cores",
            _memory(),
            f"Python {platform.python_version()}",
            _database(),
        )
    )


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _memory() -> str:
    pages, size = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    return f"{pages * size / 2**30:.0f} GiB"


def _database() -> str:
    if connection.vendor == "postgresql":
        version = connection.pg_version  # type: ignore[attr-defined]
        return f"PostgreSQL {version // 10000}.{version % 10000}"
    with connection.cursor() as cursor:
        cursor.execute("SELECT sqlite_version()")
        return f"SQLite {cursor.fetchone()[0]}"


@dataclass
class Spent:
    """Processor seconds. Those of the database are of the processes that serve the site."""

    client: float = 0.0
    web: float = 0.0
    database: float = 0.0


@contextmanager
def processor_time() -> Iterator[Spent]:
    """Measures the block: yields a value that is filled in when it ends.

    This process is the client, its children the site.
    """
    used, client, web, database = Spent(), time.process_time(), _of_children(), _of_database()
    yield used
    used.client = time.process_time() - client
    used.web = _since(web, _of_children())
    used.database = _since(database, _of_database())


def _since(before: dict[int, float], after: dict[int, float]) -> float:
    return sum(seconds - before.get(process, 0.0) for process, seconds in after.items())


def _of_children() -> dict[int, float]:
    """Returns the seconds of each descendant of this process."""
    rows = {int(folder.name): _row(int(folder.name)) for folder in Path("/proc").glob("[0-9]*")}
    family = {os.getpid()}
    while born := {process for process, row in rows.items() if row and row[0] in family} - family:
        family |= born
    return {process: row[1] for process, row in rows.items() if row and process in family - {os.getpid()}}


def _of_database() -> dict[int, float]:
    if connection.vendor != "postgresql":
        return {}
    with connection.cursor() as cursor:
        cursor.execute("SELECT pid FROM pg_stat_activity WHERE datname = current_database()")
        processes = [process for (process,) in cursor.fetchall()]
    return {process: row[1] for process in processes if (row := _row(process))}


def _row(process: int) -> tuple[int, float] | None:
    """Returns (parent, seconds) of a process; None if it does not exist, or on another system."""
    try:
        words = Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2].split()
    except OSError:
        return None
    return int(words[1]), (int(words[11]) + int(words[12])) / TICK


# A child's ru_maxrss begins at its parent's; only /proc has what the child used itself. Of the processes that it
# started in turn, ru_maxrss names the largest, and as many as there are cores run at once.
PROGRAM = """
import os, re, resource, sys
from pathlib import Path
from django.core.management import execute_from_command_line
try:
    execute_from_command_line(["manage.py", *sys.argv[2:]])
finally:
    status = Path("/proc/self/status")
    own = re.search(r"VmHWM:\\s+(\\d+)", status.read_text())[1] if status.exists() else "nan"
    mine, theirs = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    used = sum(each.ru_utime + each.ru_stime for each in (mine, theirs))
    Path(sys.argv[1]).write_text(f"{own} {theirs.ru_maxrss} {used}")
"""


@dataclass(frozen=True)
class Used:
    """Seconds of the clock and of the processor (our processes, not the database's), and the peak memory in MiB."""

    seconds: float
    processor: float
    memory: float


def of_this_site() -> dict[str, str]:
    """Returns the environment of a process that works on the measured database."""
    return {**os.environ, "DATABASE_URL": database_url(), "QUINTET_VAR": str(settings.VAR)}


def run_command(*words: object) -> Used:
    """Runs `manage.py WORDS` on the measured database; returns what it used. Raises RuntimeError if it fails."""
    said = list(map(str, words))
    with tempfile.NamedTemporaryFile() as told:
        began = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, told.name, *said],
            cwd=settings.BASE_DIR,
            env=of_this_site(),
            capture_output=True,
            text=True,
        )
        seconds = time.perf_counter() - began
        if done.returncode:
            raise RuntimeError(f"manage.py {' '.join(said)} failed: {done.stderr[-2000:]}")
        own, largest_child, processor = map(float, Path(told.name).read_text().split())
    return Used(seconds, processor, max(own, largest_child) / 1024)
