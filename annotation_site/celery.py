"""The Celery application, the heartbeat of every worker, and the sign of life of its clock (beat)."""

import logging
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from celery import Celery
from celery.signals import (
    after_task_publish,
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

SECONDS_BETWEEN_SIGNS = 5.0
logger = logging.getLogger(__name__)
_stop = threading.Event()


def give_signs_of_life(name: str, queues: list[str], stop: threading.Event) -> None:
    """Writes every few seconds that worker `name` works `queues`, until `stop` is set.

    The connection is closed each time: pool processes are forked from this one now and then, and a
    connection that two processes hold breaks in both.
    """
    from django.db import DatabaseError, connection

    from modeling.workers import worker_seen

    while not stop.is_set():
        try:
            worker_seen(name=name, queues=queues)
        except DatabaseError as error:
            logger.warning("This worker's sign of life could not be written: %s", error)
        finally:
            connection.close()
        stop.wait(SECONDS_BETWEEN_SIGNS)


@celeryd_init.connect
@beat_init.connect
def keep_files_private(**_: object) -> None:
    """Runs, logs and a SQLite database are nobody else's."""
    os.umask(0o077)


@worker_ready.connect
def begin_signs_of_life(sender: Any, **_: object) -> None:
    queues = sorted(sender.app.amqp.queues.consume_from)
    _stop.clear()
    threading.Thread(
        target=give_signs_of_life, args=(sender.hostname, queues, _stop), name="signs of life", daemon=True
    ).start()


@worker_ready.connect
def clear_up(**_: object) -> None:
    """Forgets what earlier workers left behind."""
    from modeling.workers import forget_workers

    folder = app.conf.broker_transport_options.get("data_folder_out")
    if folder:
        remove_abandoned_parts(Path(folder))
    _in_a_thread(forget_workers)


@beat_init.connect
@beat_embedded_init.connect
def forget_the_future(sender: Any, **_: object) -> None:
    """Makes what was last sent in the future due from now on: the machine's clock has been set back since.

    Without this, beat would send nothing until that moment has come again.
    """
    now = app.now()
    for entry in sender.scheduler.schedule.values():
        if entry.last_run_at is not None and entry.last_run_at > now:
            entry.last_run_at = now


@after_task_publish.connect(sender="jobs.tasks.sweep")
def note_the_clock(**_: object) -> None:
    """Beat alone sends sweeps: each one that is sent shows that it is alive and that its schedule is."""
    from jobs.tasks import clock_seen

    _in_a_thread(clock_seen)


def _in_a_thread(write: Callable[[], object]) -> None:
    """Calls `write` with a database connection of its own, not one that a fork may have shared."""

    def written() -> None:
        from django.db import DatabaseError, connection

        try:
            write()
        except DatabaseError as error:
            logger.warning("The database did not answer: %s", error)
        finally:
            connection.close()

    thread = threading.Thread(target=written, name="one write")
    thread.start()
    thread.join()


@worker_shutting_down.connect
def end_signs_of_life(**_: object) -> None:
    _stop.set()
