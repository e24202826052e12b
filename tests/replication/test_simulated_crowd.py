"""Simulated annotators cast labels 2-5 of published pairs and of our own through the real pages, up to sixteen at a time."""

import json
import os
import subprocess
import sys
from collections import Counter
from io import StringIO
from pathlib import Path

import pytest
from django.conf import settings as django_settings
from django.core.management import call_command
from django.db.models import Count, F

from accounts.models import User
from collection.models import Pair
from validation.models import Label

PAIRS = 450  # a quarter of the published ones


@pytest.fixture
def files(five_labels, tmp_path: Path) -> list[str]:
    """Returns files of the first pairs."""
    made = []
    for path in five_labels.files:
        lines = path.read_text().splitlines(keepends=True)[: PAIRS // 2]
        made.append(tmp_path / f"first-{path.name}")
        made[-1].write_text("".join(lines))
    return list(map(str, made))


def labels_in(files: list[str]) -> Counter[int]:
    """Returns number of labels of a pair, the author's included -> pairs."""
    lines = (json.loads(line) for path in files for line in Path(path).read_text().splitlines())
    return Counter(sum(bool(label) for label in line["annotator_labels"]) for line in lines)


def in_process(*arguments: str) -> dict:
    out = StringIO()
    call_command(*arguments, stdout=out, stderr=StringIO())
    return json.loads(out.getvalue()) if "--json" in arguments else {}


def on_sqlite(folder: Path):
    """Runs commands in processes of their own, with the embedded default."""
    environment = {
        name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "CELERY_BROKER_URL")
    }
    environment["QUINTET_VAR"] = str(folder)

    def run(*arguments: str) -> dict:
        command = [sys.executable, "manage.py", *arguments]
        done = subprocess.run(
            command, cwd=django_settings.BASE_DIR, env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout) if "--json" in arguments else {}

    run("migrate")
    return run


def replayed(run, files: list[str], *more: str, annotators: int = 20) -> tuple[dict, dict, dict]:
    """Returns the agreement of the imported pairs, the crowd's work, and the agreement of the pairs that it labelled."""
    run("import_pairs", "whole", *files, "--format", "snli")
    run("import_pairs", "replayed", *files, "--format", "snli", "--labels", "author", "--without-look")
    crowd = run(
        *("simulate", "replayed", f"--annotators={annotators}", "--at-once=16", "--json", *more),
        *("--replay", *files),
    )
    whole, again = (run("agreement", corpus, "--json") for corpus in ("whole", "replayed"))
    return whole, crowd, again


@pytest.mark.parametrize("five_labels", ["of our own"], indirect=True)
@pytest.mark.django_db(transaction=True)
def test_a_crowd_of_eight_gives_our_own_pairs_the_agreement_that_they_came_with(files, live_server):
    whole, crowd, again = replayed(in_process, files, f"--url={live_server.url}", annotators=8)
    assert (crowd["labels"], crowd["labels_not_dealt"]) == (12 * 4 + 3, 0)
    assert again == {**whole, "corpus": "replayed"}


@pytest.mark.parametrize("five_labels", ["SNLI's"], indirect=True)
@pytest.mark.thorough
@pytest.mark.django_db(transaction=True)
def test_on_postgresql_the_agreement_comes_out_identical_and_no_rule_is_broken(files, settings):
    # The site is a process of its own, without the tests' quick hash of passwords.
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.PBKDF2PasswordHasher"]
    whole, crowd, again = replayed(in_process, files)
    given = labels_in(files)
    assert (crowd["labels"], crowd["labels_not_dealt"]) == (sum(n * (k - 1) for k, n in given.items()), 0)
    assert again == {**whole, "corpus": "replayed"}

    cast = Label.objects.filter(question__corpus__slug="replayed").cast()
    by_pair = cast.values("pair").annotate(labels=Count("pk"), people=Count("annotator", distinct=True))
    # The files do not name the authors: label 1 is without a person.
    assert Counter((row["labels"], row["people"]) for row in by_pair) == {
        (number, number - 1): pairs for number, pairs in given.items()
    }
    assert set(cast.filter(position__gt=1).values_list("annotator__kind", flat=True)) == {User.Kind.SIMULATED}
    assert not Pair.objects.filter(labels__annotator=F("author")).exists()


@pytest.mark.parametrize("five_labels", ["SNLI's"], indirect=True)
@pytest.mark.thorough
def test_on_the_embedded_database_the_agreement_comes_out_identical_too(files, tmp_path):
    # Half of the pairs, because SQLite has one writer at a time; they show the same.
    given = labels_in(files[:1])
    whole, crowd, again = replayed(on_sqlite(tmp_path / "var"), files[:1])
    assert (crowd["labels"], crowd["labels_not_dealt"]) == (sum(n * (k - 1) for k, n in given.items()), 0)
    assert again == {**whole, "corpus": "replayed"}
