"""Real threads, each with its own database connection, all let go at one moment."""

import threading
from collections.abc import Callable, Sequence
from typing import Any

from django.db import connection


def at_once(jobs: Sequence[Callable[[], Any]]) -> list[Any]:
    """Runs every job in its own thread; returns results in order, an exception as itself."""
    barrier = threading.Barrier(len(jobs))
    results: list[Any] = [None] * len(jobs)

    def run(index: int, job: Callable[[], Any]) -> None:
        try:
            barrier.wait(timeout=30)
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
