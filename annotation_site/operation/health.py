"""Checks every part of the installation, for the page /health/ and the command `doctor`.

Results contain no addresses, passwords or paths, because the page is public.
"""

import logging
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.core import checks
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.db.models import Min
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Metric, generate_latest
from prometheus_client.metrics_core import GaugeMetricFamily
from prometheus_client.registry import Collector

from accounts.pages.access import polled
from annotation_site.celery import app
from jobs.models import Clock
from jobs.tasks import kinds
from modeling.workers import working

QUEUES = ("general", "training")
LEAST_FREE_BYTES = 200 * 1024**2
LITTLE_FREE_BYTES = 2 * 1024**3
CLOCK_SILENT_AFTER = timedelta(minutes=2)  # beat sends a sweep every 15 seconds
WAITS_TOO_LONG = timedelta(minutes=5)
# Without one of these nobody can work. Without a broker, only jobs wait.
NEEDED = ("web", "database", "disk")

OK, ATTENTION, DOWN = "ok", "attention", "down"
ORDER = (OK, ATTENTION, DOWN).index
logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Part:
    """The state of one part of the installation: ok, attention (people can work, but look at it) or down."""

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
        return Part("database", DOWN, "The database does not answer. See its log and the site's log.")
    figures: dict[str, object] = {"vendor": connection.vendor, "migrations_waiting": waiting}
    if waiting:
        other = checks.run_checks(tags=[checks.Tags.database], databases=[connection.alias])
        says = " ".join(f"{message.msg} {message.hint or ''}" for message in other if message.is_serious())
        says = says or f"{waiting} migrations are not applied: run `manage.py migrate`."
        return Part("database", DOWN, says, figures)
    return Part("database", OK, f"{connection.display_name} answers.", figures)


def broker() -> Part:
    kind = settings.CELERY_BROKER_URL.partition(":")[0]
    try:
        with app.connection_for_write() as link:
            link.ensure_connection(max_retries=1, timeout=2)
            # The file-system transport has no connection; opening a channel checks its folders.
            link.channel().close()
    except Exception as error:  # each transport raises its own errors; after any of them no job can be sent
        logger.error("The broker does not answer: %s", error)
        says = "The broker does not answer, so no job can start. People can work."
        return Part("broker", DOWN, says, {"kind": kind})
    return Part("broker", OK, "The broker answers.", {"kind": kind})


def workers() -> Part:
    try:
        by_queue = {queue: len(working(queue)) for queue in QUEUES}
    except DatabaseError:
        return Part("workers", DOWN, "Unknown, because the database does not answer.")
    idle = [queue for queue, count in by_queue.items() if not count]
    if idle:
        says = f"No worker serves the queue {' or the queue '.join(idle)}. Start a Celery worker for it."
        return Part("workers", ATTENTION, says, dict(by_queue))
    return Part("workers", OK, "Every queue has a worker.", dict(by_queue))


def clock() -> Part:
    try:
        seen = Clock.objects.first()
    except DatabaseError:
        return Part("clock", DOWN, "Unknown, because the database does not answer.")
    if seen is None:
        says = "The clock has never run. Start Celery beat: without it, lost jobs wait for ever."
        return Part("clock", ATTENTION, says, {"seconds_silent": None})
    silent = _seconds(timezone.now(), seen.seen_at)
    figures: dict[str, object] = {"seconds_silent": silent}
    if silent > CLOCK_SILENT_AFTER.total_seconds():
        says = f"The clock's last heartbeat is {silent} s old. Start Celery beat again: without it, lost jobs wait for ever."
        return Part("clock", ATTENTION, says, figures)
    return Part("clock", OK, "The clock runs.", figures)


def jobs() -> Part:
    """Reports waiting jobs. Behind other jobs, a job may wait for hours; if a worker is free, it should not wait."""
    now = timezone.now()
    try:
        waits = {queue: wait for queue in QUEUES if (wait := _longest_wait(queue, now)) is not None}
        in_vain = [queue for queue in waits if _waits_in_vain(queue, waits[queue])]
        silent = [
            _seconds(now, beat)
            for kind in kinds()
            for beat in kind.objects.stale().values_list("heartbeat_at", flat=True)
        ]
    except DatabaseError:
        return Part("jobs", DOWN, "Unknown, because the database does not answer.")
    figures: dict[str, object] = {
        "oldest_waiting_seconds": waits,
        "stale": len(silent),
        "oldest_stale_seconds": max(silent, default=None),
    }
    says = "No job waits."
    if waits:
        says = (
            "The oldest waiting job: " + ", ".join(f"{queue} {wait} s" for queue, wait in waits.items()) + "."
        )
    if silent:
        says += (
            f" {len(silent)} claimed jobs have no heartbeat, the oldest for {max(silent)} s: their workers are gone. The "
            "next free worker takes them up first."
        )
    if in_vain:
        says += (
            f" The queue {' and the queue '.join(in_vain)} has a free worker that claims none of them: check the clock, the "
            "broker and the worker's log."
        )
    return Part("jobs", ATTENTION if in_vain or silent else OK, says, figures)


def _longest_wait(queue: str, now: datetime) -> int | None:
    """Returns for how many seconds the oldest waiting job of a queue has waited."""
    oldest = (kind.objects.waiting().aggregate(oldest=Min("queued_at"))["oldest"] for kind in kinds(queue))
    return max((_seconds(now, each) for each in oldest if each is not None), default=None)


def _waits_in_vain(queue: str, wait: int) -> bool:
    if wait <= WAITS_TOO_LONG.total_seconds() or not working(queue):
        return False
    return not any(kind.objects.alive().exists() for kind in kinds(queue))


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


PARTS: tuple[Callable[[], Part], ...] = (web, database, broker, workers, clock, jobs, disk)


def all_parts() -> list[Part]:
    """Checks every part. A part that does not respond results in a `Part` with that state, never in an exception."""
    return [ask() for ask in PARTS]


def worst(parts: list[Part]) -> str:
    return max((part.state for part in parts), key=ORDER)


def standing(parts: list[Part]) -> str:
    """Returns the state of the site for the people who use it: down only if a part that they need is down."""
    state = worst([part for part in parts if part.name in NEEDED])
    return max(state, min(worst(parts), ATTENTION, key=ORDER), key=ORDER)


@never_cache
@require_safe
@polled
def health(request: HttpRequest) -> HttpResponse:
    """Responds with 200 while people can work, and 503 if a part that the site needs is down.

    In a researcher's browser it is a page; everybody else, such as a monitor, gets JSON.
    """
    parts = all_parts()
    state = standing(parts)
    answer = _page(request, parts, state) if _wants_a_page(request, parts) else _json(parts, state)
    patch_vary_headers(answer, ["Accept", "Cookie"])
    return answer


@never_cache
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Returns the state and the figures of every part, as Prometheus reads them. Nothing is counted in a web process, so
    several of them say the same.
    """
    registry = CollectorRegistry()
    registry.register(_Parts(all_parts()))
    return HttpResponse(generate_latest(registry), CONTENT_TYPE_LATEST)


class _Parts(Collector):
    """Gauges of all parts: `quintet_part_state` (0 ok, 1 attention, 2 down) and `quintet_PART_FIGURE`."""

    def __init__(self, parts: list[Part]) -> None:
        self.parts = parts

    def collect(self) -> Iterator[Metric]:
        state = GaugeMetricFamily("quintet_part_state", "0 ok, 1 needs attention, 2 down", labels=["part"])
        for part in self.parts:
            state.add_metric([part.name], ORDER(part.state))
        yield state
        for part in self.parts:
            figures = {"by_queue": part.figures} if part.name == "workers" else part.figures
            for name, figure in figures.items():
                family = GaugeMetricFamily(
                    f"quintet_{part.name}_{name}", f"{part.name}: {name.replace('_', ' ')}", labels=["queue"]
                )
                for queue, value in (figure if isinstance(figure, dict) else {"": figure}).items():
                    if isinstance(value, int | float):
                        family.add_metric([queue], value)
                if family.samples:
                    yield family


def _wants_a_page(request: HttpRequest, parts: list[Part]) -> bool:
    """Returns whether to show a page instead of JSON: to researchers, if the database can tell who they are."""
    if "text/html" not in request.headers.get("Accept", ""):
        return False
    if any(part.name == "database" and part.state == DOWN for part in parts):
        return False
    return request.user.is_authenticated and request.user.is_researcher


def _page(request: HttpRequest, parts: list[Part], state: str) -> HttpResponse:
    context = {"parts": parts, "state": state, "is_fine": worst(parts) == OK}
    return render(request, "workspace/health.html", context, status=503 if state == DOWN else 200)


def _json(parts: list[Part], state: str) -> JsonResponse:
    content = {
        "status": state,
        "parts": {part.name: {"state": part.state, "says": part.says, **part.figures} for part in parts},
    }
    return JsonResponse(content, status=503 if state == DOWN else 200)


def _seconds(now: datetime, since: datetime) -> int:
    return max(0, round((now - since).total_seconds()))
