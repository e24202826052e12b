"""Each published corpus at hand: the answers that its files hold are labels afterwards, or told; keys are kept or named."""

import csv
import gzip
import json
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from collection.formats.records import leaves
from tests.commands import run
from validation.models import Label

pytestmark = pytest.mark.django_db

ROWS = 200  # of a file; the whole of shorter ones, and of those that gather
TOLD = ("answers_left_out", "answers_without_label", "dont_know")

Raw = dict[str, Any]


def listed(*keys: str) -> Callable[[Raw], int]:
    """Counts the answers in lists and single columns; a label that is missing is none."""
    return lambda row: sum(each not in (None, "", "-") for key in keys for each in _all(row.get(key)))


def _all(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def numbers(key: str) -> Callable[[Raw], int]:
    return lambda row: len(row[key].strip("[]").split(","))


CASES: dict[str, tuple[str, Callable[[Raw], int]]] = {
    "ambient/crowdworker_annotations.jsonl": ("ambient-crowd", listed("q0_gold")),
    "ambient/linguist_annotations.jsonl": ("ambient-linguists", listed("annotations")),
    "anli/anli_dev_with_verifiers.jsonl.gz": ("anli", listed("gold_label", "verifier_labels")),
    "chaosnli/chaosNLI_snli.jsonl": (
        "chaosnli",
        lambda row: len(row["old_labels"]) + sum(row["label_count"]),
    ),
    "commitmentbank/CommitmentBank-items.csv": ("commitmentbank", numbers("Reponses")),
    "lingnli/val_base.jsonl.gz": ("lingnli", listed("annotator_labels")),
    "livenli/livenli.csv": ("livenli", listed("multilabel")),
    "mpe/mpe_dev.txt": ("mpe", lambda row: sum(int(row[key]) for key in row if key.endswith("_judgments"))),
    "nli_variation/preprocessed-data.jsonl": ("nli-variation", listed("labels")),
    "snli_5label/snli_1.0_dev_subset.jsonl": ("snli", listed("annotator_labels")),
    "varierr/varierr.jsonl": (
        "varierr",
        lambda row: (
            len(
                {each["annotator"] for key in ("entailment", "neutral", "contradiction") for each in row[key]}
            )
            + len(row["idk"])
        ),
    ),
}


def raw_rows(path: Path) -> list[Raw]:
    with gzip.open(path, "rt", newline="") if path.suffix == ".gz" else path.open(newline="") as file:
        if ".json" in path.name:
            return [json.loads(line) for line in file]
        if path.suffix == ".csv":
            return list(csv.DictReader(file))
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def beginning(path: Path, folder: Path, is_whole: bool) -> Path:
    """Returns a copy of the first rows."""
    target = folder / path.name.removesuffix(".gz")
    with gzip.open(path, "rt", newline="") if path.suffix == ".gz" else path.open(newline="") as file:
        target.write_text("".join(islice(file, None if is_whole else ROWS)), newline="")
    return target


def names_with_values(row: Raw) -> Iterator[str]:
    for key in row:
        yield from (name for name, value in leaves(key, row[key]) if value not in (None, "", [], {}))


@pytest.mark.parametrize("name", CASES)
def test_answers_in_are_answers_out_and_told(shared_data, tmp_path, name):
    form, answers = CASES[name]
    path = beginning(shared_data / name, tmp_path, is_whole=form == "livenli")
    told = run("import_pairs", "here", path, format=form, json=True).json
    rows = raw_rows(path)
    assert told["refused_count"] == 0
    assert told["rows"] == len(rows) == told["rows_in_pairs"]
    assert sum(map(answers, rows)) == told["labels"] + sum(told[key] for key in TOLD)
    assert Label.objects.count() == told["labels"]
    there = Counter(each for row in rows for each in names_with_values(row))
    for key, times in told["keys_not_read"].items():
        assert (
            times == there[key]
            if key in there
            else key in {each.partition(".")[0] for each in there} or times
        )
