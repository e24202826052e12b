"""`import_pairs` and `recast` as a person runs them: processes of their own, whose time and memory the system tells."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from django.conf import settings

from annotation_site.operation.server import database_url, tail
from bench.corpora import sentences
from collection.models import Corpus, Pair

PAIRS = 550_000  # about SNLI, and all of the DNC
LABELS = ("entailment", "neutral", "contradiction")


@dataclass(frozen=True)
class Used:
    """What a command used. `processor`: seconds, without the database's. `memory`: peak in MiB."""

    seconds: float
    processor: float
    memory: float


def measure_intake(pairs: int, folder: Path) -> None:
    """A tenth of the pairs, then all of them: the memory must be the same. Then the same file again."""
    print("| what | lines | pairs | seconds | lines/s | processor seconds | peak memory MiB |")
    print("|---|---|---|---|---|---|---|")
    for number in (pairs // 10, pairs):
        path = _published(number, folder)
        slug = f"imported-{number}"
        _row("import_pairs", number, slug, _run("import_pairs", slug, path, "--format", "jsonl"))
        before = Pair.objects.filter(corpus__slug=slug).count()
        _row("the same file again", number, slug, _run("import_pairs", slug, path, "--format", "jsonl"))
        if Pair.objects.filter(corpus__slug=slug).count() != before:
            raise RuntimeError("Importing the same file again changed the corpus.")
    for number in (pairs // 20, pairs // 2):  # two pairs a row
        path = _reviews(number, folder)
        slug = f"recast-{number}"
        _row("recast, sentiment", number, slug, _run("recast", slug, "sentiment", path))
        _row("the same source again", number, slug, _run("recast", slug, "sentiment", path))
    print()


def _row(what: str, lines: int, slug: str, used: Used) -> None:
    pairs = Pair.objects.filter(corpus=Corpus.objects.get(slug=slug)).count()
    print(
        f"| `{what}` | {lines:,} | {pairs:,} | {used.seconds:.0f} | {lines / used.seconds:,.0f} | {used.processor:.0f}"
        f" | {used.memory:.0f} |",
        flush=True,
    )


def _run(*arguments: object) -> Used:
    """Raises RuntimeError with the end of what the command said where it fails."""
    command: Sequence[str] = [sys.executable, "manage.py", *map(str, arguments)]
    environment = {**os.environ, "DATABASE_URL": database_url(), "QUINTET_VAR": str(settings.VAR)}
    start = time.perf_counter()
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen(
            command, cwd=settings.BASE_DIR, env=environment, stdout=subprocess.DEVNULL, stderr=log
        )
        _, status, used = os.wait4(process.pid, 0)
        if status:
            raise RuntimeError(f"{' '.join(command)} failed:\n{tail(log)}")
    return Used(time.perf_counter() - start, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def _published(number: int, folder: Path) -> Path:
    """JSON Lines, three pairs a premise, each with its gold label."""
    path, text = folder / f"pairs-{number}.jsonl", sentences(1)
    with path.open("w") as file:
        for place in range(number):
            if place % 3 == 0:
                premise = next(text)
            row = {
                "id": f"i{place}",
                "premise": premise,
                "hypothesis": next(text),
                "label": LABELS[place % 3],
            }
            file.write(f"{json.dumps(row)}\n")
    return path


def _reviews(number: int, folder: Path) -> Path:
    """Reviews in the layout of the recipe, whose file name says what they are of."""
    place = folder / f"reviews-{number}"
    place.mkdir()
    path = place / "yelp_labelled.txt"
    with path.open("w") as file:
        file.writelines(f"{text}\t{place % 2}\n" for place, text in enumerate(_different(number)))
    return path


def _different(number: int) -> Iterator[str]:
    return (f"{text} {place}" for place, text in enumerate(islice(sentences(2), number)))
