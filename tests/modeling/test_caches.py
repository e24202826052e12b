"""What is cached from snapshots is deleted once its snapshot is gone, or once it is computed in another way."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from django.conf import settings

from annotation_site import celery
from modeling.baselines.data import Pair as TaggedPair
from modeling.baselines.features.tagged import Tagger
from modeling.reports import caches
from modeling.results.pair_values import cache_file, pair_values
from snapshots.statistics.tag_cache import tags_of_pairs
from tests.made_once import made_once
from tests.modeling.material import small_snapshot

pytestmark = pytest.mark.django_db
snapshot = made_once(small_snapshot, 3)


def files():
    root = Path(settings.CACHE_ROOT)
    return {f"{path.parent.name}/{path.name}" for path in root.rglob("*") if path.is_file()}


def fill(snapshot):
    """Caches all that can be cached from a snapshot: values, tags, and a file fetched from the site."""
    pair_values(snapshot, "test")
    tags_of_pairs(snapshot, "test")
    fetched = Path(settings.CACHE_ROOT) / "snapshots" / snapshot.files.get(name="test.jsonl").sha256
    fetched.parent.mkdir()
    fetched.write_text("the file")
    tagger = Tagger()
    tagger.keep_in(Path(settings.CACHE_ROOT), snapshot.sha256)
    list(tagger.read([TaggedPair("1", ("A dog.",), "It rains.", 0, "")]))
    return files()


def test_what_belongs_to_a_snapshot_stays(snapshot):
    kept = fill(snapshot)
    assert {name.partition("/")[0] for name in kept} == {"pair_values", "tags", "snapshots", "tagged"}
    assert caches.sweep_caches() == 0
    assert files() == kept


def test_a_starting_worker_deletes_what_was_cached_from_a_snapshot_that_is_gone(snapshot, monkeypatch):
    fill(snapshot)
    hidden = cache_file(snapshot, "dev").with_name(".draft")
    hidden.write_text("another process writes it")
    snapshot.files.all().delete()
    type(snapshot).objects.filter(pk=snapshot.pk).update(sha256="0" * 64)
    monkeypatch.setattr("jobs.tasks.in_a_thread", lambda write: write())
    celery.clear_up(sender=SimpleNamespace())
    assert files() == {"pair_values/.draft"}


def test_what_was_computed_in_another_way_goes(snapshot, monkeypatch):
    fill(snapshot)
    monkeypatch.setitem(caches.EDITIONS, "pair_values", caches.EDITIONS["pair_values"] + 1)
    assert caches.sweep_caches() == 1
    assert not cache_file(snapshot, "test").exists()
