"""Heartbeats of workers: which queue has a worker, and what pages say if it has none."""

from datetime import timedelta

import pytest
from django.utils import timezone

from modeling.models import Worker
from modeling.workers import forget_workers, last_seen, worker_seen, working

pytestmark = pytest.mark.django_db


def seen(name: str, names_of_queues: str, *, seconds_ago: int = 0) -> None:
    worker_seen(name=name, queues=names_of_queues)
    Worker.objects.filter(name=name).update(seen_at=timezone.now() - timedelta(seconds=seconds_ago))


def test_a_worker_works_its_queues_and_no_other():
    seen("a@here", "general,training")
    seen("b@here", "general")
    assert [worker.name for worker in working("training")] == ["a@here"]
    assert working("train") == []


def test_half_a_minute_of_silence_is_the_end_and_the_last_sign_is_remembered():
    seen("a@here", "training", seconds_ago=300)
    seen("b@here", "training", seconds_ago=60)
    seen("c@here", "general")
    assert working("training") == []
    assert last_seen("training").name == "b@here"


def test_every_sign_of_life_is_the_same_row_and_keeps_the_start():
    seen("a@here", "training")
    started = Worker.objects.get().started_at
    worker_seen(name="a@here", queues=["general", "training"])
    worker = Worker.objects.get()
    assert (worker.queues, worker.started_at) == ("general,training", started)
    assert worker.seen_at > started


def test_workers_of_long_ago_are_forgotten():
    seen("a@here", "training", seconds_ago=40 * 24 * 3600)
    seen("b@here", "training")
    assert forget_workers() == 1
    assert Worker.objects.get().name == "b@here"
