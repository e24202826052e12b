"""Every failure of a job, for every kind of job, with real threads and processes and with a database that goes away."""

import errno
import multiprocessing
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg2
import pytest
from django.conf import settings
from django.db import OperationalError, connection, connections

from annotation_site.intake import pairs
from annotation_site.intake.jobs import request_import
from collection.models import Pair, PairImportJob, Source
from jobs import claims, failures, querysets, tasks
from jobs.models import Job
from modeling.models import LeakAudit, TrainingRun
from modeling.reports import leak_audits
from modeling.reports.leak_audits import request_audits
from modeling.running import runner
from modeling.running.configs import STOPPED_CODE
from snapshots.exports import job as exporting
from snapshots.exports.job import request_export
from snapshots.freezing import job as actions
from snapshots.freezing.job import request_freeze
from snapshots.models import Snapshot, SnapshotExport, SnapshotStatistics
from snapshots.statistics import job as statistics
from snapshots.statistics.job import request_statistics
from snapshots.verify import verify
from tests.cast import rosa
from tests.commands import write_jsonl
from tests.concurrency.draining import forget_connections
from tests.concurrency.threads import Beside, at_once
from tests.corpora import make_corpus
from tests.jobs.material import age, claim_elsewhere, silence, sweep, work
from tests.modeling.material import SAY, a_run, metrics, program
from tests.snapshots.material import corpus_of, folder, freeze
from validation.models import CachedStatistics, Label, Question
from validation.statistics import cached

pytestmark = pytest.mark.django_db(transaction=True)

STALE_AFTER = timedelta(seconds=2)
TABLES: dict[str, Any] = {
    "freeze": Snapshot,
    "export": SnapshotExport,
    "statistics": SnapshotStatistics,
    "leak audit": LeakAudit,
    "figures": CachedStatistics,
    "training": TrainingRun,
    "end of training": TrainingRun,
    "import": PairImportJob,
}
KINDS = tuple(TABLES)
IMPORTED = [
    {
        "pairID": f"p{n}",
        "sentence1": f"Text {n}.",
        "sentence2": "So.",
        "gold_label": "neutral",
        "annotator_labels": ["neutral"] * 5,
    }
    for n in range(3)
]
Patch = pytest.MonkeyPatch


def first(*chosen: str) -> list[Any]:
    """Returns all kinds as parameters: the chosen ones in the first grade of tests, the others in the second.

    For tests that wait for seconds, or whose rule is decided in jobs/claims.py for all kinds. A freeze is one transaction,
    an import has portions.
    """
    return [kind if kind in chosen else pytest.param(kind, marks=pytest.mark.thorough) for kind in KINDS]


@pytest.fixture(autouse=True)
def quick(monkeypatch: Patch, tmp_path: Path) -> None:
    """Makes heartbeats stale after two seconds, and lets trainings end at once."""
    monkeypatch.setattr(querysets, "STALE_AFTER", STALE_AFTER)
    monkeypatch.setattr(claims, "BEAT_EVERY", timedelta(seconds=0.2))
    program(monkeypatch, tmp_path, SAY + f"say(event='done', metrics={metrics()!r})")


def requested(kind: str) -> Any:
    """Requests a job of this kind, as if an hour ago."""
    row: Any
    match kind:
        case "import":
            row = import_requested()
        case "freeze":
            row = request_freeze(corpus=corpus_of(2, dev=0, test=0))
        case "export":
            row = request_export(snapshot=freeze(corpus_of(2, dev=0, test=0)), format_name="dnc")
        case "statistics":
            row = request_statistics(snapshot=freeze(corpus_of(2, dev=0, test=0)), kind="corpus")
        case "leak audit":
            (row,) = request_audits([freeze(corpus_of(2, dev=3, test=0))])
        case "figures":
            question = Question.objects.get(corpus=make_corpus(protocol="judged"))
            row = cached.request_statistics(question=question, kind=cached.Kind.PAIRWISE)
        case _:
            row = a_run(freeze(corpus_of(2, dev=0, test=0)))
    assert type(row) is TABLES[kind]
    age(type(row))
    return row


def import_requested() -> PairImportJob:
    """Requests an import of three labelled pairs into a corpus that does not exist yet."""
    settings.INCOMING_ROOT.mkdir(parents=True, exist_ok=True)
    write_jsonl(settings.INCOMING_ROOT / "pairs.jsonl", IMPORTED)
    options = {"format": "snli", "seed": 0}
    return request_import(
        by=rosa(), corpus="imported", files=["pairs.jsonl"], recipe="", options=options, dry_run=False
    )


def at_its_step(kind: str, patch: Patch, do: Callable[[], object]) -> None:
    """Calls `do` in the middle of every job of this kind, after its main step."""
    target, name = {
        "freeze": (actions, "copy_rows"),
        "export": (exporting, "export"),
        "statistics": (statistics, "measure"),
        "leak audit": (leak_audits, "compared"),
        "training": (runner, "write_config"),
        "end of training": (runner, "_trained"),  # the program is over, and nothing recorded yet
        "import": (pairs, "import_portion"),
        "figures": (None, ""),
    }[kind]
    real: Any = getattr(target, name) if target else cached.COMPUTE[cached.Kind.PAIRWISE]

    def step(*arguments: Any, **named: Any) -> Any:
        made = real(*arguments, **named)
        do()
        return made

    if target:
        patch.setattr(target, name, step)
    else:
        patch.setitem(cached.COMPUTE, cached.Kind.PAIRWISE, step)


def counted(steps: list[int], seconds: float) -> Callable[[], None]:
    """Counts how often a step was reached, and makes it take this time."""

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
    if isinstance(row, PairImportJob):
        assert row.report["pairs"] + row.report["skipped"] == len(IMPORTED)
        check_imported(len(IMPORTED))


def check_imported(number: int) -> None:
    """Checks that each of the first pairs of the file exists once, with its labels."""
    assert sorted(Pair.objects.values_list("public_id", flat=True)) == [f"p{n}" for n in range(number)]
    assert Label.objects.count() == 5 * number
    assert Source.objects.count() == min(number, 1)


def sweep_until_done(row: Job) -> None:
    for _ in range(100):
        with suppress(Exception):
            sweep(row.QUEUE)
            if is_done(row):
                return
        connection.close()
        time.sleep(0.2)
    pytest.fail(f"{row} is not done after many sweeps.")


def test_every_kind_of_job_is_in_the_table() -> None:
    assert set(TABLES.values()) == set(tasks.kinds())


@pytest.mark.parametrize("kind", first("freeze", "training"))
def test_a_worker_that_is_killed_leaves_its_job_to_the_next(kind: str) -> None:
    row = requested(kind)
    fork = multiprocessing.get_context("fork")
    there = fork.Event()
    connections.close_all()  # a connection must not be shared with a child

    def wait_to_be_killed() -> None:
        there.set()
        time.sleep(600)

    def worker() -> None:
        forget_connections()
        with Patch.context() as patch:
            at_its_step(kind, patch, wait_to_be_killed)
            work(row)

    process = fork.Process(target=worker)
    process.start()
    assert there.wait(120)
    process.kill()
    process.join()
    sweep(row.QUEUE)
    row.refresh_from_db()
    assert row.status == row.WORKING, "its last heartbeat is fresh"
    if kind == "freeze":
        assert not folder(row).exists()
    silence(type(row))
    sweep(row.QUEUE)
    check_done(row, attempts=2)


@pytest.mark.parametrize("kind", first("figures", "training"))
def test_a_message_that_is_lost_costs_nothing(kind: str) -> None:
    row = requested(kind)
    sweep("training" if row.QUEUE == "general" else "general")
    row.refresh_from_db()
    assert row.status == row.WAITING, "it is another queue's"
    sweep(row.QUEUE)
    check_done(row, attempts=1)


@pytest.mark.parametrize("kind", first("freeze", "import"))
def test_a_message_that_comes_twice_is_one_job(kind: str, monkeypatch: Patch) -> None:
    row, steps = requested(kind), list[int]()
    at_its_step(kind, monkeypatch, counted(steps, 0.3))
    at_once([lambda: work(row)] * 4)
    work(row)
    assert len(steps) == 1
    check_done(row, attempts=1)


@contextmanager
def database_away() -> Iterator[None]:
    """Closes all connections to the test's database, and rejects new ones."""
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


@pytest.mark.thorough
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


@pytest.mark.thorough
@pytest.mark.parametrize("kind", KINDS)
def test_a_step_that_takes_longer_than_a_job_may_be_silent_is_not_taken_over(
    kind: str, monkeypatch: Patch
) -> None:
    """Without heartbeats from a thread, each worker would lose the job to the next, for ever; the last lines show this."""
    row, steps, over = requested(kind), list[int](), threading.Event()
    stale_after = timedelta(seconds=3)  # in which a busy machine, too, finds time for one of fifteen beats
    monkeypatch.setattr(querysets, "STALE_AFTER", stale_after)
    long = 1.4 * stale_after.total_seconds()
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


@pytest.mark.thorough
def test_without_heartbeats_a_long_step_is_taken_over(monkeypatch: Patch) -> None:
    """Shows why heartbeats come from a thread."""
    assert worked_by_two(requested("freeze"), "freeze", monkeypatch) == 2


def worked_by_two(row: Any, kind: str, monkeypatch: Patch) -> int:
    """Lets a worker be silent for too long in the middle of a job, and another claim it meanwhile; returns their steps."""
    steps, others = list[int](), list[Beside]()
    monkeypatch.setattr(claims, "BEAT_EVERY", timedelta(hours=1))

    def step() -> None:
        steps.append(1)
        if len(steps) == 1:
            silence_elsewhere()
            others.append(Beside(lambda: sweep(row.QUEUE)))
            others[0].goes_as_far_as_it_can()

    def silence_elsewhere() -> None:
        at_once([lambda: silence(type(row))])

    at_its_step(kind, monkeypatch, step)
    work(row)
    assert others[0].result() is None
    check_done(row, attempts=2)
    return len(steps)


@pytest.mark.parametrize("kind", first("freeze", "export", "import"))
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
    if kind == "import":
        check_imported(0)


def test_an_import_that_was_taken_over_between_portions_is_ended_by_the_next_worker(
    monkeypatch: Patch,
) -> None:
    """The first worker writes one portion, loses its claim during the second, and does not begin the third."""
    row, steps = requested("import"), list[int]()
    monkeypatch.setattr(pairs, "PORTION", 1)

    def taken_over_in_the_second() -> None:
        steps.append(1)
        if len(steps) == 2:
            at_once([lambda: claim_elsewhere(type(row))])

    at_its_step("import", monkeypatch, taken_over_in_the_second)
    work(row)
    assert len(steps) == 2
    check_imported(1)
    silence(type(row))
    sweep()
    check_done(row, attempts=2)
    assert (row.report["pairs"], row.report["skipped"]) == (2, 1)


def test_two_workers_at_one_import_write_each_pair_once(monkeypatch: Patch) -> None:
    """The heartbeat of the first worker was stale, and it continues while the second one works."""
    monkeypatch.setattr(pairs, "PORTION", 1)
    assert worked_by_two(requested("import"), "import", monkeypatch) > len(IMPORTED)


@pytest.mark.parametrize("kind", first("statistics", "import", "end of training"))
def test_a_disk_that_is_full_fails_a_job_which_can_be_asked_for_again(kind: str) -> None:
    row = requested(kind)

    def full() -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with Patch.context() as patch:
        at_its_step(kind, patch, full)
        work(row)
    row.refresh_from_db()
    assert (row.status, row.claimed_by) == (row.FAILED, "")
    assert "No space left on device. Make room" in row.error
    if kind == "import":
        check_imported(0)
    claims.ask_again(row)
    work(row)
    check_done(row, attempts=1)


# A program that trains until it is told to stop, and then says that its checkpoint is written.
TRAINS_ON = f"signal.signal(signal.SIGTERM, lambda *_: sys.exit({STOPPED_CODE}))\ntime.sleep(60)"


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "end of training"])
def test_a_job_that_is_stopped_in_the_middle_ends_and_can_be_asked_for_again(
    kind: str, monkeypatch: Patch, tmp_path: Path
) -> None:
    row = requested(kind)
    rows = type(row).objects.filter(pk=row.pk)

    def stop() -> None:
        # From another connection, because the step of a freeze is in a transaction.
        at_once([lambda: claims.stop(rows.all(), "Stopped by Rosa.")])

    with Patch.context() as patch:
        (tmp_path / "stopped").mkdir()
        program(patch, tmp_path / "stopped", TRAINS_ON)
        patch.setattr(pairs, "PORTION", 1)
        at_its_step(kind, patch, stop)
        work(row)
    check_stopped(row)
    if kind == "freeze":
        assert not folder(row).exists()
    if kind == "export":
        assert not row.folder.exists()
    if kind == "import":
        check_imported(1)
    sweep(row.QUEUE)
    check_stopped(row)
    claims.ask_again(row, row.STOPPED)
    work(row)
    check_done(row, attempts=1)


@pytest.mark.parametrize("kind", first("freeze", "import"))
@pytest.mark.parametrize("had_a_worker", [False, True])
def test_a_job_that_no_worker_has_is_stopped_at_once(kind: str, had_a_worker: bool) -> None:
    row = requested(kind)
    if had_a_worker:
        claim_elsewhere(type(row), silent=True)
    rows = type(row).objects.filter(pk=row.pk)
    assert claims.stop(rows, "Stopped by Rosa.")
    check_stopped(row)
    assert not claims.stop(rows, "Again.")
    work(row)
    sweep(row.QUEUE)
    check_stopped(row)


def check_stopped(row: Any) -> None:
    row.refresh_from_db()
    assert (row.status, row.claimed_by, row.stop_requested) == (row.STOPPED, "", False)
    assert row.error.startswith("Stopped") or row.STOPPED != row.FAILED
    assert row.finished_at


@pytest.mark.parametrize("step", ["training", "end of training"])
def test_what_nobody_foresaw_fails_a_training_too_with_a_sentence(step: str, monkeypatch: Patch) -> None:
    row = requested("training")
    at_its_step(step, monkeypatch, lambda: {}["surprise"])
    work(row)
    row.refresh_from_db()
    assert row.status == "failed"
    assert (
        row.error
        == "The software failed (KeyError). Ask its operator to look at the log, then resume the run."
    )


def test_a_database_without_room_is_told_as_what_it_is() -> None:
    """Both databases raise OperationalError for a full disk, as they do for a lost connection."""
    full = OperationalError("database or disk is full")
    assert not failures.is_transient(full) or connection.vendor == "postgresql"
    assert failures.failure_sentence(full, "ask again") == (
        "The database could not be written: No space left on device. Make room, then ask again."
    )
    lost = OperationalError("server closed the connection unexpectedly")
    assert failures.is_transient(lost)
    assert not failures.is_disk_full(lost)


def test_a_worker_that_is_heard_again_after_the_database_was_away_keeps_its_job() -> None:
    row = requested("figures")
    claim_elsewhere(CachedStatistics, silent=True)
    with Patch.context() as patch:
        patch.setattr(tasks.time, "sleep", lambda seconds: claim_elsewhere(CachedStatistics))
        assert tasks.next_job("general", worker="a@here") is None
    silence(CachedStatistics)
    assert tasks.next_job("general", worker="a@here") == row


def test_a_job_that_brings_down_worker_after_worker_is_given_up() -> None:
    row = requested("figures")
    for _ in range(claims.MOST_ATTEMPTS):
        assert claims.claim(CachedStatistics, row.pk) is not None
        silence(CachedStatistics)
    assert claims.claim(CachedStatistics, row.pk) is None
    row.refresh_from_db()
    assert row.status == "failed"
    assert "Given up after 5 attempts" in row.error
