"""Measures `import_pairs` and `recast` as a person runs them: in processes whose time and memory the system reports."""

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from django.db.models import Max

from bench.corpora import sentences
from bench.measure import Used, run_command
from collection.models import Corpus, Pair, Premise, Source

PAIRS = 550_000  # about SNLI, and all of the DNC
LABELS = ("entailment", "neutral", "contradiction")


def measure_intake(pairs: int, folder: Path) -> None:
    """Imports a tenth of the pairs, then all, then the same file again, and runs `bias`. The memory must not grow."""
    print("| what | lines | pairs | seconds | lines/s | processor seconds | peak memory MiB |")
    print("|---|---|---|---|---|---|---|")
    for number in (pairs // 10, pairs):
        slug = f"imported-{number}"
        _twice("import_pairs", number, slug, _published(number, folder), "--format", "jsonl")
        _row("bias", number, slug, run_command("bias", slug))
    for number in (pairs // 20, pairs // 2):  # two pairs a row
        _twice("recast", number, f"recast-{number}", "sentiment", _reviews(number, folder))
    print()


def _twice(command: str, number: int, slug: str, *words: object) -> None:
    """Runs the command again, which must change nothing."""
    _row(command, number, slug, run_command(command, slug, *words))
    before = _state(slug)
    _row(f"{command}, the same file again", number, slug, run_command(command, slug, *words))
    if _state(slug) != before:
        raise RuntimeError(f"{command} of the same file changed {slug} the second time.")


def _state(slug: str) -> tuple[int, int, int, int | None]:
    """Returns how many rows of each kind there are, and the newest pair."""
    pairs = Pair.objects.filter(corpus__slug=slug)
    return (
        pairs.count(),
        Premise.objects.filter(corpus__slug=slug).count(),
        Source.objects.filter(corpus__slug=slug).count(),
        pairs.aggregate(newest=Max("pk"))["newest"],
    )


def _row(what: str, lines: int, slug: str, used: Used) -> None:
    pairs = Pair.objects.filter(corpus=Corpus.objects.get(slug=slug)).count()
    print(
        f"| `{what}` | {lines:,} | {pairs:,} | {used.seconds:.0f} | {lines / used.seconds:,.0f} | {used.processor:.0f}"
        f" | {used.memory:.0f} |",
        flush=True,
    )


def _published(number: int, folder: Path) -> Path:
    """Writes JSON Lines: three pairs for each premise, each with its gold label."""
    path, text = folder / f"pairs-{number}.jsonl", sentences(1)
    with path.open("w") as file:
        for place in range(number):
            if place % 3 == 0:
                premise = next(text)
            row = {
                "id": f"i{place}",
                "premise": premise,
                # Without the sentence's number: no language has so many words.
                "hypothesis": next(text).rpartition(" ")[0],
                "label": LABELS[place % 3],
            }
            file.write(f"{json.dumps(row)}\n")
    return path


def _reviews(number: int, folder: Path) -> Path:
    """Writes reviews in the layout of the recipe. The file name says what they are about."""
    place = folder / f"reviews-{number}"
    place.mkdir()
    path = place / "yelp_labelled.txt"
    with path.open("w") as file:
        file.writelines(f"{text}\t{place % 2}\n" for place, text in enumerate(_different(number)))
    return path


def _different(number: int) -> Iterator[str]:
    return (f"{text} {place}" for place, text in enumerate(islice(sentences(2), number)))
