"""The section `labelling`: the loads that are measured, and their table."""

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence

from django.db import connection

from annotation_site.operation.server import site
from bench.copies import make_open_corpus
from bench.labelling import Measured, measure_labelling
from bench.loads import SIZES, TABLE, Load
from bench.measure import percentile

HEADS = (
    *("database", "pairs", "annotators", "login", "saved by", "asked for, labels/s", "labels/s"),
    *("requests/s", "p50 / p95 ms", "processor ms a request: client, site, database"),
)


def measure_labelling_table(sizes: Sequence[int] = SIZES, loads: Sequence[Load] = ()) -> None:
    """Measures labels per second and latency, and the processor time of client, site and database for each request.

    Without `loads` it measures the whole table, on PostgreSQL and on SQLite.
    """
    print(f"| {' | '.join(HEADS)} |")
    print("|---" * len(HEADS) + "|")
    for pairs in sizes:
        for row in _rows(pairs, loads or TABLE):
            print(row, flush=True)
    if not loads:
        _on_sqlite()
    print()


def _rows(pairs: int, loads: Sequence[Load]) -> Iterator[str]:
    """Yields a row for each load. A small corpus is made anew for each, because a load may label all of it."""
    question = None
    for number, load in enumerate(loads):
        if question is None or pairs <= SIZES[0]:
            question = make_open_corpus(f"label-{pairs}-{number}", pairs)
        with site() as address:
            yield _row(pairs, load, measure_labelling(question, address, load))


def _row(pairs: int, load: Load, measured: Measured) -> str:
    number = len(measured.submits)
    middle, slow = (1000 * percentile(measured.submits, share) for share in (0.5, 0.95))
    used = measured.used
    each = ", ".join(f"{1000 * seconds / number:.1f}" for seconds in (used.client, used.web, used.database))
    cells = (
        "PostgreSQL" if connection.vendor == "postgresql" else "SQLite",
        f"{pairs:,}",
        load.annotators,
        load.login,
        "label" if load.by_label else "batch",
        f"{load.rate:,.0f}" if load.rate else "all it can",
        f"{measured.labels / measured.seconds:,.0f}",
        f"{number / measured.seconds:,.0f}",
        f"{middle:,.0f} / {slow:,.0f}",
        each,
    )
    return f"| {' | '.join(map(str, cells))} |"


def _on_sqlite() -> None:
    """Measures on SQLite in another process, because settings name one database."""
    command = [sys.executable, "-m", "bench", "labelling", "--sqlite", "--pairs", str(SIZES[0])]
    command += ["--annotators", "8", "32"]
    environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    rows = [line for line in done.stdout.splitlines() if line.startswith("| SQLite")]
    print("\n".join(rows), flush=True)
