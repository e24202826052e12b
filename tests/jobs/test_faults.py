"""Every fault that can befall a job, for every kind of job: real threads and processes, and a database that goes away."""

import multiprocessing
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg2
import pytest
from django.db import OperationalError, connection, connections

from bench.drain import forget_connections
from jobs import claims, failures, querysets, tasks
from jobs.models import Job
from modeling.running import runner
from snapshots.exports import job as exporting
from snapshots.exports.job import request_export
from snapshots.freezing import job as actions
from snapshots.freezing.job import request_freeze
from snapshots.models import Snapshot, SnapshotExport
from snapshots.statistics import job as statistics
from snapshots.statistics.job import request_statistics
from snapshots.verify import verify
from tests.concurrency.threads import at_once
from tests.corpora import make_corpus
from tests.jobs.material import age, claim_elsewhere, silence, sweep, work
from tests.modeling.material import SAY, a_run, metrics, program
from tests.snapshots.material import corpus_of, folder, freeze
from validation.models import CachedStatistics, Question
from validation.statistics import cached

pytestmark = pytest.mark.django_db(transaction=True)

STALE_AFTER = timedelta(seconds=2)
KINDS = ("freeze", "export", "statistics", "figures", "training")
Patch = pytest.MonkeyPatch


@pytest.fixture(autouse=True)
def quick(monkeypatch: Patch, tmp_path: Path) -> None:
    """A worker is thought dead after two seconds, and trainings say at once that they are done."""
    monkeypatch.setattr(querysets, "STALE_AFTER", STALE_AFTER)
    monkeypatch.setattr(claims, "BEAT_EVERY", timedelta(seconds=0.2))
    monkeypatch.setattr(tasks, "SECOND_LOOK_AFTER", timedelta(0))
    program(monkeypatch, tmp_path, SAY + f"say(event='done', metrics={metrics()!r})")


def requested(kind: str) -> Any:
    """A job of this kind that was asked for an hour ago."""
    row: Any
    match kind:
        case "freeze":
            row = request_freeze(corpus=corpus_of(2, dev=0, test=0))
        case "export":
            row = request_export(snapshot=freeze(corpus_of(2, dev=0, test=0)), format_name="dnc")
        case "statistics":
            row = request_statistics(snapshot=freeze(corpus_of(2, dev=0, test=0)), kind="corpus")
        case "figures":
            question = Question.objects.get(corpus=make_corpus(protocol="judged"))
            row = cached.request_statistics(question=question, kind=cached.Kind.PAIRWISE)
        case _:
            row = a_run(freeze(corpus_of(2, dev=0, test=0)))
    age(type(row))
    return row


def at_its_step(kind: str, patch: Patch, do: Callable[[], object]) -> None:
    """Calls `do` in the middle of every job of this kind, after its main step."""
    target, name = {
        "freeze": (actions, "take"),
        "export": (exporting, "export"),
        "statistics": (statistics, "measure"),
        "training": (runner, "write_config"),
        "figures": (None, ""),
    }[kind]
    real: Any = getattr(target, name) if target else cached.COMPUTE[cached.Kind.PAIRWISE]

    def step(*arguments: Any) -> Any:
        made = real(*arguments)
        do()
        return made

    if target:
        patch.setattr(target, name, step)
    else:
        patch.setitem(cached.COMPUTE, cached.Kind.PAIRWISE, step)


def counted(steps: list[int], seconds: float) -> Callable[[], None]:
    """Counts how often a step was reached, and lasts so long."""

    def step() -> None:
        steps.append(1)
        time.sleep(seconds)

    return step


def is_done(row: Any) -> bool:
    row.refresh_from_db()
    return bool(row.status == row.DONE)


def check_done(row: Any, *, attempts: int | None = None) -> None:
    row.refresh_from_db()
    assert (row.status, row.error, row.claimed_by) == (row.DONE, "", "")
    if attempts is not None:
        assert row.attempts == attempts
    if isinstance(row, Snapshot):
        assert verify(folder(row)).ok
        assert [path.name for path in folder(row).parent.iterdir()] == ["1"]
    if isinstance(row, SnapshotExport):
        assert sorted(path.name for path in row.folder.iterdir()) == sorted(
            row.files.values_list("name", flat=True)
        )


def sweep_until_done(row: Job) -> None:
    for _ in range(100):
        with suppress(Exception):
            sweep(row.QUEUE)
            if is_done(row):
                return
        connection.close()
        time.sleep(0.2)
    pytest.fail(f"{row} is not done after many sweeps.")


@pytest.mark.parametrize("kind", KINDS)
def test_a_worker_that_is_killed_leaves_its_job_to_the_next(kind: str) -> None:
    row = requested(kind)
    fork = multiprocessing.get_context("fork")
    there = fork.Event()
    connections.close_all()  # a connection must not be shared with a child

    def wait_to_be_killed() -> None:
        there.set()
        time.sleep(60)

    def worker() -> None:
        forget_connections()
        with Patch.context() as patch:
            at_its_step(kind, patch, wait_to_be_killed)
            work(row)

    process = fork.Process(target=worker)
    process.start()
    assert there.wait(30)
    process.kill()
    process.join()
    sweep(row.QUEUE)
    row.refresh_from_db()
    assert row.status == row.WORKING, "its last heartbeat is fresh"
    if kind == "freeze":
        assert not folder(row).exists()
    time.sleep(STALE_AFTER.total_seconds())
    sweep(row.QUEUE)
    check_done(row, attempts=2)


@pytest.mark.parametrize("kind", KINDS)
def test_a_message_that_is_lost_is_sent_again(kind: str) -> None:
    row = requested(kind)
    sweep("training" if row.QUEUE == "general" else "general")
    row.refresh_from_db()
    assert row.status == row.WAITING, "it is another queue's"
    sweep(row.QUEUE)
    check_done(row, attempts=1)


@pytest.mark.parametrize("kind", KINDS)
def test_a_message_that_comes_twice_is_one_job(kind: str, monkeypatch: Patch) -> None:
    row, steps = requested(kind), list[int]()
    at_its_step(kind, monkeypatch, counted(steps, 0.3))
    at_once([lambda: work(row)] * 4)
    work(row)
    assert len(steps) == 1
    check_done(row, attempts=1)


@contextmanager
def database_away() -> Iterator[None]:
    """The test's database has thrown everybody out and lets nobody in."""
    name = connection.settings_dict["NAME"]
    where = {key: connection.settings_dict[key.upper()] for key in ("host", "port", "user", "password")}
    server = psycopg2.connect(**where, dbname="postgres")
    server.autocommit = True
    with closing(server), server.cursor() as cursor:
        cursor.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS false')
        try:
            cursor.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name]
            )
            yield
        finally:
            cursor.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS true')


@pytest.mark.parametrize("kind", KINDS)
def test_a_database_that_is_away_for_longer_than_a_job_may_be_silent_fails_nothing(
    kind: str, monkeypatch: Patch
) -> None:
    row, steps = requested(kind), list[int]()

    def go_away() -> None:
        steps.append(1)
        if len(steps) == 1:
            with database_away():
                time.sleep(STALE_AFTER.total_seconds() + 0.5)

    at_its_step(kind, monkeypatch, go_away)
    connection.close()
    at_once([lambda: work(row)])
    connection.close()
    sweep_until_done(row)
    check_done(row)
    assert row.attempts <= 2


@pytest.mark.parametrize("kind", KINDS)
def test_a_step_that_takes_longer_than_a_job_may_be_silent_is_not_taken_over(
    kind: str, monkeypatch: Patch
) -> None:
    """Without a heartbeat of its own each taker is overtaken by the next, for ever: which the last lines show."""
    row, steps, over = requested(kind), list[int](), threading.Event()
    long = 2 * STALE_AFTER.total_seconds()
    at_its_step(kind, monkeypatch, counted(steps, long))

    def sweeper() -> None:
        while not over.wait(0.3):
            sweep(row.QUEUE)

    def first() -> None:
        try:
            work(row)
        finally:
            over.set()

    at_once([first, sweeper])
    assert len(steps) == 1
    check_done(row, attempts=1)


def test_without_heartbeats_a_long_step_is_taken_over(monkeypatch: Patch) -> None:
    """What the thread is there for."""
    row, steps = requested("freeze"), list[int]()
    monkeypatch.setattr(claims, "BEAT_EVERY", timedelta(hours=1))

    def first_is_slow() -> None:
        steps.append(1)
        time.sleep(4 if len(steps) == 1 else 0)

    def late_sweep() -> None:
        time.sleep(2.5)
        sweep()

    at_its_step("freeze", monkeypatch, first_is_slow)
    at_once([lambda: work(row), late_sweep])
    assert len(steps) == 2
    check_done(row, attempts=2)


@pytest.mark.parametrize("kind", KINDS)
def test_a_worker_that_was_taken_over_touches_neither_row_nor_files(kind: str, monkeypatch: Patch) -> None:
    row = requested(kind)
    # From another connection, because the step of a freeze is in a transaction.
    at_its_step(kind, monkeypatch, lambda: at_once([lambda: claim_elsewhere(type(row))]))
    work(row)
    row.refresh_from_db()
    assert (row.status, row.claimed_by, row.error) == (row.WORKING, "another one", "")
    if kind == "freeze":
        assert not folder(row).exists()
    if kind == "export":
        assert not row.folder.exists()


def test_what_nobody_foresaw_fails_a_training_too_with_a_sentence(monkeypatch: Patch) -> None:
    row = requested("training")
    at_its_step("training", monkeypatch, lambda: {}["surprise"])
    work(row)
    row.refresh_from_db()
    assert row.status == "failed"
    assert (
        row.error
        == "The software failed (KeyError). Ask its operator to look at the log, then resume the run."
    )


def test_a_database_without_room_is_told_as_what_it_is() -> None:
    """Both databases raise OperationalError, as they do for a lost connection."""
    full = OperationalError("database or disk is full")
    assert not failures.is_transient(full) or connection.vendor == "postgresql"
    assert claims.fault(full, "ask again") == (
        "The database could not be written: No space left on device. Make room, then ask again."
    )
    lost = OperationalError("server closed the connection unexpectedly")
    assert failures.is_transient(lost)
    assert not failures.is_disk_full(lost)


def test_a_worker_that_is_heard_again_after_the_database_was_away_keeps_its_job(monkeypatch: Patch) -> None:
    row = requested("figures")
    claim_elsewhere(CachedStatistics, silent=True)
    assert tasks.lost(CachedStatistics) == [row.pk]
    monkeypatch.setattr(tasks.time, "sleep", lambda seconds: claim_elsewhere(CachedStatistics))
    silence(CachedStatistics)
    assert tasks.lost(CachedStatistics) == []


def test_a_job_that_brings_down_worker_after_worker_is_given_up() -> None:
    row = requested("figures")
    for _ in range(claims.MOST_ATTEMPTS):
        assert claims.claim(CachedStatistics, row.pk) is not None
        silence(CachedStatistics)
    assert claims.claim(CachedStatistics, row.pk) is None
    row.refresh_from_db()
    assert row.status == "failed"
    assert "Given up after 5 attempts" in row.error
