"""Is every part alive? The page /health/ and the command `doctor` ask the same questions.

The answers name parts and figures, never an address, a password or a path: the page is public.
"""

import logging
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation_site.celery import app
from modeling.models import TrainingRun
from modeling.queues import working
from snapshots.models import Snapshot

QUEUES = ("general", "training")
LEAST_FREE_BYTES = 200 * 1024**2
LITTLE_FREE_BYTES = 2 * 1024**3

OK, ATTENTION, DOWN = "ok", "attention", "down"
logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Part:
    """One part of the installation. `state` is ok, attention (work goes on, look at it) or down."""

    name: str
    state: str
    says: str
    figures: dict[str, object] = field(default_factory=dict)


def web() -> Part:
    return Part("web", OK, "The web server answers.")


def database() -> Part:
    try:
        executor = MigrationExecutor(connection)
        waiting = len(executor.migration_plan(executor.loader.graph.leaf_nodes()))
    except DatabaseError as error:
        logger.error("The database does not answer: %s", " ".join(str(error).split()))
        return Part("database", DOWN, "The database does not answer. Its server's log and ours say why.")
    figures: dict[str, object] = {"vendor": connection.vendor, "migrations_waiting": waiting}
    if waiting:
        return Part(
            "database", DOWN, f"{waiting} migrations are not applied: run `manage.py migrate`.", figures
        )
    return Part("database", OK, f"{connection.display_name} answers.", figures)


def broker() -> Part:
    kind = settings.CELERY_BROKER_URL.partition(":")[0]
    try:
        with app.connection_for_write() as link:
            link.ensure_connection(max_retries=1, timeout=2)
            # The file-system transport connects to nothing; a channel looks at its folders.
            link.channel().close()
    except Exception as error:  # each transport raises its own; whatever it is, no job can be sent
        logger.error("The broker does not answer: %s", error)
        return Part("broker", DOWN, "The broker does not answer: no job can be started.", {"kind": kind})
    return Part("broker", OK, "The broker answers.", {"kind": kind})


def workers() -> Part:
    try:
        by_queue = {queue: len(working(queue)) for queue in QUEUES}
    except DatabaseError:
        return Part("workers", DOWN, "Unknown while the database does not answer.")
    idle = [queue for queue, count in by_queue.items() if not count]
    if idle:
        says = f"Nobody works the queue {' nor the queue '.join(idle)}: start a Celery worker for it."
        return Part("workers", ATTENTION, says, dict(by_queue))
    return Part("workers", OK, "Every queue has a worker.", dict(by_queue))


def jobs() -> Part:
    now = timezone.now()
    try:
        oldest = {
            "general": Snapshot.objects.filter(status="requested").order_by("requested_at").first(),
            "training": TrainingRun.objects.filter(status="queued").order_by("requested_at").first(),
        }
    except DatabaseError:
        return Part("jobs", DOWN, "Unknown while the database does not answer.")
    waits = {queue: _seconds(now, job.requested_at) for queue, job in oldest.items() if job is not None}
    if not waits:
        return Part("jobs", OK, "No job waits.", {"oldest_waiting_seconds": {}})
    says = "The oldest waiting job: " + ", ".join(f"{queue} {wait} s" for queue, wait in waits.items()) + "."
    return Part("jobs", OK, says, {"oldest_waiting_seconds": waits})


def disk() -> Part:
    folder: Path = settings.VAR
    while not folder.exists():
        folder = folder.parent
    free = shutil.disk_usage(folder).free
    figures: dict[str, object] = {"free_bytes": free}
    if free < LEAST_FREE_BYTES:
        return Part("disk", DOWN, f"Only {free / 1024**2:.0f} MB are free: make room now.", figures)
    state = ATTENTION if free < LITTLE_FREE_BYTES else OK
    return Part("disk", state, f"{free / 1024**3:.1f} GB are free.", figures)


PARTS: tuple[Callable[[], Part], ...] = (web, database, broker, workers, jobs, disk)


def all_parts() -> list[Part]:
    """Asks every part. A part that does not answer makes a `Part` that says so, never an exception."""
    return [ask() for ask in PARTS]


def worst(parts: list[Part]) -> str:
    return max((part.state for part in parts), key=(OK, ATTENTION, DOWN).index)


@never_cache
@require_safe
def health(request: HttpRequest) -> JsonResponse:
    """200 while people can work, 503 when a part that the site needs is down."""
    parts = all_parts()
    state = worst(parts)
    content = {
        "status": state,
        "parts": {part.name: {"state": part.state, "says": part.says, **part.figures} for part in parts},
    }
    return JsonResponse(content, status=503 if state == DOWN else 200)


def _seconds(now: datetime, since: datetime) -> int:
    return max(0, round((now - since).total_seconds()))
