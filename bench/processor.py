"""Whose processor time it was: the client's, the site's or the database's. By Linux's /proc; elsewhere unknown."""

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
    """Processor seconds; the database's are those of its processes that serve the site."""

    client: float = 0.0
    web: float = 0.0
    database: float = 0.0


@contextmanager
def processor_time() -> Iterator[Used]:
    """Filled in when the block ends. This process is the client, its children are the site."""
    used, client, web, database = Used(), time.process_time(), _of_children(), _of_database()
    yield used
    used.client = time.process_time() - client
    used.web = _since(web, _of_children())
    used.database = _since(database, _of_database())


def _since(before: dict[int, float], after: dict[int, float]) -> float:
    return sum(seconds - before.get(process, 0.0) for process, seconds in after.items())


def _of_children() -> dict[int, float]:
    """Seconds by process, of all that descend from this one."""
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
    """(parent, seconds); None for a process that is not there, or not on this machine."""
    try:
        words = Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2].split()
    except OSError:
        return None
    return int(words[1]), (int(words[11]) + int(words[12])) / TICK
