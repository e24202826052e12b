"""Simultaneous freezes derive trees, and a freeze is stopped while its worker parses. Real threads."""

import threading

import pytest

from accounts.models import User
from snapshots.freezing.job import (
    FreezeFailed,
    FreezeInProgress,
    freeze_snapshot,
    request_freeze,
    stop_freeze,
)
from snapshots.models import DerivedTree, Snapshot, SnapshotPair
from snapshots.parses import stored_trees
from snapshots.parses.spacy_parser import parse
from snapshots.verify import verify
from tests.cast import rosa
from tests.concurrency.threads import at_once
from tests.snapshots.material import corpus_of, folder, lines

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def model():
    """Loads the model before the threads, whose timeouts are short."""
    return [*parse(["A dog sleeps."])]


def requested(slug: str) -> Snapshot:
    return request_freeze(corpus=corpus_of(4, slug=slug, dev=0, test=0), derived_parses=True)


def test_two_corpora_with_the_same_sentences_get_the_same_trees_at_once(monkeypatch):
    """Both freezes parse the same sentences: the second one's trees are dropped, not stored twice."""
    freezes = [requested(slug) for slug in ("one", "two")]
    both_know_of_none = threading.Barrier(2)
    real = DerivedTree.objects.bulk_create

    def bulk_create(*args, **kwargs):
        both_know_of_none.wait(timeout=60)
        return real(*args, **kwargs)

    monkeypatch.setattr(stored_trees.DerivedTree.objects, "bulk_create", bulk_create)
    frozen = at_once([lambda key=each.pk: freeze_snapshot(snapshot_id=key) for each in freezes])
    assert all(isinstance(each, Snapshot) for each in frozen), frozen
    assert DerivedTree.objects.count() == 4 + 12
    trees = [{line["sentence2"]: line["sentence2_parse"] for line in lines(each, "train")} for each in frozen]
    assert trees[0] == trees[1]
    assert all(verify(folder(each)).ok for each in frozen)


def test_somebody_stops_a_freeze_while_its_worker_parses_and_asks_for_it_anew(monkeypatch):
    snapshot, boss = requested("one"), rosa()
    parsed, stopped = threading.Event(), threading.Event()
    real = stored_trees._derive

    def derive(*args):
        real(*args)
        parsed.set()
        assert stopped.wait(timeout=60)

    monkeypatch.setattr(stored_trees, "_derive", derive)

    def stop():
        assert parsed.wait(timeout=60)
        stop_freeze(snapshot=Snapshot.objects.get(), by=User.objects.get(pk=boss.pk))
        again = request_freeze(corpus=snapshot.corpus, derived_parses=True)
        stopped.set()
        return again

    worker, again = at_once([lambda: freeze_snapshot(snapshot_id=snapshot.pk), stop])
    assert isinstance(worker, FreezeFailed | FreezeInProgress), worker
    assert not SnapshotPair.objects.exists()
    assert (again.pk, Snapshot.objects.get().status) == (snapshot.pk, "requested")
    assert freeze_snapshot(snapshot_id=again.pk).version == 1
