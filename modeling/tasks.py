"""Pauses the runs of a worker that is asked to go."""

import threading
from typing import Any

from celery.signals import worker_shutting_down
from django.db import connection

from modeling.running import runner


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
