"""`import_premises` as a person runs it: a process of its own, whose time and memory are taken from the system."""

import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from django.conf import settings

from annotation_site.operation.server import database_url, tail
from collection.models import DroppedLine, Premise
from collection.premise_ids import normalise

SAMPLES = Path(settings.BASE_DIR) / "examples/demo/premises"
HEADING, REPEATED = 50, 25  # every so many lines: one that a filter drops, one that stood before


def lines(seed: int) -> Iterator[str]:
    """Endless lines: sentences of the demo corpus, three words of each exchanged for words of others."""
    dice = random.Random(seed)
    real = [line for path in sorted(SAMPLES.glob("*.txt")) for line in path.read_text().splitlines() if line]
    words = [word for line in real for word in line.split() if word.isalpha()]
    before, number = real[0], 0
    while True:
        number += 1
        if number % HEADING == 0:
            yield f"{number // HEADING}. The Second Part of the Book"
        elif number % REPEATED == 0:
            yield before
        else:
            line = dice.choice(real).split()
            for place in dice.sample(range(len(line)), 3):
                line[place] = dice.choice(words)
            before = normalise(" ".join(line))
            yield before


def import_lines(corpus: str, genre: str, count: int, folder: Path) -> dict[str, float]:
    """Imports `count` lines. Returns `seconds`, `processor` (seconds, without the database's), `memory` (the
    peak of the process, in MiB), `dropped` (lines).

    Raises RuntimeError when a line is neither a premise nor among the dropped ones afterwards.
    """
    path = folder / f"premises-{count}.txt"
    with path.open("w") as file:
        file.writelines(f"{line}\n" for line in islice(lines(count), count))
    command = [sys.executable, "manage.py", "import_premises", corpus, str(path), "--genre", genre]
    environment = {**os.environ, "DATABASE_URL": database_url(), "QUINTET_VAR": str(settings.VAR)}
    start = time.perf_counter()
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen(
            command, cwd=settings.BASE_DIR, env=environment, stdout=subprocess.DEVNULL, stderr=log
        )
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        if status:
            raise RuntimeError(f"{' '.join(command)} failed:\n{tail(log)}")
    kept = Premise.objects.filter(genre__slug=genre, corpus__slug=corpus).count()
    dropped = DroppedLine.objects.filter(genre__slug=genre, genre__corpus__slug=corpus).count()
    if kept + dropped != count:
        raise RuntimeError(f"{count:,} lines made {kept:,} premises and {dropped:,} dropped lines.")
    return {
        "seconds": seconds,
        "processor": used.ru_utime + used.ru_stime,
        "memory": used.ru_maxrss / 1024,
        "dropped": dropped,
    }
