"""Messages to workers. A message says only "look": the rows are the jobs, and their order is the order of the work."""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from multiprocessing.sharedctypes import RawValue
from typing import Any

from celery import Task, shared_task
from celery.signals import worker_init, worker_shutting_down
from django.apps import apps
from django.db import DatabaseError, connection, transaction
from django.utils import timezone
from django.utils.module_loading import import_string
from kombu.exceptions import OperationalError

from jobs.claims import BEAT_EVERY, InOtherHands, claim_next
from jobs.models import Clock, Job
from jobs.querysets import ABANDONED

logger = logging.getLogger(__name__)
# When the database comes back, every heartbeat is old until each worker has written its next one.
SECOND_LOOK_AFTER = 2 * BEAT_EVERY
MOST_MESSAGES = 10
after_commit = transaction.on_commit
# Shared with the processes of a worker's pool, which are forked after it is made: whether the worker shuts down.
_closing: Any = None


class FewMessages(Task):
    """A task whose message may get lost. None is sent to a queue where some wait, as during a long training."""

    def apply_async(self, *args: Any, producer: Any = None, queue: str | None = None, **options: Any) -> Any:
        name = queue or self.app.conf.task_default_queue
        with self.app.producer_or_acquire(producer) as found:
            if self._waiting(found, name) >= MOST_MESSAGES:
                return None
            return super().apply_async(*args, producer=found, queue=name, **options)

    @staticmethod
    def _waiting(producer: Any, queue: str) -> int:
        errors = (*producer.connection.connection_errors, *producer.connection.channel_errors)
        try:
            declared = producer.channel.queue_declare(queue=queue, durable=True, auto_delete=False)
        except (OperationalError, *errors):
            return 0  # the attempt to send says what is wrong
        return int(declared.message_count)


class Sweep(Task):
    """Beat calls it for each queue and shows so that it is alive. A message is sent only where a job can be claimed."""

    def apply_async(self, args: Any, *_: Any, **options: Any) -> None:
        in_a_thread(partial(sweep, *args))


@worker_init.connect
def begin(**_: object) -> None:
    global _closing
    _closing = RawValue("b", 0)


@worker_shutting_down.connect
def close(**_: object) -> None:
    if _closing is not None:
        _closing.value = 1


@shared_task(bind=True, base=FewMessages, time_limit=None, soft_time_limit=None)
def work(self: Task, queue: str) -> None:
    """Claims the best job of a queue and carries it out. Does nothing if there is none, or if this worker shuts down."""
    if _closing is not None and _closing.value:
        return  # else it would take up again what it has just given back
    worker = self.request.hostname or ""
    row = next_job(queue, worker=worker)
    if row is None:
        return
    if _heads(queue, worker):
        send(row)  # to the next worker: one message starts as many workers as there is work for
    try:
        import_string(row.WORK)(row.pk, row=row)
    except (type(row).DoesNotExist, InOtherHands):
        pass  # it was deleted or stopped, or the claim was lost
    except Exception as error:  # the row has the error, and the log has the trace of an unexpected one
        logger.warning("%s: %s", row, error)
    if type(row).objects.waiting().filter(pk=row.pk).exists():
        send(row)  # this worker gave it back


@shared_task(base=Sweep)
def sweep(queue: str) -> None:
    """Sends a message if a job of `queue` can be claimed: its message or its worker may be lost."""
    clock_seen()
    for kind in kinds(queue):
        if kind.objects.claimable().exists():
            return send(kind)


def next_job(queue: str, *, worker: str) -> Any:
    """Claims the best job of a queue for a worker. Returns its row, or None."""
    heads = _heads(queue, worker)
    if heads and heads[0][0] == ABANDONED:
        time.sleep(SECOND_LOOK_AFTER.total_seconds())
        heads = _heads(queue, worker)
    rows = (claim_next(head[-1], worker=worker) for head in heads)
    return next((row for row in rows if row is not None), None)


def _heads(queue: str, worker: str) -> list[tuple[Any, ...]]:
    """Returns the first claimable job of each kind of a queue, the best first: its turn, ..., and the kind."""
    heads = []
    for kind in kinds(queue):
        claimable = kind.objects.claimable_by(worker).in_turn()
        for turn, asked in claimable.values_list("turn", "requested_at")[:1]:
            heads.append((turn, kind.PRIORITY, asked, kind._meta.label, kind))
    return sorted(heads)


def kinds(queue: str | None = None) -> Iterator[Any]:
    """Yields the models of all kinds of job, or of those of one queue."""
    for model in apps.get_models():
        if issubclass(model, Job) and queue in (None, model.QUEUE):
            yield model


def enqueue(*rows: Job) -> None:
    """Sends a message about jobs after the commit. If it gets lost, the next sweep sends another."""
    if rows:
        after_commit(partial(send, *rows))


def send(*jobs: Job | type[Job]) -> None:
    """Sends one message now to each queue of these jobs."""
    for queue in {job.QUEUE for job in jobs}:
        try:
            work.apply_async((queue,), queue=queue)
        except OperationalError as error:
            logger.warning("No broker (%s): the sweep will send the message for %s later.", error, queue)


def clock_seen() -> None:
    """Records that the clock (Celery beat) runs."""
    Clock.objects.bulk_create(
        [Clock(pk=1, seen_at=timezone.now())],
        update_conflicts=True,
        unique_fields=["id"],
        update_fields=["seen_at"],
    )


def in_a_thread(write: Callable[[], object]) -> None:
    """Calls `write` in a thread, whose database connection no forked process shares."""

    def written() -> None:
        try:
            write()
        except DatabaseError as error:
            logger.warning("The database did not answer: %s", error)
        finally:
            connection.close()

    thread = threading.Thread(target=written, name="one write")
    thread.start()
    thread.join()
