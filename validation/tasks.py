"""Pays bonuses that are due, and recomputes the cached statistics that the workspace shows."""

from functools import partial

from celery import shared_task
from django.utils import timezone

from jobs.tasks import FewMessages, enqueue
from validation.models import CachedStatistics
from validation.quality_control import fooled_models
from validation.statistics import cached


@shared_task(base=FewMessages)
def pay_bonuses() -> None:
    """Pays for sentences that misled a model, once two people upheld them."""
    fooled_models.pay_bonuses()


@shared_task(base=FewMessages)
def refresh_statistics() -> None:
    """Asks a worker to recompute the stale statistics of the workspace, and all of another version."""
    for row in cached.outdated():
        enqueue(cached.request_statistics(question=row.question, kind=row.kind, by=row.by))
    now = timezone.now()
    for kind, old in (
        (cached.Kind.AGREEMENT, cached.stale_agreement),
        (cached.Kind.ANNOTATORS, cached.stale_annotators),
        (cached.Kind.OVERVIEW, cached.stale_overviews),
        (cached.Kind.PAIRS, partial(cached.stale_overviews, kind=cached.Kind.PAIRS)),
        (cached.Kind.WAGES, partial(cached.stale_overviews, kind=cached.Kind.WAGES)),
        (cached.Kind.FINISHED, partial(cached.stale_overviews, kind=cached.Kind.FINISHED)),
    ):
        for question in old(now):
            if not CachedStatistics.objects.under_way().filter(question=question, kind=kind, by="").exists():
                enqueue(cached.request_statistics(question=question, kind=kind))
    for question, what, by in cached.missing_this_week(now):
        enqueue(cached.request_statistics(question=question, kind=what, by=by))
    for question in cached.missing_tonight(now):
        enqueue(cached.request_statistics(question=question, kind=cached.Kind.ALARM))
