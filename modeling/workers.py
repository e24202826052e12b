"""Is anybody working a queue: read from the heartbeats that workers leave in the database."""

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from django.utils import timezone

from modeling.models import TrainingRun, Worker

# A sign comes every few seconds; half a minute without one is more than a busy machine.
GONE_AFTER = timedelta(seconds=30)


def working(queue: str) -> list[Worker]:
    """The workers of `queue` that were seen in the last 30 seconds."""
    alive = Worker.objects.alive_since(timezone.now() - GONE_AFTER).order_by("name")
    return [worker for worker in alive if _works(worker, queue)]


def last_seen(queue: str) -> Worker | None:
    """The worker of `queue` that was seen last, however long ago."""
    return next((worker for worker in Worker.objects.order_by("-seen_at") if _works(worker, queue)), None)


def of_training() -> dict[str, Any]:
    """What a page says about the queue of training runs: its workers, and the one that was seen last."""
    queue = TrainingRun.QUEUE
    return {"workers": working(queue), "last_worker": last_seen(queue)}


def _works(worker: Worker, queue: str) -> bool:
    return queue in worker.queues.split(",")


FORGET_WORKERS_AFTER = timedelta(days=30)


def worker_seen(*, name: str, queues: str | Iterable[str]) -> None:
    """A worker's sign of life. One statement: two of them at once do not meet."""
    now = timezone.now()
    listed = queues if isinstance(queues, str) else ",".join(queues)
    Worker.objects.bulk_create(
        [Worker(name=name[:200], queues=listed[:200], started_at=now, seen_at=now)],
        update_conflicts=True,
        unique_fields=["name"],
        update_fields=["queues", "seen_at"],
    )


def forget_workers() -> int:
    """Drops workers that have not been seen for a month; returns how many."""
    gone, _ = Worker.objects.filter(seen_at__lt=timezone.now() - FORGET_WORKERS_AFTER).delete()
    return gone
