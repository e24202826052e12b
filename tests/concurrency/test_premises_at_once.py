"""Two people import or restore premises at one moment: each text is stored once, and neither gets an error."""

import threading
from functools import partial

import pytest
from django.db import IntegrityError

from collection.models import Corpus, DroppedLine, Premise, PremiseImport, WritingSeat
from collection.premises import intake
from tests.cast import rosa
from tests.commands import run
from tests.concurrency.threads import at_once
from tests.corpora import make_corpus

pytestmark = pytest.mark.django_db(transaction=True)

COUNT = 100


@pytest.fixture
def files(tmp_path):
    """Writes the same lines under two names: two sources, one genre."""
    make_corpus()
    paths = [tmp_path / name for name in ("one.txt", "two.txt")]
    for path in paths:
        path.write_text("\n".join(f"Dog number {n} runs." for n in range(COUNT)))
    return paths


def bring(path):
    return run("import_premises", "small", path, genre="fiction", json=True)


@pytest.mark.thorough
def test_the_race_is_there_without_the_lock(files, monkeypatch):
    both_have_looked = threading.Barrier(2)
    look = intake.known_texts

    def look_and_wait(*args):
        known = look(*args)
        both_have_looked.wait(timeout=30)
        return known

    monkeypatch.setattr(intake, "_locked", lambda pk: Corpus.objects.get(pk=pk))
    monkeypatch.setattr(intake, "known_texts", look_and_wait)
    assert any(isinstance(result, IntegrityError) for result in at_once([partial(bring, p) for p in files]))


def test_two_files_with_the_same_lines_take_turns(files):
    results = [result.json for result in at_once([partial(bring, path) for path in files])]
    added = sorted((result["premises"], result["dropped"]["duplicate"]["count"]) for result in results)
    assert added == [(0, COUNT), (COUNT, 0)]
    assert Premise.objects.count() == WritingSeat.objects.count() == DroppedLine.objects.count() == COUNT


def test_of_two_imports_of_one_file_one_gives_way_or_has_nothing_to_do(files):
    results = at_once([partial(bring, files[0]), partial(bring, files[0])])
    assert all("is running" in result.failure for result in results if result.failure)
    assert sum(result.json["premises"] for result in results if not result.failure) == COUNT
    assert (Premise.objects.count(), PremiseImport.objects.get().added) == (COUNT, COUNT)
    assert not DroppedLine.objects.exists()


def test_a_line_restored_by_two_researchers_becomes_one_premise(files):
    files[0].write_text("• Bottled water for every guest")
    bring(files[0])
    person = rosa()
    results = at_once([lambda: intake.restore_lines(lines=DroppedLine.objects.all(), by=person)] * 2)
    assert sorted((len(result.premises), len(result.refused)) for result in results) == [(0, 1), (1, 0)]
    assert Premise.objects.count() == WritingSeat.objects.count() == 1
