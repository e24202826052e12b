"""Freezing, exporting, checking and counting at size: each in a process of its own, so that its memory is its own."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from django.db import connection

from snapshots.file_formats import FORMATS

LEFT_OUT = {"mpe": "its premises have four sentences"}


def measure_snapshots(pairs: int, folder: Path) -> None:
    """Prints a table: seconds, pairs a second, peak memory, and how many times a plain COPY of the rows it takes.

    The pairs have their author's label alone, as in a training partition.
    """
    from bench.corpora import make_corpus

    make_corpus("exported", pairs)
    copy = _copied(folder / "rows.tsv")
    print(f"`COPY` of premise, hypothesis and label of {pairs:,} pairs to a file: {copy:.2f} s\n")
    print("| what | seconds | pairs a second | times COPY | peak memory, MiB |")
    print("|---|---|---|---|---|")
    # Nothing at all: what Django itself needs, to be taken off in the mind.
    _tell("`manage.py check`", pairs, copy, _run("check"))
    _tell("`freeze_snapshot`", pairs, copy, _run("freeze_snapshot", "exported"))
    for name in FORMATS:
        if name not in LEFT_OUT:
            words = ("export_snapshot", "exported@1", "--format", name, "--out", str(folder / f"out-{name}"))
            _tell(f"`export_snapshot --format {name}`", pairs, copy, _run(*words))
    _tell("`verify_snapshot`", pairs, copy, _run("verify_snapshot", str(folder / "out-jsonl")))
    for kind, table in (("corpus", "genres"), ("artifacts", "giveaways")):
        _tell(f"statistics, {kind}", pairs, copy, _run("report", "exported@1", table))
    print()


def _copied(path: Path) -> float:
    """Seconds that the database takes to hand the rows over as text."""
    rows = (
        "SELECT premise.text, pair.hypothesis, pair.author_label FROM collection_pair pair"
        " JOIN collection_premise premise ON premise.id = pair.premise_id"
    )
    began = time.perf_counter()
    with path.open("w") as stream, connection.cursor() as cursor:
        cursor.copy_expert(f"COPY ({rows}) TO STDOUT", stream)
    return time.perf_counter() - began


# A child's ru_maxrss begins at its parent's: what it used itself stands in /proc alone.
PROGRAM = """
import re, sys
from pathlib import Path
from django.core.management import execute_from_command_line
try:
    execute_from_command_line(["manage.py", *sys.argv[2:]])
finally:
    status = Path("/proc/self/status")
    peak = re.search(r"VmHWM:\\s+(\\d+)", status.read_text())[1] if status.exists() else "nan"
    Path(sys.argv[1]).write_text(peak)
"""


def _run(*words: str) -> tuple[float, float]:
    """Seconds and peak memory (MiB) of `manage.py WORDS` on the measured database. Raises RuntimeError."""
    address = urlsplit(os.environ["DATABASE_URL"])
    measured = urlunsplit(address._replace(path=f"/{connection.settings_dict['NAME']}"))
    with tempfile.NamedTemporaryFile() as peak:
        began = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, peak.name, *words],
            env={**os.environ, "DATABASE_URL": measured},
            capture_output=True,
            text=True,
        )
        seconds = time.perf_counter() - began
        if done.returncode:
            raise RuntimeError(f"manage.py {' '.join(words)} failed: {done.stderr[-2000:]}")
        return seconds, float(Path(peak.name).read_text()) / 1024


def _tell(what: str, pairs: int, copy: float, used: tuple[float, float]) -> None:
    seconds, memory = used
    print(
        f"| {what} | {seconds:.1f} | {pairs / seconds:,.0f} | {seconds / copy:.1f} | {memory:.0f} |",
        flush=True,
    )
