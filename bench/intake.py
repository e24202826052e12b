"""Measures how premises and pairs come in: `import_premises`, `pair_premises`, `import_pairs`, `recast`.

Most run as a person runs them: in processes whose time and memory the system reports.
"""

import json
import random
from collections.abc import Iterator, Sequence
from io import StringIO
from itertools import islice
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.db.models import Max

from bench.corpora import LABELS, sentences
from bench.measure import Used, run_command, timed
from collection.models import Corpus, DroppedLine, Genre, Pair, Premise, Source
from collection.pairing.captions import read_captions
from collection.pairing.wordnet import load_nouns
from collection.premise_ids import normalise

EXAMPLES = Path(settings.BASE_DIR) / "examples/scenes/scenes.jsonl"
PAIRS = 550_000  # about SNLI, and all of the DNC
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


def measure_premises(counts: Sequence[int], folder: Path) -> None:
    """Measures `import_premises`: plain text with a premise on each line, all filters, two writers for each premise.

    Raises RuntimeError when a line is neither a premise nor among the dropped ones afterwards.
    """
    print("| lines | seconds | lines/s | processor seconds | dropped | peak memory MiB |")
    print("|---|---|---|---|---|---|")
    corpus = Corpus.objects.create(slug="lines", name="Lines", writers_per_premise=2)
    for count in counts:
        genre = Genre.objects.create(corpus=corpus, slug=f"g{count}", name=f"{count} lines")
        path = folder / f"premises-{count}.txt"
        with path.open("w") as file:
            file.writelines(f"{line}\n" for line in islice(lines(count), count))
        used = run_command("import_premises", corpus.slug, path, "--genre", genre.slug)
        kept = Premise.objects.filter(genre=genre).count()
        dropped = DroppedLine.objects.filter(genre=genre).count()
        if kept + dropped != count:
            raise RuntimeError(f"{count:,} lines made {kept:,} premises and {dropped:,} dropped lines.")
        print(
            f"| {count:,} | {used.seconds:.0f} | {count / used.seconds:,.0f} | {used.processor:.0f} "
            f"| {dropped:,} | {used.memory:.0f} |",
            flush=True,
        )
    print()


def scenes(number: int) -> Iterator[str]:
    """Yields so many lines of a file of scenes. Captions are those of the examples, so that real sentences are parsed."""
    captions = [
        caption for line in EXAMPLES.read_text().splitlines() for caption in json.loads(line)["captions"]
    ]
    dice = random.Random(number)
    for scene in range(number):
        yield json.dumps({"id": f"s{scene}", "captions": dice.sample(captions, 5)})


def measure_pairing(folder: Path, number: int = 1000) -> None:
    """Measures `pair_premises` on scenes with five captions each, and the part of it that is parsing."""
    corpus = Corpus.objects.create(slug="paired", name="paired", protocol="judged")
    Genre.objects.create(corpus=corpus, slug="all", name="All")
    path = folder / "scenes.jsonl"
    lines = list(scenes(number))
    path.write_text("\n".join(lines))
    list(read_captions(["A dog is sleeping."], load_nouns()))  # so that loading the parser is not counted
    captions = [text for line in lines for text in json.loads(line)["captions"]]
    _, parsing = timed(lambda: list(read_captions(captions, load_nouns())))
    _, seconds = timed(
        lambda: call_command("pair_premises", "paired", str(path), genre="all", stdout=StringIO())
    )
    pairs = Pair.objects.filter(corpus=corpus).count()
    print(
        f"Pairing: {pairs:,} pairs of {number:,} scenes in {seconds:.1f} s, {pairs / seconds:,.0f} pairs/s;"
        f" of it parsing {parsing:.1f} s, {len(captions) / parsing:,.0f} captions/s\n",
        flush=True,
    )


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
