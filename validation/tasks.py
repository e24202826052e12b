"""Counting what the dashboard shows but does not count itself."""

from celery import shared_task
from django.utils import timezone

from jobs.tasks import enqueue
from validation.models import Figures
from validation.statistics import cached


@shared_task
def refresh_figures() -> None:
    """Asks for the figures of the dashboard that are old by now."""
    now = timezone.now()
    for kind, old in (
        (cached.Kind.AGREEMENT, cached.old_glances),
        (cached.Kind.ANNOTATORS, cached.old_flags),
    ):
        for question in old(now):
            if not Figures.objects.under_way().filter(question=question, kind=kind, by="").exists():
                enqueue(cached.request_figures(question=question, kind=kind))
