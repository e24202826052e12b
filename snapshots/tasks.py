"""Freezing outside the request. The row is the job: a lost message loses nothing."""

import logging
from datetime import timedelta

from celery import shared_task
from django.utils import timezone
from kombu.exceptions import OperationalError

from snapshots.actions import STALE_AFTER, FreezeInProgress, freeze_snapshot
from snapshots.models import Snapshot
from snapshots.planning import SnapshotError

logger = logging.getLogger(__name__)
# A request that nobody took up for so long has lost its message.
MESSAGE_LOST_AFTER = timedelta(seconds=30)


@shared_task
def freeze(snapshot_id: int) -> None:
    """Carries one freeze out; does nothing where it is done, gone, or in other hands."""
    if not Snapshot.objects.under_way().filter(pk=snapshot_id).exists():
        return
    try:
        freeze_snapshot(snapshot_id=snapshot_id)
    except (Snapshot.DoesNotExist, FreezeInProgress):
        return  # somebody else was faster
    except SnapshotError as error:
        logger.warning("Snapshot %s: %s", snapshot_id, error)  # the row says it too


@shared_task
def sweep_freezes() -> None:
    """Takes up freezes whose message or worker was lost."""
    now = timezone.now()
    waiting = Snapshot.objects.takeable(now - STALE_AFTER).filter(requested_at__lt=now - MESSAGE_LOST_AFTER)
    for snapshot_id in waiting.values_list("pk", flat=True):
        freeze(snapshot_id)


def enqueue(snapshot_id: int) -> None:
    """Sends the message after commit. Without a broker the sweep finds the row later."""
    try:
        freeze.delay_on_commit(snapshot_id)
    except OperationalError as error:
        logger.warning("No broker (%s): the sweep will take snapshot %s up.", error, snapshot_id)
