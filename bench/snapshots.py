"""Freezing, exporting, checking and counting at size: each in a process of its own, so that its memory is its own."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from django.db import connection

from bench.measure import timed
from bench.varied import make_varied_corpus, real_pairs, real_scenes
from snapshots.exports.formats import FORMATS

SCENES = {"mpe"}  # formats for premises of four sentences
TAGGED = 50_000  # beyond so many pairs, tags take minutes


def measure_snapshots(pairs: int, folder: Path) -> None:
    """Prints a table for a tenth of `pairs` and one for all of them: the memory must be the same.

    Every pair has five labels. A step's ratio is to a plain COPY of the rows that it reads, labels included.
    """
    for number in (pairs // 10, pairs):
        _measure(f"exported-{number}", number, folder, scenes=False)
    _measure("scenes", pairs // 10, folder, scenes=True)


def _measure(slug: str, pairs: int, folder: Path, *, scenes: bool) -> None:
    real = real_scenes() if scenes else real_pairs()
    _, made = timed(lambda: make_varied_corpus(slug, real, pairs, folder))
    copied = _copied(slug, folder / "rows.tsv")
    print(
        f"{pairs:,} pairs with five labels each{', four sentences a premise' if scenes else ''}, made and loaded in"
        f" {made:.0f} s; `COPY` of their texts and labels to a file: {copied:.2f} s\n"
    )
    print("| what | seconds | processor seconds | pairs a second | times COPY | peak memory, MiB |")
    print("|---|---|---|---|---|---|")
    table = _Table(pairs, copied)
    # Nothing at all: what Django itself needs, to be taken off in the mind.
    table.tell("`manage.py check`", _run("check"))
    table.tell("`freeze_snapshot`", _run("freeze_snapshot", slug))
    for name in FORMATS:
        if (name in SCENES) == scenes or name == "jsonl":
            out = folder / f"out-{slug}-{name}"
            words = ("export_snapshot", f"{slug}@1", "--format", name, "--out", str(out))
            table.tell(f"`export_snapshot --format {name}`", _run(*words))
            if name != "jsonl":
                shutil.rmtree(out)
    table.tell("`verify_snapshot`", _run("verify_snapshot", str(folder / f"out-{slug}-jsonl")))
    for kind, name in (("corpus", "genres"), ("artifacts", "giveaways"), ("tags", "tags")):
        if kind != "tags" or pairs <= TAGGED:
            table.tell(f"statistics, {kind}", _run("report", f"{slug}@1", name))
    print()


def _copied(slug: str, path: Path) -> float:
    """Seconds that the database takes to hand the rows over as text: a line a pair, its labels in a list."""
    rows = (
        "SELECT premise.text, pair.hypothesis, pair.author_label, given.labels FROM collection_pair pair"
        " JOIN collection_premise premise ON premise.id = pair.premise_id"
        " JOIN collection_corpus corpus ON corpus.id = pair.corpus_id"
        " JOIN (SELECT pair_id, array_agg(label ORDER BY position) AS labels FROM validation_label GROUP BY pair_id)"
        " AS given ON given.pair_id = pair.id"
        f" WHERE corpus.slug = '{slug}'"
    )
    began = time.perf_counter()
    with path.open("w") as stream, connection.cursor() as cursor:
        cursor.copy_expert(f"COPY ({rows}) TO STDOUT", stream)
    seconds = time.perf_counter() - began
    path.unlink()
    return seconds


@dataclass(frozen=True)
class _Used:
    """Seconds by the clock and of the processor (our processes, not the database's), and MiB at the peak."""

    seconds: float
    processor: float
    memory: float


@dataclass(frozen=True)
class _Table:
    pairs: int
    copy: float

    def tell(self, what: str, used: _Used) -> None:
        print(
            f"| {what} | {used.seconds:.1f} | {used.processor:.1f} | {self.pairs / used.seconds:,.0f} "
            f"| {used.seconds / self.copy:.1f} | {used.memory:.0f} |",
            flush=True,
        )


# A child's ru_maxrss begins at its parent's: what it used itself stands in /proc alone. Of the processes that it
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


def _run(*words: str) -> _Used:
    """What `manage.py WORDS` took on the measured database. Raises RuntimeError."""
    address = urlsplit(os.environ["DATABASE_URL"])
    measured = urlunsplit(address._replace(path=f"/{connection.settings_dict['NAME']}"))
    with tempfile.NamedTemporaryFile() as told:
        began = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, told.name, *words],
            env={**os.environ, "DATABASE_URL": measured},
            capture_output=True,
            text=True,
        )
        seconds = time.perf_counter() - began
        if done.returncode:
            raise RuntimeError(f"manage.py {' '.join(words)} failed: {done.stderr[-2000:]}")
        own, largest_child, processor = map(float, Path(told.name).read_text().split())
    return _Used(seconds, processor, max(own, largest_child) / 1024)
