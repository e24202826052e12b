"""Measures the processor time of client, site and database, by Linux's /proc; on other systems it is unknown."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from django.db import connection

TICK = os.sysconf("SC_CLK_TCK")


@dataclass
class Used:
    """Processor seconds. Those of the database are of the processes that serve the site."""

    client: float = 0.0
    web: float = 0.0
    database: float = 0.0


@contextmanager
def processor_time() -> Iterator[Used]:
    """Measures the block: yields a value that is filled in when it ends.

    This process is the client, its children the site.
    """
    used, client, web, database = Used(), time.process_time(), _of_children(), _of_database()
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


def of_connection() -> float:
    """Returns the processor seconds of the process that serves this connection; 0 where it is not on this machine."""
    if connection.vendor != "postgresql":
        return 0.0
    connection.ensure_connection()
    process = connection.connection.info.backend_pid
    try:
        return int(Path(f"/proc/{process}/schedstat").read_text().split()[0]) / 1e9
    except OSError:
        return 0.0
