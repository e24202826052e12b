"""Describes the machine on which figures were measured."""

import os
import platform
from pathlib import Path

from django.db import connection


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
