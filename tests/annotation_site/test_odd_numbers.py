"""Every number that a command takes is tried with odd values. A command does its work or ends with a sentence."""

from argparse import Action, ArgumentTypeError
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.apps import apps
from django.conf import settings
from django.core.management import get_commands, load_command_class
from django.db import transaction

from collection.models import Corpus
from tests.annotation_site.imported_lines import record
from tests.annotation_site.test_recast import EXAMPLES
from tests.commands import run, write_jsonl
from tests.made_once import made_once
from tests.snapshots.material import corpus_of, freeze

pytestmark = pytest.mark.django_db
ODD = (
    "-1",
    "0",
    "1",
    str(2**31 - 1),
    str(2**31),
    str(2**63),
    "9" * 400,
    "1e400",
    "nan",
    "-inf",
    "0.5",
    "text",
    "",
    "٣",
    "1_0",
)
# What else a command must be told, so that it comes to its numbers. No work that takes long is among it.
BASE = {
    "agreement": ["small"],
    "evaluate": ["small@1"],
    "freeze_snapshot": ["small"],
    "import_pairs": ["new", "{pairs}", "--format=jsonl"],
    "import_premises": ["small", "{premises}", "--genre=fiction"],
    "open_pairs": ["small", "--without-look"],
    "pair_premises": ["scenes", "{scenes}", "--genre=fiction", "--dry-run"],
    "recast": ["new", "sentiment", "{words}", "--dry-run"],
    "reproduce": ["mpe", "--data={folder}", "--plan"],
    "report": ["lengths", "small@1"],
    "simulate": ["small", "--url=http://127.0.0.1:9"],
    "stereotypes": ["small@1", "{terms}"],
    "train": ["small@1", "--baseline=majority", "--queue"],
    "vet_pairs": ["small"],
}


def is_number(action: Action) -> bool:
    if action.type in (int, float):
        return True
    if action.type is None or not callable(action.type):
        return False
    try:
        return isinstance(action.type("1"), int | float)
    except (ArgumentTypeError, ValueError, TypeError):
        return False


def numbers() -> Iterator[tuple[str, str]]:
    """Yields each command of ours with each of its options, or places, that take a number."""
    ours = {each.name for each in apps.get_app_configs() if Path(each.path).parent == Path(settings.BASE_DIR)}
    for name, app in sorted(get_commands().items()):
        if app in ours:
            parser = load_command_class(app, name).create_parser("manage.py", name)
            for action in parser._actions:
                if is_number(action) and action.dest != "verbosity":
                    yield name, action.option_strings[-1] if action.option_strings else ""


@made_once
def small():
    corpus = corpus_of(4, dev=3, test=3)
    freeze(corpus)
    return corpus


@pytest.fixture
def files(small, tmp_path):
    Corpus.objects.create(slug="scenes", name="scenes", protocol="judged").genres.create(
        slug="fiction", name="Fiction"
    )
    captions = [f"A dog number {n} runs on the beach." for n in range(5)]
    return {
        "folder": tmp_path,
        "pairs": write_jsonl(tmp_path / "pairs.jsonl", [record(1, label="neutral")]),
        "premises": write_jsonl(tmp_path / "premises.jsonl", [{"text": "A man reads a long letter."}]),
        "scenes": write_jsonl(tmp_path / "scenes.jsonl", [{"id": "1", "captions": captions}]),
        "terms": EXAMPLES.parent / "terms" / "gender.toml",
        "words": EXAMPLES / "sentiment" / "yelp_labelled.txt",
    }


def test_every_kind_of_number_is_found():
    found = set(numbers())
    assert {
        ("train", "--seeds"),
        ("freeze_snapshot", "--seed"),
        ("evaluate", ""),
        ("open_pairs", "--percent-a-genre"),
    } <= found
    assert {name for name, _ in found} == BASE.keys()


@pytest.mark.parametrize(("name", "option"), list(numbers()))
def test_no_number_ends_in_a_traceback(files, name, option, monkeypatch):
    base = [text.format(**files) for text in BASE[name]]
    for value in ODD:
        more = [f"{option}={value}"] if option else []
        place = [] if option else [value]
        with transaction.atomic():
            told = run(name, *place, *base, *more)
            transaction.set_rollback(True)
        if value in ("text", "", "nan", "9" * 400):
            assert told.failure, (value, told)
        assert "Traceback" not in told.err


def test_a_sweep_whose_last_seed_does_not_fit_is_refused(small):
    told = run("train", "small@1", baseline="majority", seed=2**31 - 1, seeds=2, queue=True)
    assert "2147483648 is not a seed" in told.failure


def test_seeds_are_checked_by_the_action(small):
    assert "99999999999 is not a seed" in run("freeze_snapshot", "small", seed=99_999_999_999).failure
