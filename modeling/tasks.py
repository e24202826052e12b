"""Stops the runs of a worker that shuts down, so that another worker continues them."""

import threading
from typing import Any

from celery.signals import worker_shutting_down
from django.db import connection

from modeling.running import runner


@worker_shutting_down.connect
def pause_runs(sender: Any, **_: object) -> None:
    """Asks the programs of this worker to write a checkpoint and end: a shutdown must not wait for hours of training.

    In a thread, because a signal handler runs while the database connection may be in use.
    """
    threading.Thread(target=_pause, args=(str(sender),), name="pause runs").start()


def _pause(worker: str) -> None:
    try:
        runner.pause_runs_of(worker)
    finally:
        connection.close()
