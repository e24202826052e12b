"""Measures `import_premises` as a person runs it: in a process of its own, whose time and memory the system reports."""

import random
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from django.conf import settings

from bench.measure import run_command
from collection.models import DroppedLine, Premise
from collection.premise_ids import normalise

SAMPLES = Path(settings.BASE_DIR) / "examples/demo/premises"
HEADING, REPEATED = 50, 25  # every so many lines: one that a filter drops, one that stood before


def lines(seed: int) -> Iterator[str]:
    """Yields lines without end: sentences of the demo corpus with three words exchanged."""
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
    used = run_command("import_premises", corpus, path, "--genre", genre)
    kept = Premise.objects.filter(genre__slug=genre, corpus__slug=corpus).count()
    dropped = DroppedLine.objects.filter(genre__slug=genre, genre__corpus__slug=corpus).count()
    if kept + dropped != count:
        raise RuntimeError(f"{count:,} lines made {kept:,} premises and {dropped:,} dropped lines.")
    return {
        "seconds": used.seconds,
        "processor": used.processor,
        "memory": used.memory,
        "dropped": dropped,
    }
