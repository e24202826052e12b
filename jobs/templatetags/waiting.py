"""`{{ job|when_it_begins }}`: when a job that waits begins, or that no worker is there to begin it."""

from datetime import timedelta
from math import ceil

from django import template
from django.db.models import BooleanField, Case, IntegerField, Value, When
from django.utils import timezone

from jobs.models import Job
from jobs.querysets import stale_before
from jobs.tasks import kinds

register = template.Library()
ENOUGH = 0.05  # the share of a job that must be done before its end is told


@register.filter
def when_it_begins(job: Job) -> str:
    """Returns a sentence about a job that waits, read from the jobs of its queue; empty for others."""
    if job.status != job.WAITING:  # type: ignore[attr-defined]
        return ""
    now, busy, before = timezone.now(), [], 0
    first, *others = [
        kind.objects.under_way()
        .order_by()
        .annotate(
            priority=Value(kind.PRIORITY, IntegerField()),
            works=Case(When(status=kind.WORKING, then=True), default=False, output_field=BooleanField()),
        )
        .values_list("works", "heartbeat_at", "started_at", "share", "priority", "requested_at")
        for kind in kinds(job.QUEUE)
    ]
    for works, beat, started, share, *place in first.union(*others, all=True) if others else first:
        if not works:
            before += place < [job.PRIORITY, job.requested_at]
        elif beat >= stale_before():
            busy.append((now - started) * (1 - share) / share if share > ENOUGH else None)
    if busy and before:
        many = "1 job waits" if before == 1 else f"{before:,} jobs wait"
        return f"A worker is at work on another job, and {many} before this one."
    if busy:
        known = [rest for rest in busy if rest is not None]
        minutes = ceil(min(known) / timedelta(minutes=1)) if known else 0
        when = f", in about {minutes} minute{'' if minutes == 1 else 's'}" if minutes else ""
        return f"A worker is at work on another job. This one is next{when}."
    if not job.waits_in_vain:
        return "A worker begins within a minute."
    return (
        f"No worker has claimed it: none works for the queue {job.QUEUE}. Ask the operator to start one"
        f" (celery -A annotation_site worker -Q {job.QUEUE} --beat). It then begins by itself."
    )
