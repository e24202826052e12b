"""Pairs with five labels each: SNLI's published ones, and thirteen of our own that every checkout has."""

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
