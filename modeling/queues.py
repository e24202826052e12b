"""Is anybody working a queue: read from the signs of life that workers leave in the database."""

from datetime import timedelta

from django.utils import timezone

from modeling.models import Worker

# A sign comes every few seconds; half a minute without one is more than a busy machine.
GONE_AFTER = timedelta(seconds=30)


def working(queue: str) -> list[Worker]:
    """The workers of `queue` that were seen in the last 30 seconds."""
    alive = Worker.objects.alive_since(timezone.now() - GONE_AFTER).order_by("name")
    return [worker for worker in alive if _works(worker, queue)]


def last_seen(queue: str) -> Worker | None:
    """The worker of `queue` that was seen last, however long ago."""
    return next((worker for worker in Worker.objects.order_by("-seen_at") if _works(worker, queue)), None)


def _works(worker: Worker, queue: str) -> bool:
    return queue in worker.queues.split(",")
