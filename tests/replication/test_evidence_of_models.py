"""How well the numbers of a writer's page tell sentences of a model from those of people: docs/statistics.md has them.

Honest writers are those of LingNLI's base protocol with 150 sentences or more (Parrish et al. 2021). The model's sentences
are those that InstructGPT made for AmbiEnt (Liu et al. 2023), before linguists changed any. SNLI and MultiNLI, which people
wrote too, say how much of it is only another corpus. Twenty writers of a hundred sentences each, of which a share is not
their own.
"""

import gzip
import json
import random
from collections import defaultdict
from pathlib import Path
from statistics import fmean

import pytest

from collection.advice import words_of
from nli.likeness import Bigrams, nearest

pytestmark = pytest.mark.thorough
SENTENCES, WRITERS, OTHERS = 100, 20, 3_000


def lines(path: Path) -> list[dict]:
    content = path.read_bytes()
    text = gzip.decompress(content) if path.suffix == ".gz" else content
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture(scope="module")
def honest(shared_data) -> dict[int, list[list[str]]]:
    of = defaultdict(list)
    for row in lines(shared_data / "lingnli" / "train_base.jsonl.gz"):
        of[row["AnonId"]].append(words_of(row["hypothesis"]))
    return {writer: texts for writer, texts in of.items() if len(texts) >= 1.5 * SENTENCES}


def others_of(honest: dict[int, list[list[str]]], writer: int) -> list[list[str]]:
    texts = [text for other, texts in honest.items() if other != writer for text in texts]
    return random.Random(writer).sample(texts, OTHERS)


def measured(texts: list[list[str]], others: list[list[str]]) -> dict[str, float]:
    """Returns what the page shows of a writer's sentences."""
    return {
        "bits": fmean(map(Bigrams(others[::2]).bits, texts)),
        "own": fmean(value for value, _ in nearest(texts, texts, itself=True)),
        "others": fmean(value for value, _ in nearest(texts, others)),
    }


def mixed(honest, foreign: list[str], share: float) -> list[dict[str, float]]:
    """Returns the measures of writers of whose sentences a share comes from elsewhere."""
    dice, found, names = random.Random(0), [], sorted(honest)
    cut = [words_of(text) for text in foreign]
    dice.shuffle(cut)
    number = int(SENTENCES * share)
    for place in range(WRITERS):
        writer = names[place % len(names)]
        own = random.Random(place).sample(honest[writer], SENTENCES - number)
        texts = cut[place * SENTENCES : place * SENTENCES + number]
        found.append(measured([*texts, *own], others_of(honest, writer)))
    return found


def area(low: list[float], high: list[float]) -> float:
    """Returns the area under the ROC curve: how often one of the first is below one of the second."""
    return fmean((one < other) + (one == other) / 2 for one in low for other in high)


@pytest.fixture(scope="module")
def people(honest) -> list[dict[str, float]]:
    return [
        measured(random.Random(writer).sample(texts, SENTENCES), others_of(honest, writer))
        for writer, texts in sorted(honest.items())
    ]


def foreign(shared_data: Path, name: str) -> list[str]:
    paths = {
        "ambient": ("ambient/linguist_annotations.jsonl", "hypothesis"),
        "snli": ("snli_gold/dev.jsonl.gz", "sentence2"),
        "multinli": ("multinli_dev_matched_gold/dev_matched.jsonl.gz", "sentence2"),
    }
    path, key = paths[name]
    return [row.get(key) or row["hypothesis"] for row in lines(shared_data / path)]


# Areas under the ROC curve: fewer bits a word, more likeness to own and to others' sentences.
AREAS = {
    ("ambient", 1.0): {"bits": 1.0, "own": 0.81, "others": 0.88},
    ("ambient", 0.5): {"bits": 0.96, "own": 0.51, "others": 0.69},
    ("ambient", 0.2): {"bits": 0.7, "own": 0.51, "others": 0.56},
    ("snli", 1.0): {"bits": 0.73, "own": 1.0, "others": 0.89},
    ("multinli", 1.0): {"bits": 0.31, "own": 0.1, "others": 0.19},
}


@pytest.mark.parametrize(("name", "share"), AREAS)
def test_areas_are_those_of_the_documents(shared_data, honest, people, name, share):
    found = mixed(honest, foreign(shared_data, name), share)
    areas = {
        "bits": area([each["bits"] for each in found], [each["bits"] for each in people]),
        "own": area([each["own"] for each in people], [each["own"] for each in found]),
        "others": area([each["others"] for each in people], [each["others"] for each in found]),
    }
    assert {key: round(value, 2) for key, value in areas.items()} == AREAS[name, share]


def test_a_line_that_blames_one_honest_writer_in_nineteen(shared_data, honest, people):
    line = sorted(each["bits"] for each in people)[1]  # one is below
    below = {
        (name, share): sum(each["bits"] < line for each in mixed(honest, foreign(shared_data, name), share))
        for name, share in AREAS
    }
    assert len(people) == 19
    assert list(below.values()) == [20, 18, 8, 6, 0]
