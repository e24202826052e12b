"""Retries transactions that PostgreSQL aborted for a deadlock or a serialization failure."""

import logging
import time
from collections.abc import Callable
from functools import wraps
from random import random
from typing import ParamSpec, TypeVar

from django.db import OperationalError, connection, transaction
from django.db.models import Model

logger = logging.getLogger(__name__)
TRIES = 4
LONGEST_PAUSE = 0.1  # seconds, at random, so that two transactions do not collide again
# Serialization failure, deadlock: nothing was written, and a retry may succeed.
RETRYABLE = frozenset({"40001", "40P01"})

Given = ParamSpec("Given")
Result = TypeVar("Result")


def one_transaction(action: Callable[Given, Result]) -> Callable[Given, Result]:
    """Makes an action one transaction that is retried after a deadlock or a serialization failure.

    The action must change nothing outside the database. Inside another transaction it is not retried, because
    PostgreSQL has aborted the outer one as well.
    """

    @wraps(action)
    def run(*args: Given.args, **kwargs: Given.kwargs) -> Result:
        tries = 1 if connection.in_atomic_block else TRIES
        for _ in range(tries - 1):
            try:
                with transaction.atomic():
                    return action(*args, **kwargs)
            except OperationalError as error:
                if getattr(error.__cause__, "pgcode", None) not in RETRYABLE:
                    raise
                logger.warning("%s is retried: %s", action.__name__, error)
            time.sleep(random() * LONGEST_PAUSE)
        with transaction.atomic():
            return action(*args, **kwargs)

    return run


def hold_back(*models: type[Model]) -> None:
    """Waits for the transactions that have written to these tables, and lets others write when this one is over.

    For rows that nobody can lock, since they are not there yet. SQLite has one writer.
    """
    if connection.vendor == "postgresql":
        tables = ", ".join(model._meta.db_table for model in models)
        with connection.cursor() as cursor:
            cursor.execute(f"LOCK TABLE {tables} IN SHARE MODE")
