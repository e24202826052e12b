"""Freezing and counting outside the request. The row is the job: a lost message loses nothing."""

import logging
from datetime import timedelta

from celery import shared_task
from django.utils import timezone
from kombu.exceptions import OperationalError

from snapshots import claims, exporting, measuring
from snapshots.actions import STALE_AFTER, FreezeInProgress, freeze_snapshot
from snapshots.models import Snapshot, SnapshotExport, SnapshotStatistics
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


@shared_task
def work_out_statistics(statistics_id: int) -> None:
    """Carries one request for statistics out; does nothing where it is done or in other hands."""
    if not SnapshotStatistics.objects.under_way().filter(pk=statistics_id).exists():
        return
    try:
        measuring.work_out_statistics(statistics_id=statistics_id)
    except measuring.StatisticsInProgress:
        return  # somebody else was faster
    except SnapshotError as error:
        logger.warning("Statistics %s: %s", statistics_id, error)  # the row says it too


@shared_task
def sweep_statistics() -> None:
    """Takes up statistics whose message or worker was lost."""
    now = timezone.now()
    waiting = SnapshotStatistics.objects.takeable(now - claims.STALE_AFTER).filter(
        requested_at__lt=now - MESSAGE_LOST_AFTER
    )
    for statistics_id in waiting.values_list("pk", flat=True):
        work_out_statistics(statistics_id)


def enqueue_statistics(statistics_id: int) -> None:
    """Sends the message after commit. Without a broker the sweep finds the row later."""
    try:
        work_out_statistics.delay_on_commit(statistics_id)
    except OperationalError as error:
        logger.warning("No broker (%s): the sweep will take statistics %s up.", error, statistics_id)


@shared_task
def make_export(export_id: int) -> None:
    """Makes the files of one export; does nothing where it is done, gone, or in other hands."""
    if not SnapshotExport.objects.under_way().filter(pk=export_id).exists():
        return
    try:
        exporting.carry_out_export(export_id=export_id)
    except (SnapshotExport.DoesNotExist, exporting.ExportInProgress):
        return  # somebody else was faster
    except SnapshotError as error:
        logger.warning("Export %s: %s", export_id, error)  # the row says it too


@shared_task
def sweep_exports() -> None:
    """Takes up exports whose message or worker was lost."""
    now = timezone.now()
    waiting = SnapshotExport.objects.takeable(now - exporting.STALE_AFTER).filter(
        requested_at__lt=now - MESSAGE_LOST_AFTER
    )
    for export_id in waiting.values_list("pk", flat=True):
        make_export(export_id)


def enqueue_export(export_id: int) -> None:
    """Sends the message after commit. Without a broker the sweep finds the row later."""
    try:
        make_export.delay_on_commit(export_id)
    except OperationalError as error:
        logger.warning("No broker (%s): the sweep will take export %s up.", error, export_id)
