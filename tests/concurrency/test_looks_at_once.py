"""Two workers count by arm at one moment: one look each, one after the other. First the race without the lock."""

from functools import partial
from threading import Barrier, local
from typing import Any

import pytest
from django.db import IntegrityError
from django.db.models import QuerySet

from annotation_site.researchers import looks
from annotation_site.workspace.preregistration import preregister
from collection.models import Look
from tests.concurrency.threads import at_once
from tests.corpora import make_arm, make_corpus
from validation.models import Question

pytestmark = pytest.mark.django_db(transaction=True)
WORKERS = 4
FOUND = {"measure": "alone", "groups": ["a", "b"], "pairs": [30, 30], "effect": 0.1, "p": 0.2}


def counts() -> list[Any]:
    """Lets several workers finish a count, each with more pairs than the one before."""
    corpus = make_corpus()
    make_arm(corpus, "edit")
    preregister(corpus=corpus, text="We compare.", spending="pocock", planned_pairs=1000)
    question = Question.objects.select_related("corpus").get()
    rows = [{**FOUND, "pairs": [30 * n, 30 * n]} for n in range(1, WORKERS + 1)]
    return at_once([partial(looks.with_looks, question, "arm", {"compared": [row]}) for row in rows])


def test_without_the_lock_two_looks_want_one_number(monkeypatch):
    """If this stops failing, the test below proves nothing."""
    read, mine = Barrier(WORKERS), local()
    look = looks.look

    def look_together(*args: Any) -> Any:
        if not hasattr(mine, "read"):
            mine.read = True
            read.wait(timeout=30)
        return look(*args)

    monkeypatch.setattr(QuerySet, "select_for_update", lambda self, *args, **options: self)
    monkeypatch.setattr(looks, "look", look_together)
    assert any(isinstance(each, IntegrityError) for each in counts())


def test_with_the_lock_each_look_is_written_down_once():
    outcomes = counts()
    assert not [each for each in outcomes if isinstance(each, Exception)]
    made = list(Look.objects.all())
    assert [each.number for each in made] == list(range(1, len(made) + 1))
    shares = [each.compared[0]["share"] for each in made]
    assert shares == sorted(shares), "a count of fewer pairs that comes later spends nothing"
