"""The Celery application, with the heartbeats of its workers and of its clock (beat)."""

import logging
import os
import threading
from pathlib import Path
from typing import Any

from celery import Celery
from celery.signals import (
    beat_embedded_init,
    beat_init,
    celeryd_init,
    worker_ready,
    worker_shutting_down,
)

from annotation_site.broker import install, remove_abandoned_parts

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotation_site.settings")

install()
app = Celery("annotation_site")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()

SECONDS_BETWEEN_HEARTBEATS = 5.0
logger = logging.getLogger(__name__)
_stop = threading.Event()


def write_heartbeats(name: str, queues: list[str], stop: threading.Event) -> None:
    """Writes every few seconds that worker `name` serves `queues`, until `stop` is set.

    The connection is closed each time: pool processes are forked from this one, and a connection that two
    processes share breaks in both.
    """
    from django.db import DatabaseError, connection

    from modeling.workers import worker_seen

    while not stop.is_set():
        try:
            worker_seen(name=name, queues=queues)
        except DatabaseError as error:
            logger.warning("This worker's heartbeat could not be written: %s", error)
        finally:
            connection.close()
        stop.wait(SECONDS_BETWEEN_HEARTBEATS)


@celeryd_init.connect
@beat_init.connect
def keep_files_private(**_: object) -> None:
    """Makes runs, logs and a SQLite database readable by their owner alone."""
    os.umask(0o077)


@worker_ready.connect
def start_heartbeats(sender: Any, **_: object) -> None:
    queues = sorted(sender.app.amqp.queues.consume_from)
    _stop.clear()
    threading.Thread(
        target=write_heartbeats, args=(sender.hostname, queues, _stop), name="heartbeats", daemon=True
    ).start()


@worker_ready.connect
def clear_up(**_: object) -> None:
    """Deletes what earlier workers left behind."""
    from jobs.tasks import in_a_thread
    from modeling.reports.caches import sweep_caches
    from modeling.workers import forget_workers

    folder = app.conf.broker_transport_options.get("data_folder_out")
    if folder:
        remove_abandoned_parts(Path(folder))
    in_a_thread(forget_workers)
    in_a_thread(sweep_caches)


@beat_init.connect
@beat_embedded_init.connect
def forget_the_future(sender: Any, **_: object) -> None:
    """Corrects times of the schedule that lie in the future, as after the machine's clock was set back.

    Without this, beat would send nothing until those times.
    """
    now = app.now()
    for entry in sender.scheduler.schedule.values():
        if entry.last_run_at is not None and entry.last_run_at > now:
            entry.last_run_at = now


@worker_shutting_down.connect
def stop_heartbeats(**_: object) -> None:
    _stop.set()
