"""/health/ tells an operator what is alive, and nobody anything else."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.db import DatabaseError
from django.test import Client
from django.utils import timezone

from annotation_site import health
from modeling.models import TrainingRun, Worker
from snapshots.models import Snapshot
from tests.corpora import make_corpus

pytestmark = pytest.mark.django_db


def make_worker(queues: str, *, seconds_ago: float = 0) -> Worker:
    moment = timezone.now() - timedelta(seconds=seconds_ago)
    return Worker.objects.create(name=f"{queues}@here", queues=queues, started_at=moment, seen_at=moment)


def ask(client: Client) -> tuple[int, dict[str, Any]]:
    response = client.get("/health/")
    return response.status_code, response.json()


def test_all_is_well_when_every_queue_has_a_worker(client: Client) -> None:
    make_worker("general,training")
    status, content = ask(client)
    assert status == 200
    assert content["status"] == "ok"
    assert list(content["parts"]) == ["web", "database", "broker", "workers", "jobs", "disk"]


def test_a_visitor_may_ask_and_gets_no_cached_answer(client: Client) -> None:
    assert "no-store" in client.get("/health/")["Cache-Control"]


def test_a_queue_that_nobody_works_is_named_while_the_site_stays_up(client: Client) -> None:
    make_worker("general")
    status, content = ask(client)
    assert (status, content["status"]) == (200, "attention")
    assert content["parts"]["workers"]["general"] == 1
    assert content["parts"]["workers"]["training"] == 0
    assert "queue training" in content["parts"]["workers"]["says"]


def test_a_worker_that_fell_silent_is_not_counted(client: Client) -> None:
    make_worker("general,training", seconds_ago=60)
    _, content = ask(client)
    assert content["parts"]["workers"]["general"] == 0


def test_the_oldest_waiting_job_of_each_queue_is_told(client: Client) -> None:
    snapshot = Snapshot.objects.create(corpus=make_corpus(), version=1)
    run = TrainingRun.objects.create(snapshot=snapshot, baseline="majority")
    Snapshot.objects.update(requested_at=timezone.now() - timedelta(seconds=90))
    TrainingRun.objects.filter(pk=run.pk).update(requested_at=timezone.now() - timedelta(seconds=30))
    _, content = ask(client)
    waits = content["parts"]["jobs"]["oldest_waiting_seconds"]
    assert 89 <= waits["general"] <= 95
    assert 29 <= waits["training"] <= 35


def test_a_database_that_does_not_answer_is_a_503_with_a_sentence(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*args: object) -> None:
        raise DatabaseError("connection to server at db.internal failed: password=secret")

    monkeypatch.setattr(health, "MigrationExecutor", refuse)
    response = client.get("/health/")
    assert response.status_code == 503
    assert response.json()["parts"]["database"]["state"] == "down"
    assert b"secret" not in response.content
    assert b"db.internal" not in response.content


def test_a_broker_that_does_not_answer_is_a_503(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise ConnectionError("redis://:secret@broker.internal")

    monkeypatch.setattr(health.app, "connection_for_write", refuse)
    response = client.get("/health/")
    assert response.status_code == 503
    assert response.json()["parts"]["broker"]["state"] == "down"
    assert b"secret" not in response.content


@pytest.mark.parametrize(("free", "state"), [(100 * 2**20, "down"), (2**30, "attention"), (2**40, "ok")])
def test_a_disk_that_fills_up_is_told_in_time(free: int, state: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class Usage:
        def __init__(self) -> None:
            self.free = free

    monkeypatch.setattr(health.shutil, "disk_usage", lambda path: Usage())
    assert health.disk().state == state


def test_no_secret_and_no_path_is_in_the_answer(client: Client) -> None:
    text = json.dumps(client.get("/health/").json())
    assert django_settings.SECRET_KEY not in text
    assert str(django_settings.VAR) not in text
    assert str(django_settings.DATABASES["default"]["NAME"]) not in text
    assert django_settings.CELERY_BROKER_URL not in text


def test_only_reading_is_allowed(client: Client) -> None:
    assert client.post("/health/").status_code == 405
