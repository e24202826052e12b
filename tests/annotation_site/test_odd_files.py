"""Files as others reported them to other tools (odd_files/), with what must come of each."""

from pathlib import Path
from typing import Any

import pytest

from collection.models import Pair, Premise
from tests.commands import run
from validation.models import Label

pytestmark = pytest.mark.django_db
HERE = Path(__file__).parent / "odd_files"

# File -> options, what the summary says.
COME_IN: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "unclosed.csv": ({}, {"pairs": 39, "refused_count": 1}),
    "partition_column.tsv": ({"format": "tsv"}, {"pairs": 30, "partitions": {"test": 10, "train": 20}}),
    "chinese_votes.jsonl": ({"language": "zh", "partly": True}, {"labels": 60}),
    "quotedtsv.tsv": ({}, {"pairs": 3, "refused_count": 0}),
    "long.jsonl": ({"seats": 3}, {"pairs": 6, "labels": 18}),
    "breaks.jsonl": ({}, {"pairs": 11, "refused_count": 0}),
    "u2028.jsonl": ({}, {"pairs": 6, "refused_count": 0}),
    "semicolon.csv": ({}, {"pairs": 6}),
    "sep.csv": ({}, {"pairs": 6}),
    "cr.csv": ({}, {"pairs": 6}),
    "bommiddle.jsonl": ({}, {"pairs": 2}),
    "ls.json": (
        {
            "format": "json",
            "columns": "premise=data.premise,hypothesis=data.hypothesis,labels=annotations.result.value.choices",
        },
        {"refused_count": 0},
    ),
    "noheader.tsv": ({"format": "tsv", "columns": "premise=1,hypothesis=2,label=3"}, {"pairs": 6}),
}
# File -> options, words of the error, options that bring it in, and pairs then.
STOP: dict[str, tuple[str, dict[str, Any], int]] = {
    "newline_id.csv": ("has a line break", {"partly": True}, 1),
    "chinese_votes.jsonl": ("its language is not English", {"language": "zh"}, 12),
    "same_ids_two_languages.tsv": ("With the columns id= the pairs get other ids", {"columns": "id="}, 12),
}


def brought(name: str, **options: Any) -> Any:
    return run("import_pairs", "new", HERE / name, **{"format": "auto", "json": True, **options})


@pytest.mark.parametrize("name", COME_IN)
def test_a_file_comes_in_whole(name: str) -> None:
    options, expected = COME_IN[name]
    result = brought(name, **options)
    assert not result.failure
    assert {key: result.json[key] for key in expected} == expected
    assert Label.objects.count() == result.json["labels"]


def test_quotes_of_a_table_are_taken_off() -> None:
    brought("quotedtsv.tsv")
    texts = set(Premise.objects.values_list("text", flat=True))
    assert texts == {'He said "hello" to her.', "A tab here.", 'The 6" pipe leaks.'}


@pytest.mark.parametrize("name", STOP)
def test_a_file_stops_and_the_error_says_how_it_comes_in(name: str) -> None:
    words, options, pairs = STOP[name]
    assert words in brought(name).failure
    assert not Pair.objects.exists()
    assert brought(name, **options).json["pairs"] == pairs


def test_every_file_is_tried() -> None:
    assert {path.name for path in HERE.iterdir()} == {*COME_IN, *STOP}
