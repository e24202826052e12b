"""Claims on jobs: a token on the row, and heartbeats from a separate thread.

The thread writes heartbeats over its own database connection, whatever the job is doing. A worker that lost its claim
(its token is gone from the row) stops at its next report and changes nothing any more.
"""

import contextlib
import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any, Self
from uuid import uuid4

from django.db import DatabaseError, InterfaceError, OperationalError, connection, transaction
from django.db.models import F, QuerySet
from django.utils import timezone
from django.utils.module_loading import import_string

from jobs.failures import failure_sentence, is_disk_full, is_transient
from jobs.models import WAITING_FOR_A_WORKER
from jobs.querysets import JobQuerySet

logger = logging.getLogger(__name__)
BEAT_EVERY = timedelta(seconds=5)
REPORT_EVERY = timedelta(seconds=1)  # a report is a write; ten thousand short pairs take less
MOST_ATTEMPTS = 5
# How long the thread waits for SQLite's write lock. Then it tries again at the next beat.
LOCK_TIMEOUT = timedelta(seconds=5)


class JobError(Exception):
    """This worker did not finish the job."""


class ClaimLost(JobError):
    """Another worker has claimed the job, or somebody has stopped it."""


class InOtherHands(JobError):
    """The job cannot be claimed: another worker has it, or it is over. `row` is the job as it is now."""

    def __init__(self, row: Any) -> None:
        self.row = row
        super().__init__(f"{row} has another worker or is over ({row.progress}).")


class JobFailed(JobError):
    """The job failed. The row and the message say why."""


class Stopped(JobError):
    """Somebody stopped the job, and its worker ends it now. The message is for the row."""


class Interrupted(JobError):
    """The database went away. The job waits or becomes stale, and a worker starts it again."""


def claim(model: Any, pk: int, *, worker: str = "", progress: str = "") -> Any:
    """Claims a waiting or stale job and returns its row, or None if there is nothing to claim.

    This is one conditional UPDATE: of two workers that try, one changes the row. A job that was claimed five times and
    never ended is failed instead, because it would kill the next worker, too. A worker uses `claim_next`.
    """
    now, token = timezone.now(), uuid4().hex
    claimable = model.objects.filter(pk=pk).claimable()
    claimed = claimable.filter(attempts__lt=MOST_ATTEMPTS).update(
        status=model.WORKING,
        claimed_by=token,
        worker=worker[:200],
        attempts=F("attempts") + 1,
        started_at=now,
        heartbeat_at=now,
        finished_at=None,
        progress=progress,
        share=0,
        error="",
    )
    if claimed:
        row = model.objects.get(pk=pk)
        row.claimed_by = token  # if another worker has it by now, this one must not use that worker's token
        return row
    for row in claimable.filter(attempts__gte=MOST_ATTEMPTS):
        error = f"Given up after {MOST_ATTEMPTS} attempts: each time the worker or its program ended before the job did."
        fail_where(claimable.filter(attempts__gte=MOST_ATTEMPTS), row, f"{error} {row.advice()}".strip())
    return None


def claim_next(kind: Any, *, worker: str) -> Any:
    """Claims the best job of a kind for a worker and returns its row, or None if there is nothing to claim.

    PostgreSQL locks the row that it finds and passes over rows that other workers have locked, so that ten workers get
    ten jobs. SQLite has one writer at a time.
    """
    while True:
        with transaction.atomic():
            best = kind.objects.claimable_by(worker).in_turn().select_for_update(skip_locked=True)
            row = best.first()
            claimed = row and claim(kind, row.pk, worker=worker)
        if row is None or claimed is not None:  # else it was given up
            return claimed


@transaction.atomic
def fail_where(rows: QuerySet[Any], row: Any, error: str) -> bool:
    """Fails the job `row` if it is still in `rows`. Returns whether it was."""
    if not rows.update(status=row.FAILED, error=error, **ended()):
        return False
    logger.warning("%s failed: %s", row, error)
    if row.AFTER_FAILURE:
        import_string(row.AFTER_FAILURE)(row)
    return True


@transaction.atomic
def stop(jobs: JobQuerySet, sentence: str = "", *, by: str = "") -> bool:
    """Stops jobs of one kind that are under way. Returns whether there were any.

    A job ends at once if no worker has it, or if unfinished work of its kind is thrown away: the worker loses its claim.
    A worker of another kind (`STOPS_ITSELF`) is asked, and ends the job by `Claim.stopped`. `sentence` is the error of a
    kind that calls its stopped jobs failed; it begins with `by`, the code of a person: all researchers and the log see it.
    """
    sentence = f"Stopped by {by}. {sentence}" if by else sentence
    at_once = jobs.claimable() if jobs.kind.STOPS_ITSELF else jobs.under_way()
    # The UPDATEs have the conditions: a worker may claim or end a job at this moment.
    ended = [_stop_where(at_once.filter(pk=row.pk), row, sentence) for row in at_once]
    asked = jobs.kind.STOPS_ITSELF and jobs.alive().update(stop_requested=True)
    return any(ended) or bool(asked)


def _stop_where(rows: QuerySet[Any], row: Any, sentence: str) -> bool:
    """Ends the job `row` as stopped if it is still in `rows`. Returns whether it was."""
    if row.STOPPED == row.FAILED:
        return fail_where(rows, row, sentence)
    return bool(rows.update(status=row.STOPPED, **ended()))


def request(kind: Any, /, *states: str, **key: Any) -> Any:
    """Returns the job with this key. If it is new, failed, or in one of `states`, it waits for a worker now."""
    row, _ = kind.objects.get_or_create(**key, defaults=wanted(kind))
    ask_again(row, kind.FAILED, *states)
    return row


def settle(jobs: JobQuerySet) -> int:
    """Ends as done the `jobs` that no worker has, because their work was done without one. Returns how many."""
    return jobs.exclude(status=jobs.kind.WORKING).update(status=jobs.kind.DONE, error="", **ended())


def ask_again(row: Any, *states: str) -> None:
    """Queues a failed job (or one in `states`) again. A job in another state stays as it is."""
    if ask_again_where(type(row).objects.filter(pk=row.pk), *states):
        row.refresh_from_db()


def ask_again_where(jobs: JobQuerySet, *states: str, **columns: Any) -> int:
    """Queues the failed jobs (or those in `states`) among `jobs` again. Returns how many.

    `columns` are written with them, and go before those of `wanted`.
    """
    over = jobs.filter(status__in=states or (jobs.kind.FAILED,))
    return over.update(**{**wanted(jobs.kind), **columns})


def wanted(kind: Any) -> dict[str, Any]:
    """Returns the columns of a job that is requested now. `kind` is a class of jobs, or a row."""
    return {
        "status": kind.WAITING,
        "progress": WAITING_FOR_A_WORKER,
        "requested_at": timezone.now(),
        "queued_at": timezone.now(),
        "started_at": None,
        "attempts": 0,
        "error": "",
        "stop_requested": False,
        "finished_at": None,
        "heartbeat_at": None,
    }


def ended() -> dict[str, Any]:
    """Returns the columns of a job that has ended, in whatever state."""
    now = timezone.now()
    return {"claimed_by": "", "progress": "", "share": 0, "stop_requested": False, "finished_at": now}


class Claim:
    """The claim on a row that `claim` returned. A thread writes heartbeats inside its `with` block.

    Inside a transaction there is no thread: nobody else sees the row then.
    """

    def __init__(self, row: Any, *, tell: Callable[[str], None] = lambda text: None) -> None:
        self.row, self.tell = row, tell
        self._lost, self._stop = threading.Event(), threading.Event()
        self._thread: threading.Thread | None = None
        self._reported_at = 0.0

    def __enter__(self) -> Self:
        if not connection.in_atomic_block:
            self._thread = threading.Thread(target=self._beat, name=f"heartbeat of {self.row}", daemon=True)
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join()

    def ours(self) -> Any:
        return type(self.row).objects.held_as(self.row)

    def report(self, progress: str, share: float = 0, *, at_once: bool = False) -> None:
        """Writes the progress of the job, at most once a second unless `at_once`. Raises ClaimLost.

        A report that the database does not answer is dropped: the next one comes.
        """
        if self._lost.is_set():
            raise ClaimLost(str(self.row))
        now = time.monotonic()
        if not at_once and now - self._reported_at < REPORT_EVERY.total_seconds():
            return
        self._reported_at = now
        try:
            self._write(heartbeat_at=timezone.now(), progress=progress[:200], share=min(max(share, 0), 1))
        except (OperationalError, InterfaceError) as error:
            if connection.in_atomic_block or not is_transient(error):
                raise
            logger.warning("%s: the database did not answer (%s).", self.row, error)
            connection.close()
        self.tell(progress)

    def confirm(self) -> None:
        """Checks at the end of a long transaction that the claim is still held. Raises ClaimLost.

        On PostgreSQL another connection reads the row: this transaction may see an old state, and its write to a row
        that a heartbeat has changed would fail. On SQLite this transaction held the write lock, so the heartbeat had to
        wait: it is written here, or the job would be stale as soon as the lock is free.
        """
        if self._thread is None or connection.vendor == "sqlite":
            self._write(heartbeat_at=timezone.now())
        elif not _in_another_connection(self.ours().exists):
            raise ClaimLost(str(self.row))

    def finish(self, **values: Any) -> None:
        """Ends the job as done and writes `values` to its columns. Raises ClaimLost."""
        self._write(status=self.row.DONE, error="", **ended(), **values)

    def fail(self, error: str) -> bool:
        """Ends the job as failed, unless the claim was lost. Returns whether it was still held."""
        if not fail_where(self.ours(), self.row, error):
            return False
        self.row.error = error
        return True

    def stop_asked(self) -> bool:
        """Returns whether somebody asked for a stop. Raises ClaimLost."""
        asked = self.ours().values_list("stop_requested", flat=True).first()
        if asked is None:
            raise ClaimLost(str(self.row))
        return bool(asked)

    def stopped(self, sentence: str = "") -> bool:
        """Ends the job as stopped, unless the claim was lost. Returns whether it was still held."""
        return _stop_where(self.ours(), self.row, sentence)

    def release(self, *, blameless: bool = False) -> bool:
        """Queues the job for another worker. Returns False if the claim was lost.

        `blameless`: this attempt does not count.
        """
        counted = F("attempts") - 1 if blameless else F("attempts")
        columns = {"status": self.row.WAITING, "claimed_by": "", "heartbeat_at": None, "share": 0}
        columns |= {"queued_at": timezone.now(), "progress": WAITING_FOR_A_WORKER}
        return bool(self.ours().update(**columns, attempts=counted))

    def _write(self, **values: Any) -> None:
        if not self.ours().update(**values):
            raise ClaimLost(str(self.row))

    def _beat(self) -> None:
        try:
            while not self._stop.wait(BEAT_EVERY.total_seconds()):
                try:
                    _wait_briefly_for_locks()
                    if not self.ours().update(heartbeat_at=timezone.now()):
                        self._lost.set()
                        return
                except (DatabaseError, InterfaceError) as error:
                    logger.warning("No heartbeat of %s could be written: %s", self.row, error)
                    connection.close()
        finally:
            connection.close()


def carry_out(
    model: Any,
    pk: int,
    work: Callable[[Claim], Any],
    *,
    row: Any = None,
    progress: str = "",
    expected: tuple[type[Exception], ...] = (),
    tell: Callable[[str], None] = lambda text: None,
) -> Any:
    """Calls `work` while heartbeats are written, and returns its result. `work` ends the job.

    The job is claimed first, unless a worker did that already and gives its `row`. An error is written on the row. Errors of
    the types in `expected` are written by their message and raised unchanged.
    Raises model.DoesNotExist, InOtherHands, JobFailed, Stopped, Interrupted.
    """
    if row is not None:
        model.objects.held_as(row).update(progress=progress)
    elif (row := claim(model, pk, progress=progress)) is None:
        raise InOtherHands(model.objects.get(pk=pk))
    return carry_out_claimed(row, work, expected=expected, tell=tell)


def carry_out_claimed(
    row: Any,
    work: Callable[[Claim], Any],
    *,
    expected: tuple[type[Exception], ...] = (),
    tell: Callable[[str], None] = lambda text: None,
) -> Any:
    """Does what `carry_out` does, for a row that `claim` returned."""
    held = Claim(row, tell=tell)
    try:
        with held:
            return work(held)
    except ClaimLost:
        raise InOtherHands(type(row).objects.get(pk=row.pk)) from None
    except Stopped as asked:
        held.stopped(str(asked))
        raise
    except expected as error:
        held.fail(str(error))
        raise
    except KeyboardInterrupt:
        sentence = f"Stopped by hand. {row.AGAIN.capitalize()} when you like."
        if row.STOPS_ITSELF:
            held.stopped(sentence)
        else:
            held.fail(sentence)
        raise
    except Exception as error:
        raise after_unexpected(held, error) from error


def after_unexpected(held: Claim, error: Exception) -> JobError:
    """Fails the job after an unexpected error, or queues it again if the database was away.

    Returns the exception to raise: JobFailed, Interrupted, or InOtherHands if the claim was lost.
    """
    row = held.row
    if is_transient(error) and not is_disk_full(error):
        logger.warning("%s: the database did not answer (%s). It begins again.", row, error)
        connection.close()
        # If the database is still away, the job becomes stale instead.
        with contextlib.suppress(DatabaseError, InterfaceError):
            held.release()
        return Interrupted(
            "The database did not answer. A worker starts the job again; you need not do anything."
        )
    sentence = failure_sentence(error, row.AGAIN)
    if not held.fail(sentence):
        # The job was stopped, taken over, or done, and its rows changed under it: that is no failure.
        logger.warning("%s: an error after the claim was over", row, exc_info=error)
        return InOtherHands(type(row).objects.get(pk=row.pk))
    if not isinstance(error, OSError):
        logger.error("%s failed", row, exc_info=error)
    return JobFailed(sentence)


def _in_another_connection(ask: Callable[[], Any]) -> Any:
    def asked() -> Any:
        try:
            return ask()
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asked).result()


def _wait_briefly_for_locks() -> None:
    """On SQLite, limits how long a heartbeat waits for the write lock: the default is a minute."""
    if connection.vendor == "sqlite" and connection.connection is None:
        with connection.cursor() as cursor:
            cursor.execute(f"PRAGMA busy_timeout = {int(LOCK_TIMEOUT.total_seconds() * 1000)}")
