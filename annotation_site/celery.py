"""The Celery application, and the sign of life that every worker gives."""

import logging
import os
import threading
from typing import Any

from celery import Celery
from celery.signals import worker_ready, worker_shutting_down

from annotation_site.broker import install

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

    from modeling.actions import worker_seen

    while not stop.is_set():
        try:
            worker_seen(name=name, queues=queues)
        except DatabaseError as error:
            logger.warning("This worker's sign of life could not be written: %s", error)
        finally:
            connection.close()
        stop.wait(SECONDS_BETWEEN_SIGNS)


@worker_ready.connect
def begin_signs_of_life(sender: Any, **_: object) -> None:
    queues = sorted(sender.app.amqp.queues.consume_from)
    _stop.clear()
    threading.Thread(
        target=give_signs_of_life, args=(sender.hostname, queues, _stop), name="signs of life", daemon=True
    ).start()


@worker_shutting_down.connect
def end_signs_of_life(**_: object) -> None:
    _stop.set()
