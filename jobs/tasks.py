"""Messages to workers. The row is the job, so a lost message or a lost worker loses nothing."""

import logging
import time
from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from typing import Any

from celery import Task, shared_task
from django.apps import apps
from django.db import transaction
from django.utils import timezone
from django.utils.module_loading import import_string
from kombu.exceptions import OperationalError

from jobs.claims import BEAT_EVERY, InOtherHands
from jobs.models import Clock, Job

logger = logging.getLogger(__name__)
# A job that nobody has claimed after this time has lost its message.
MESSAGE_LOST_AFTER = timedelta(seconds=30)
# When the database comes back, every heartbeat is old until each worker has written its next one.
SECOND_LOOK_AFTER = 2 * BEAT_EVERY
after_commit = transaction.on_commit


@shared_task(bind=True, time_limit=None, soft_time_limit=None)
def work(self: Task, kind: str, pk: int) -> None:
    """Carries one job out. Does nothing if it is over, deleted, or claimed by another worker."""
    model: Any = apps.get_model(kind)
    if not model.objects.claimable().filter(pk=pk).exists():
        return
    try:
        import_string(model.WORK)(pk, worker=self.request.hostname or "")
    except (model.DoesNotExist, InOtherHands):
        return  # another worker was faster
    except Exception as error:  # the row has the error, and the log has the trace of an unexpected one
        logger.warning("%s %s: %s", kind, pk, error)


@shared_task
def sweep(queue: str) -> None:
    """Sends messages again for jobs of `queue` whose message or worker was lost.

    The message that starts a sweep waits in the same queue behind those of the jobs, and expires. So a sweep runs only
    when a worker has nothing older to do, and a job that still waits then has lost its message. An extra message does no
    harm.
    """
    for kind in kinds(queue):
        for pk in lost(kind):
            send(kind, pk)


def lost(kind: Any) -> list[int]:
    """Returns the keys of jobs that lost their message or their worker, oldest first."""
    waiting = kind.objects.waiting().filter(requested_at__lt=timezone.now() - MESSAGE_LOST_AFTER)
    stale = set(kind.objects.stale().values_list("pk", flat=True))
    if stale:
        time.sleep(SECOND_LOOK_AFTER.total_seconds())
        stale &= set(kind.objects.stale().values_list("pk", flat=True))
    return sorted({*waiting.values_list("pk", flat=True), *stale})


def kinds(queue: str | None = None) -> Iterator[Any]:
    """Yields the models of all kinds of job, or of those of one queue."""
    for model in apps.get_models():
        if issubclass(model, Job) and queue in (None, model.QUEUE):
            yield model


def enqueue(*rows: Job) -> None:
    """Sends the messages of jobs after the commit. If there is no broker, a sweep finds the rows later."""
    for row in rows:
        after_commit(partial(send, type(row), row.pk))


def send(kind: type[Job], pk: int) -> None:
    """Sends one message now."""
    try:
        work.apply_async((kind._meta.label, pk), queue=kind.QUEUE)
    except OperationalError as error:
        logger.warning("No broker (%s): the sweep will send %s %s later.", error, kind._meta.label, pk)


def clock_seen() -> None:
    """Records that the clock (Celery beat) has sent a sweep."""
    Clock.objects.bulk_create(
        [Clock(pk=1, seen_at=timezone.now())],
        update_conflicts=True,
        unique_fields=["id"],
        update_fields=["seen_at"],
    )
