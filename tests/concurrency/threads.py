"""Real threads that start at one moment, each with its own database connection."""

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from django.db import connection, transaction


def at_once(jobs: Sequence[Callable[[], Any]]) -> list[Any]:
    """Runs every job in its own thread; returns results in order, an exception as itself."""
    barrier = threading.Barrier(len(jobs))
    results: list[Any] = [None] * len(jobs)

    def run(index: int, job: Callable[[], Any]) -> None:
        try:
            barrier.wait(timeout=120)
            results[index] = job()
        except Exception as error:
            results[index] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(index, job)) for index, job in enumerate(jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
    assert not any(thread.is_alive() for thread in threads), "a thread hangs: a deadlock?"
    return results


class Beside(threading.Thread):
    """A job that runs in a thread and database connection of its own while the test holds locks.

    with transaction.atomic():
        ...  # takes locks
        other = Beside(job)
        other.goes_as_far_as_it_can()
    result = other.result()  # an exception as itself
    """

    def __init__(self, job: Callable[[], Any]) -> None:
        super().__init__(daemon=True)
        self._job, self._backend = job, 0
        self._outcome: Any = None
        self.start()

    def run(self) -> None:
        try:
            connection.ensure_connection()
            self._backend = connection.connection.info.backend_pid
            self._outcome = self._job()
        except Exception as error:
            self._outcome = error
        finally:
            connection.close()

    def goes_as_far_as_it_can(self) -> bool:
        """Waits until the job waits for a lock (True) or is over (False)."""
        until = time.monotonic() + 120
        while self.is_alive():
            assert time.monotonic() < until, "neither over nor waiting for a lock"
            with connection.cursor() as cursor:
                # Not pg_stat_activity, which does not change inside a transaction.
                cursor.execute("SELECT 1 FROM pg_locks WHERE pid = %s AND NOT granted", [self._backend])
                if cursor.fetchone():
                    return True
            time.sleep(0.01)
        return False

    def result(self) -> Any:
        self.join(timeout=120)
        assert not self.is_alive(), "a thread hangs: a deadlock?"
        return self._outcome


def crossing(first: Callable[[], Any], second: Callable[[], Any]) -> tuple[bool, Any]:
    """Begins `second` before `first` commits; returns (whether it waited, what it came to)."""
    with transaction.atomic():
        first()
        other = Beside(second)
        waited = other.goes_as_far_as_it_can()
    return waited, other.result()
