"""Counting outside the request. The row is the request: a lost message loses nothing."""

import logging
from datetime import timedelta

from celery import shared_task
from django.utils import timezone
from kombu.exceptions import OperationalError

from validation import measuring
from validation.models import Figures

logger = logging.getLogger(__name__)
# A request that nobody took up for so long has lost its message.
MESSAGE_LOST_AFTER = timedelta(seconds=30)


@shared_task
def count_figures(figures_id: int) -> None:
    """Carries one request out; does nothing where it is done, gone, or in other hands."""
    measuring.count_figures(figures_id=figures_id)


@shared_task
def sweep_figures() -> None:
    """Takes up requests whose message or worker was lost, and counts what the dashboard shows but does not count."""
    now = timezone.now()
    waiting = measuring.takeable(now).filter(requested_at__lt=now - MESSAGE_LOST_AFTER)
    for figures_id in waiting.values_list("pk", flat=True):
        measuring.count_figures(figures_id=figures_id)
    for kind, old in (
        (measuring.Kind.AGREEMENT, measuring.old_glances),
        (measuring.Kind.ANNOTATORS, measuring.old_flags),
    ):
        for question in old(now):
            row = measuring.request_figures(question=question, kind=kind)
            measuring.count_figures(figures_id=row.pk)


def enqueue_figures(row: Figures) -> None:
    """Sends the message after commit. Without a broker the sweep finds the row later."""
    try:
        count_figures.delay_on_commit(row.pk)
    except OperationalError as error:
        logger.warning("No broker (%s): the sweep will take figures %s up.", error, row.pk)
