"""Training outside the request. The row is the job: a lost message or worker loses nothing."""

import logging
import threading
from typing import Any

from celery import Task, shared_task
from celery.signals import worker_shutting_down
from django.db import connection
from django.db.models import Q
from django.utils import timezone
from kombu.exceptions import OperationalError

from modeling import actions, runner
from modeling.models import TrainingRun

logger = logging.getLogger(__name__)
QUEUE = "training"


@shared_task(bind=True, acks_late=True, ignore_result=True, time_limit=None, soft_time_limit=None)
def train(self: Task, run_id: int) -> None:
    """Carries one run out; does nothing where it is over, stopped, or in other hands."""
    run = actions.claim_run(run_id=run_id, worker=self.request.hostname or "")
    if run is not None:
        ended = runner.carry_out(run)
        logger.info("Run %s: %s", run_id, ended.status)


@shared_task(ignore_result=True)
def sweep_runs() -> None:
    """Sends the messages of waiting and abandoned runs again.

    The clock's message waits behind those of the runs, and expires: it is carried out only where a worker has
    nothing older to do, so that what still waits then has lost its message. A message too many does no harm.
    """
    actions.forget_workers()
    takeable = TrainingRun.objects.takeable(timezone.now() - actions.STALE_AFTER)
    for run_id in takeable.order_by("id").values_list("pk", flat=True):
        train.delay(run_id)


def enqueue(run_id: int) -> None:
    """Sends the message after commit, of a sweep those of its children. Without a broker `sweep_runs` finds the
    rows later.
    """
    waiting = TrainingRun.objects.filter(Q(pk=run_id) | Q(parent=run_id), status=TrainingRun.Status.QUEUED)
    try:
        for pk in waiting.order_by("most", "seed").values_list("pk", flat=True):
            train.delay_on_commit(pk)
    except OperationalError as error:
        logger.warning("No broker (%s): run %s is taken up later.", error, run_id)


@worker_shutting_down.connect
def pause_runs(sender: Any, **_: object) -> None:
    """A worker that is asked to go would wait for hours of training; its runs go on elsewhere instead.

    In a thread: this is called from within a signal handler, where the database may be in use.
    """
    threading.Thread(target=_pause, args=(str(sender),), name="pause runs").start()


def _pause(worker: str) -> None:
    try:
        runner.pause_runs_of(worker)
    finally:
        connection.close()
