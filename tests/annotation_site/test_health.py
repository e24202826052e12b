"""/health/ reports which parts work, and reveals nothing else."""

from datetime import timedelta
from typing import Any

import pytest
from celery.beat import PersistentScheduler
from celery.signals import beat_init
from django.conf import settings as django_settings
from django.db import DatabaseError
from django.test import Client
from django.utils import timezone
from django.utils.html import escape
from prometheus_client.parser import text_string_to_metric_families

from annotation_site.operation import health
from annotation_site.workspace import waiting
from jobs import tasks
from jobs.models import Clock
from jobs.tasks import clock_seen
from modeling.models import TrainingRun, Worker
from snapshots.exports.job import request_export
from snapshots.models import Snapshot, SnapshotExport, SnapshotStatistics
from snapshots.statistics.job import request_statistics
from tests.corpora import make_corpus
from tests.jobs.material import claim_elsewhere
from tests.snapshots.material import corpus_of, freeze

pytestmark = pytest.mark.django_db


def make_worker(queues: str, *, seconds_ago: float = 0) -> Worker:
    moment = timezone.now() - timedelta(seconds=seconds_ago)
    return Worker.objects.create(name=f"{queues}@here", queues=queues, started_at=moment, seen_at=moment)


def ask(client: Client) -> tuple[int, dict[str, Any]]:
    response = client.get("/health/")
    return response.status_code, response.json()


def test_all_is_well_when_every_queue_has_a_worker(client: Client) -> None:
    make_worker("general,training")
    clock_seen()
    status, content = ask(client)
    assert status == 200
    assert content["status"] == "ok"
    assert list(content["parts"]) == ["web", "database", "broker", "workers", "clock", "jobs", "disk"]


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
    Snapshot.objects.update(queued_at=timezone.now() - timedelta(seconds=90))
    TrainingRun.objects.filter(pk=run.pk).update(queued_at=timezone.now() - timedelta(seconds=30))
    _, content = ask(client)
    waits = content["parts"]["jobs"]["oldest_waiting_seconds"]
    assert 30 <= waits["training"] < 90 <= waits["general"] < 600  # on a busy machine, some seconds more


@pytest.mark.parametrize("minutes", [None, 3])
def test_a_dead_clock_wants_attention(client: Client, minutes: int | None) -> None:
    make_worker("general,training")
    if minutes:
        Clock.objects.create(seen_at=timezone.now() - timedelta(minutes=minutes))
    status, content = ask(client)
    assert (status, content["status"], content["parts"]["clock"]["state"]) == (200, "attention", "attention")
    assert "Start Celery beat" in content["parts"]["clock"]["says"]


def test_a_job_of_any_kind_that_waits_though_a_worker_is_free_wants_attention(client: Client) -> None:
    snapshot = freeze(corpus_of(1, dev=0, test=0))
    request_export(snapshot=snapshot, format_name="dnc")
    SnapshotExport.objects.update(queued_at=timezone.now() - timedelta(minutes=6))
    assert ask(client)[1]["parts"]["jobs"]["state"] == "ok", "nobody works the queue, which another part says"
    make_worker("general")
    told = ask(client)[1]["parts"]["jobs"]
    assert told["state"] == "attention"
    assert told["oldest_waiting_seconds"]["general"] >= 360
    assert "the queue general has a free worker that claims none of them" in told["says"].lower()
    request_statistics(snapshot=snapshot, kind="corpus")
    claim_elsewhere(SnapshotStatistics)
    assert ask(client)[1]["parts"]["jobs"]["state"] == "ok", "the worker is busy with something else"


def test_a_sweep_that_beat_sends_shows_that_the_clock_ticks(transactional_db: None, settings: Any) -> None:
    tasks.work.apply_async(("general",))
    assert not Clock.objects.exists()
    for _ in range(2):
        tasks.sweep.apply_async(("general",))
    assert timezone.now() - Clock.objects.get().seen_at < timedelta(minutes=1)


def test_abandoned_jobs_are_counted_with_the_age_of_the_oldest(client: Client) -> None:
    make_worker("general,training")
    snapshot = freeze(corpus_of(1, dev=0, test=0))
    for kind in ("corpus", "artifacts"):
        request_statistics(snapshot=snapshot, kind=kind)
    claim_elsewhere(SnapshotStatistics)
    told = ask(client)[1]["parts"]["jobs"]
    assert (told["state"], told["stale"], told["oldest_stale_seconds"]) == ("ok", 0, None)
    claim_elsewhere(SnapshotStatistics, silent=True)
    told = ask(client)[1]["parts"]["jobs"]
    assert (told["state"], told["stale"]) == ("attention", 2)
    assert 3600 <= told["oldest_stale_seconds"] < 3700
    assert "2 claimed jobs have no heartbeat" in told["says"]


def test_a_schedule_in_the_future_begins_now(tmp_path: Any) -> None:
    """Two hours ahead, as after the machine's clock was set back: beat would send nothing for two hours."""
    app = health.app
    scheduler = PersistentScheduler(app, schedule_filename=str(tmp_path / "schedule"))
    scheduler.setup_schedule()
    sweeps = [entry for entry in scheduler.schedule.values() if entry.task == "jobs.tasks.sweep"]
    assert len(sweeps) == 2
    for entry in sweeps:
        entry.last_run_at = app.now() + timedelta(hours=2)
        assert entry.is_due().next > 7000
    beat_init.send(sender=type("Service", (), {"scheduler": scheduler}))
    assert all(entry.is_due().next <= 15 for entry in sweeps)
    scheduler.close()


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


def test_without_a_broker_people_can_work(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise ConnectionError("redis://:secret@broker.internal")

    monkeypatch.setattr(health.app, "connection_for_write", refuse)
    response = client.get("/health/")
    assert (response.status_code, response.json()["status"]) == (200, "attention")
    assert response.json()["parts"]["broker"]["state"] == "down"
    assert b"secret" not in response.content


@pytest.mark.parametrize(("free", "state"), [(100 * 2**20, "down"), (2**30, "attention"), (2**40, "ok")])
def test_a_disk_that_fills_up_is_told_in_time(free: int, state: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class Usage:
        def __init__(self) -> None:
            self.free = free

    monkeypatch.setattr(health.shutil, "disk_usage", lambda path: Usage())
    assert health.disk().state == state


def test_a_monitor_reads_the_same_figures_as_metrics(client: Client) -> None:
    make_worker("general")
    snapshot = Snapshot.objects.create(corpus=make_corpus(), version=1)
    TrainingRun.objects.create(
        snapshot=snapshot, baseline="majority", queued_at=timezone.now() - timedelta(seconds=90)
    )
    parts = ask(client)[1]["parts"]
    answer = client.get("/metrics/")
    assert answer["Content-Type"].startswith("text/plain; version=")
    told = {
        (each.name, *each.labels.values()): each.value
        for family in text_string_to_metric_families(answer.text)
        for each in family.samples
    }
    numbers = {name: health.ORDER(part["state"]) for name, part in parts.items()}
    assert {name[1]: value for name, value in told.items() if name[0] == "quintet_part_state"} == numbers
    assert told["quintet_workers_by_queue", "general"] == 1
    assert told["quintet_workers_by_queue", "training"] == 0
    assert told["quintet_jobs_oldest_waiting_seconds", "training"] == pytest.approx(90, abs=60)
    assert told["quintet_jobs_stale", ""] == parts["jobs"]["stale"] == 0
    assert told["quintet_disk_free_bytes", ""] == pytest.approx(parts["disk"]["free_bytes"], rel=0.1)
    assert ("quintet_clock_seconds_silent", "") not in told, "the clock has never run: no number says so"


@pytest.mark.parametrize("address", ["/health/", "/metrics/"])
def test_no_secret_and_no_path_is_in_the_answer(client: Client, address: str) -> None:
    text = client.get(address).text
    assert django_settings.SECRET_KEY not in text
    assert str(django_settings.VAR) not in text
    assert str(django_settings.DATABASES["default"]["NAME"]) not in text
    assert django_settings.CELERY_BROKER_URL not in text


def test_only_reading_is_allowed(client: Client) -> None:
    assert client.post("/health/").status_code == 405


def test_a_researcher_sees_a_page_and_a_monitor_the_same_as_json(browser_of, rosa, vera):
    page = browser_of(rosa).get("/health/", headers={"Accept": "text/html,*/*"})
    assert "<h1>State of the site</h1>" in page.content.decode()
    parts = browser_of(rosa).get("/health/").json()["parts"]
    for part in parts.values():
        assert escape(part["says"]) in page.content.decode()
    for browser in (browser_of(vera), Client()):
        assert browser.get("/health/", headers={"Accept": "text/html"})["Content-Type"] == "application/json"


def test_without_a_database_even_a_researcher_gets_json(browser_of, rosa, monkeypatch):
    def refuse(*args: object) -> None:
        raise DatabaseError("gone")

    browser = browser_of(rosa)
    monkeypatch.setattr(health, "MigrationExecutor", refuse)
    answer = browser.get("/health/", headers={"Accept": "text/html"})
    assert answer.status_code == 503
    assert answer.json()["parts"]["database"]["state"] == "down"


def test_a_disk_that_fills_up_needs_attention(monkeypatch):
    monkeypatch.setattr(waiting, "disk", lambda: health.Part("disk", "attention", "1.5 GB are free."))
    first = waiting.waiting()[0]
    assert first.sentence == "The disk of the server is filling up: 1.5 GB are free"
    assert waiting.waiting_in("any", None)[0] == first
