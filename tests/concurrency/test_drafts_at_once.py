"""Two devices save a draft at one moment: one is saved, the other gets an error. First the race without the lock."""

from collections.abc import Callable
from functools import partial
from threading import Barrier, local
from typing import Any

import pytest
from django.db.models import QuerySet

from collection.errors import DraftChanged
from collection.models import DraftText
from collection.premises.writing_seats import make_seats
from collection.writing import submitting
from collection.writing.claiming import claim_writing
from tests.cast import ana
from tests.concurrency.threads import at_once
from tests.corpora import make_corpus, make_premise

pytestmark = pytest.mark.django_db(transaction=True)
DEVICES = 6


@pytest.fixture
def save() -> Callable[[int], Any]:
    """Saves a draft as one of several devices that all started from the same version."""
    corpus = make_corpus()
    make_seats(premises=[make_premise(corpus, "Rain falls.")])
    writer = ana()
    token = claim_writing(corpus=corpus, annotator=writer).token
    base = submitting.save_draft(annotator=writer, token=token, texts={"neutral": "It may"}, base="").version

    def one(device: int) -> Any:
        texts = {"neutral": f"It may be so, said device {device}."}
        return submitting.save_draft(annotator=writer, token=token, texts=texts, base=base)

    return one


def refused(outcomes: list[Any]) -> list[Any]:
    return [outcome for outcome in outcomes if isinstance(outcome, DraftChanged)]


@pytest.mark.thorough
def test_without_the_lock_all_devices_overwrite_each_other(save, monkeypatch):
    """If this stops failing, the test below proves nothing."""
    compared, mine = Barrier(DEVICES), local()
    version_of = submitting.version_of

    def compare_together(drafts):
        if not hasattr(mine, "compared"):
            mine.compared = True
            compared.wait(timeout=30)
        return version_of(drafts)

    monkeypatch.setattr(QuerySet, "select_for_update", lambda self, *args, **options: self)
    monkeypatch.setattr(submitting, "version_of", compare_together)
    assert not refused(at_once([partial(save, device) for device in range(DEVICES)]))


def test_of_devices_that_save_at_one_moment_one_wins_and_the_others_see_what_it_wrote(save):
    outcomes = at_once([partial(save, device) for device in range(DEVICES)])
    late = refused(outcomes)
    assert len(late) == DEVICES - 1
    (winner,) = [outcome for outcome in outcomes if outcome not in late]
    there = DraftText.objects.get().text
    assert {(each.texts["neutral"], each.version) for each in late} == {(there, winner.version)}
