"""Real processes that start at one moment: they show races that threads of one process, which share a lock, may hide."""

import multiprocessing
from collections.abc import Callable, Sequence
from typing import Any

from django.db import connections

from tests.concurrency.draining import forget_connections


def in_processes(jobs: Sequence[Callable[[], Any]]) -> list[Any]:
    """Runs every job in a process of its own; returns the results in order. Results must be picklable."""
    fork = multiprocessing.get_context("fork")
    barrier, results = fork.Barrier(len(jobs)), fork.Queue()
    connections.close_all()  # a connection must not be shared with a child

    def run(index: int, job: Callable[[], Any]) -> None:
        forget_connections()
        try:
            barrier.wait(timeout=120)
            results.put((index, job()))
        except Exception as error:
            results.put((index, repr(error)))
        finally:
            connections.close_all()

    workers = [fork.Process(target=run, args=(index, job)) for index, job in enumerate(jobs)]
    for worker in workers:
        worker.start()
    try:
        found = dict(results.get(timeout=120) for _ in jobs)
        for worker in workers:
            worker.join(timeout=120)
    finally:
        for worker in workers:
            worker.kill()
    return [found[index] for index in range(len(jobs))]
