"""Two simultaneous freezes of a corpus. First the race without the constraint, then with it."""

import pytest
from django.db import IntegrityError
from django.db.models import Max

from snapshots.freezing import copying
from snapshots.freezing.job import FreezeInProgress, freeze_snapshot, request_freeze
from snapshots.models import Snapshot, SnapshotPair
from snapshots.verify import verify
from tests.concurrency.threads import at_once
from tests.snapshots.material import add_pair, corpus_of, folder, label_pair, manifest

pytestmark = pytest.mark.django_db(transaction=True)


def test_looking_first_does_not_keep_two_from_asking_at_once():
    corpus = corpus_of(2)

    def careless():
        if Snapshot.objects.under_way().filter(corpus=corpus).exists():
            return "under way"
        newest = Snapshot.objects.filter(corpus=corpus).aggregate(newest=Max("version"))["newest"] or 0
        return Snapshot.objects.create(corpus=corpus, version=newest + 1)

    for _ in range(10):
        answers = at_once([careless] * 6)
        if any(isinstance(answer, IntegrityError) for answer in answers):
            return  # both passed the check; only the constraint stopped one
        Snapshot.objects.all().delete()
    pytest.fail("the look alone was enough ten times: this test no longer shows the race")


def test_of_many_that_ask_at_once_one_is_let_through():
    corpus = corpus_of(2)
    answers = at_once([lambda: request_freeze(corpus=corpus)] * 6)
    assert sum(isinstance(answer, Snapshot) for answer in answers) == 1
    assert sum(isinstance(answer, FreezeInProgress) for answer in answers) == 5
    assert Snapshot.objects.get().version == 1


def test_of_many_that_work_at_one_freeze_one_does():
    corpus = corpus_of(6)
    requested = request_freeze(corpus=corpus)
    answers = at_once([lambda: freeze_snapshot(snapshot_id=requested.pk)] * 4)
    frozen = [answer for answer in answers if isinstance(answer, Snapshot)]
    assert frozen
    assert all(isinstance(answer, Snapshot | FreezeInProgress) for answer in answers)
    assert SnapshotPair.objects.count() == 18
    assert verify(folder(frozen[0])).ok


def test_labels_that_come_while_the_rows_are_copied_are_in_all_of_the_snapshot_or_in_none(monkeypatch):
    """A pair gets its five labels between the copy of the pairs and that of the labels."""
    corpus = corpus_of(1, dev=0, test=0)
    late = add_pair(corpus.premises.get(), "e", "Labelled in the meantime.")
    real = copying._copy_labels

    def label_then_copy(*args):
        at_once([lambda: label_pair(late, "nnnnn")])
        real(*args)

    monkeypatch.setattr(copying, "_copy_labels", label_then_copy)
    frozen = freeze_snapshot(snapshot_id=request_freeze(corpus=corpus).pk)
    assert manifest(frozen)["gold_sources"] == {"author": 1, "voted": 3}
    assert verify(folder(frozen)).findings == []
    assert freeze_snapshot(snapshot_id=request_freeze(corpus=corpus).pk).version == 2
