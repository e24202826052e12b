"""Pairs with five labels each: published ones, and some of our own that every checkout has."""

import json
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.commands import write_jsonl

WORDS = {"e": "entailment", "n": "neutral", "c": "contradiction"}

# The labels of each pair, the author's first: five unanimous ones, one without gold label (eennc), two whose gold label is
# not the author's (nneee, cnnne), and one with four labels, which agreement leaves out.
OWN = re.findall(r"\w+", "eeeee eeeee nnnnn ccccc ccccc eeeen nnnne nneee cnccc ncnnc eennc cnnne ccnc")
# Counted by hand of the twelve with five labels: 60 labels, of them 21 entailment, 21 neutral, 18 contradiction.
OWN_FIGURES = {
    "unanimous": 5 / 12,
    "individual_equals_gold": 46 / 55,
    "individual_equals_gold_all_pairs": 46 / 60,
    "individual_equals_author": 45 / 60,
    "gold_equals_author": 9 / 12,
    "gold_differs_from_author": 2 / 12,
    "no_gold": 1 / 12,
}
# (observed - expected) / (1 - expected), of all labels and of each against the two others.
OWN_KAPPA = {
    "overall": (8.1 / 12 - 0.335) / 0.665,
    "entailment": (9.6 / 12 - 0.545) / 0.455,
    "neutral": (8.4 / 12 - 0.545) / 0.455,
    "contradiction": (10.2 / 12 - 0.58) / 0.42,
}
SNLI_FIGURES = {
    "unanimous": 0.5543,
    "individual_equals_gold": 0.8847,
    "individual_equals_gold_all_pairs": 0.8720,
    "individual_equals_author": 0.8544,
    "gold_equals_author": 0.9264,
    "gold_differs_from_author": 0.0592,
    "no_gold": 0.0144,
}
SNLI_KAPPA = {"overall": 0.679, "entailment": 0.695, "neutral": 0.579, "contradiction": 0.765}


@dataclass(frozen=True)
class FiveLabels:
    """Files in SNLI's format, and what is known of them."""

    files: list[Path]
    pairs: int
    with_five: int
    figures: dict[str, float]
    kappa: dict[str, float]

    @property
    def rows(self) -> list[dict]:
        return [json.loads(line) for path in self.files for line in path.read_text("utf-8").splitlines()]


def _trees(side: str, text: str) -> dict[str, str]:
    """Returns a sentence with its trees: as flat as can be, and cut off word by word."""
    words = text.removesuffix(".").split()
    binary = "."
    for word in reversed(words):
        binary = f"( {word} {binary} )"
    flat = " ".join(f"(NN {word})" for word in words)
    return {side: text, f"{side}_binary_parse": binary, f"{side}_parse": f"(ROOT (NP {flat} (. .)))"}


def _line(number: int, labels: str) -> str:
    """Returns a line with the keys of SNLI, in their order: three hypotheses a premise, two premises a picture."""
    premise = number // 3
    record = {
        **_trees("sentence1", f"Picture {premise} shows a dog on a bench."),
        **_trees("sentence2", f"An animal rests beside {number} people."),
        "annotator_labels": [WORDS[letter] for letter in labels],
        "captionID": f"{premise // 2}.jpg#{premise}",
        "gold_label": next((WORDS[letter] for letter in WORDS if labels.count(letter) >= 3), "-"),
        "pairID": f"{premise // 2}.jpg#{premise}r{number}{labels[0]}",
    }
    return json.dumps(record, sort_keys=True)


@pytest.fixture(params=["of our own", "SNLI's"])
def five_labels(request: pytest.FixtureRequest, tmp_path: Path) -> FiveLabels:
    if request.param == "SNLI's":
        published = sorted((request.getfixturevalue("shared_data") / "snli_5label").glob("*.jsonl"))
        return FiveLabels(published, 1741, 1739, SNLI_FIGURES, SNLI_KAPPA)
    own = write_jsonl(tmp_path / "own.jsonl", (_line(*each) for each in enumerate(OWN)))
    return FiveLabels([own], 13, 12, OWN_FIGURES, OWN_KAPPA)


@pytest.fixture
def files(five_labels: FiveLabels) -> list[Path]:
    return five_labels.files


# LingNLI: an id and a prompt, the labels, the author's first, and who gave them. Pairs of two authors may share an id, one
# was judged twice, authors judge their own pairs (105), and one pair has four labels.
OWN_LINGNLI = (
    ("31n", "31", "nnnen", "101 102 103 104 105"),
    ("31n", "31", "ennnn", "105 102 103 104 105"),
    ("31n", "31", "nennn", "101 102 103 104 106"),
    ("32e", "32", "eeeee", "105 105 101 102 103"),
    ("33c", "33", "cccn", "104 101 102 103"),
    ("34c", "34", "cnccn", "106 105 103 102 101"),
)
# MPE: how many said yes, unknown and no, and the final label: by three, or decided where two and two agree, or beyond three.
OWN_MPE = (("500", "e"), ("032", "n"), ("113", "c"), ("221", "e"), ("122", "c"), ("311", "n"))
JUDGED = "\t".join(f"{WORDS[letter]}_judgments" for letter in "enc")


def lingnli_line(number: int, name: str, prompt: str, labels: str, people: str) -> str:
    votes = [WORDS[letter] for letter in labels]
    return json.dumps(
        {
            "annotator_ids": people.split(),
            "annotator_labels": votes,
            "label": max(votes, key=votes.count),
            "pairID": name,
            "promptID": prompt,
            "premise": f"The mayor of town {prompt} reads no letters.",
            "hypothesis": f"She has {number % 2} letters on her desk.",
            "round": "round1",
        }
    )


def _mpe_line(number: int, counts: str, final: str) -> str:
    """Returns a line with four captions of a picture. One has spaces for its last tab, as in a published line."""
    scene = number // 2
    captions = (f"{scene}.jpg#{n}/Person {n} waits at stop {scene}." for n in (0, 1, 2, 4))
    gap = "   " if number == 1 else "\t"
    return "\t".join((str(number), *captions, f"Bus {number} is late.", *counts)) + gap + WORDS[final]


@pytest.fixture(params=["of our own", "LingNLI's"])
def lingnli_file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    if request.param == "LingNLI's":
        return request.getfixturevalue("shared_data") / "lingnli" / "val_base.jsonl.gz"
    lines = (lingnli_line(number, *pair) for number, pair in enumerate(OWN_LINGNLI))
    return write_jsonl(tmp_path / "val.jsonl", lines)


@pytest.fixture(params=["of our own", "MPE's"])
def mpe_file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    if request.param == "MPE's":
        return request.getfixturevalue("shared_data") / "mpe" / "mpe_dev.txt"
    premises = "\t".join(f"premise{n}" for n in range(1, 5))
    head = f"ID\t{premises}\thypothesis\t{JUDGED}\tgold_label"
    return write_jsonl(
        tmp_path / "mpe.txt", [head, *(_mpe_line(number, *scene) for number, scene in enumerate(OWN_MPE))]
    )
