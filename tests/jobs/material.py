"""Workers: simulated ones on other machines, as rows of the database, and one that runs in the test."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from django.utils import timezone

from jobs import tasks
from jobs.models import Job

LONG_AGO = timedelta(hours=1)
# For all tests of this process, because several threads of a test may be workers.
_here, really_send = threading.local(), tasks.send
tasks.send, tasks.SECOND_LOOK_AFTER = lambda *jobs: _send(*jobs), timedelta(0)


def work(row: Job) -> None:
    """Does what a worker does with a message about a job, which is the best of its queue."""
    with messages():
        tasks.work(row.QUEUE)


@contextmanager
def messages() -> Iterator[list[str]]:
    """Collects the queues to which this thread sends messages; no worker reads them."""
    _here.queues = []
    try:
        yield _here.queues
    finally:
        del _here.queues


def _send(*jobs: Any) -> None:
    if hasattr(_here, "queues"):
        _here.queues.extend(job.QUEUE for job in jobs)
    else:
        really_send(*jobs)


def claim_elsewhere(kind: Any, *, silent: bool = False, **columns: Any) -> None:
    """Lets another worker claim all jobs of a kind; `silent`: its last heartbeat is an hour old."""
    now = timezone.now() - (LONG_AGO if silent else timedelta(0))
    told = {"claimed_by": "another one", "started_at": now, "heartbeat_at": now}
    kind.objects.update(status=kind.WORKING, **told, **columns)


def silence(kind: Any) -> None:
    """Sets the last heartbeat of all claimed jobs of a kind to an hour ago."""
    kind.objects.filter(status=kind.WORKING).update(heartbeat_at=timezone.now() - LONG_AGO)


def age(kind: Any) -> None:
    """Sets the request of all jobs of a kind to an hour ago."""
    kind.objects.update(requested_at=timezone.now() - LONG_AGO, queued_at=timezone.now() - LONG_AGO)


def sweep(queue: str = "general") -> None:
    """Runs one sweep; one worker receives its message, and those that follow from it."""
    with messages() as waiting:
        tasks.sweep(queue)
        while waiting:
            tasks.work(waiting.pop())
