"""Runs commands as a person does: in processes of their own, whose time and memory are measured."""

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from annotation_site.operation.server import database_url

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


def run_command(*words: object) -> Used:
    """Runs `manage.py WORDS` on the measured database; returns what it used. Raises RuntimeError if it fails."""
    environment = {**os.environ, "DATABASE_URL": database_url(), "QUINTET_VAR": str(settings.VAR)}
    said = list(map(str, words))
    with tempfile.NamedTemporaryFile() as told:
        began = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, told.name, *said],
            cwd=settings.BASE_DIR,
            env=environment,
            capture_output=True,
            text=True,
        )
        seconds = time.perf_counter() - began
        if done.returncode:
            raise RuntimeError(f"manage.py {' '.join(said)} failed: {done.stderr[-2000:]}")
        own, largest_child, processor = map(float, Path(told.name).read_text().split())
    return Used(seconds, processor, max(own, largest_child) / 1024)
