"""Workers and their heartbeats: which queues have a worker."""

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from django.utils import timezone

from modeling.models import TrainingRun, Worker

# A heartbeat comes every few seconds. Half a minute without one is more than a busy machine explains.
GONE_AFTER = timedelta(seconds=30)


def working(queue: str) -> list[Worker]:
    """Returns the workers of `queue` with a heartbeat in the last 30 seconds."""
    alive = Worker.objects.alive_since(timezone.now() - GONE_AFTER).order_by("name")
    return [worker for worker in alive if _works(worker, queue)]


def last_seen(queue: str) -> Worker | None:
    """Returns the worker of `queue` with the newest heartbeat, however old."""
    return next((worker for worker in Worker.objects.order_by("-seen_at") if _works(worker, queue)), None)


def of_training() -> dict[str, Any]:
    """Returns what pages show of the training queue: its workers, and the one with the newest heartbeat."""
    queue = TrainingRun.QUEUE
    return {"workers": working(queue), "last_worker": last_seen(queue)}


def _works(worker: Worker, queue: str) -> bool:
    return queue in worker.queues.split(",")


FORGET_WORKERS_AFTER = timedelta(days=30)


def worker_seen(*, name: str, queues: str | Iterable[str]) -> None:
    """Writes the heartbeat of a worker, in one statement: two at the same time do not conflict."""
    now = timezone.now()
    listed = queues if isinstance(queues, str) else ",".join(queues)
    Worker.objects.bulk_create(
        [Worker(name=name[:200], queues=listed[:200], started_at=now, seen_at=now)],
        update_conflicts=True,
        unique_fields=["name"],
        update_fields=["queues", "seen_at"],
    )


def forget_workers() -> int:
    """Deletes workers without a heartbeat for a month. Returns how many."""
    gone, _ = Worker.objects.filter(seen_at__lt=timezone.now() - FORGET_WORKERS_AFTER).delete()
    return gone
