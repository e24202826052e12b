"""Workers: simulated ones on other machines, as rows of the database, and one that runs in the test."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from jobs import tasks
from jobs.models import Job

LONG_AGO = timedelta(hours=1)


def work(row: Job) -> None:
    """Does what a worker does with the message of a job."""
    tasks.work(type(row)._meta.label, row.pk)


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
    kind.objects.update(requested_at=timezone.now() - LONG_AGO)


def sweep(queue: str = "general") -> None:
    """Runs one sweep; a worker receives its messages at once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tasks, "SECOND_LOOK_AFTER", timedelta(0))
        patch.setattr(tasks, "send", lambda kind, pk: tasks.work(kind._meta.label, pk))
        tasks.sweep(queue)
