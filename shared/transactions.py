"""Transactions that are begun again when PostgreSQL broke them off in favour of another one."""

import logging
import time
from collections.abc import Callable
from functools import wraps
from random import random
from typing import ParamSpec, TypeVar

from django.db import OperationalError, connection, transaction

logger = logging.getLogger(__name__)
TRIES = 4
LONGEST_PAUSE = 0.1  # seconds; drawn, so that two that met do not meet again
# Serialization failure, deadlock. Nothing was written, and the same may succeed now.
BROKEN_OFF = frozenset({"40001", "40P01"})

Given = ParamSpec("Given")
Result = TypeVar("Result")


def one_transaction(action: Callable[Given, Result]) -> Callable[Given, Result]:
    """Makes an action one transaction, which is done again after a deadlock or a serialization failure.

    The action keeps nothing outside the database. Called inside another transaction it is tried once: PostgreSQL has
    broken off the whole of that.
    """

    @wraps(action)
    def run(*args: Given.args, **kwargs: Given.kwargs) -> Result:
        tries = 1 if connection.in_atomic_block else TRIES
        for _ in range(tries - 1):
            try:
                with transaction.atomic():
                    return action(*args, **kwargs)
            except OperationalError as error:
                if getattr(error.__cause__, "pgcode", None) not in BROKEN_OFF:
                    raise
                logger.warning("%s is done again: %s", action.__name__, error)
            time.sleep(random() * LONGEST_PAUSE)
        with transaction.atomic():
            return action(*args, **kwargs)

    return run
