"""Files of lines cut into portions, several of them worked on at once, the results in the order of the file.

Standard library only. Memory holds a portion and its result a process, however long the file.
"""

import gc
import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, TypeVar

PORTION = 4 << 20  # bytes
MOST_PROCESSES = 8
Work = TypeVar("Work")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Portion:
    """The lines of a file that begin at the bytes from `start` up to, not including, `stop`."""

    path: Path
    start: int
    stop: int

    def lines(self) -> Iterator[bytes]:
        """Each line with its line break; the last of a file may have none. Raises OSError."""
        with self.path.open("rb") as stream:
            at = self.start
            if at:
                stream.seek(at - 1)  # a line that begins at `start` itself is ours
                at += len(stream.readline()) - 1
            while at < self.stop and (data := stream.readline()):
                at += len(data)
                yield data


def portions_of(path: Path) -> list[Portion]:
    """The whole file in portions of about PORTION bytes; none of an empty file. Raises OSError."""
    size = path.stat().st_size
    return [Portion(path, start, min(start + PORTION, size)) for start in range(0, size, PORTION)]


def in_order(work: Callable[[Work], Result], items: Sequence[Work]) -> Iterator[Result]:
    """`work` of each item, in order, by as many processes as there are cores; what it raises is raised here.

    Each process has every n-th item and waits until its result is taken, so that nobody runs ahead. They are forked:
    `work` may be a closure, and must leave the database alone. Where processes may have no children (Celery's),
    or cannot fork, the work is done here. Raises RuntimeError if one of them dies.
    """
    number = min(len(items), _cores(), MOST_PROCESSES)
    if number < 2 or multiprocessing.current_process().daemon or not hasattr(os, "fork"):
        yield from map(work, items)
        return
    fork = multiprocessing.get_context("fork")
    started = []
    try:
        for first in range(number):
            ours, theirs = fork.Pipe(duplex=False)
            process = fork.Process(target=_serve, args=(work, items[first::number], theirs), daemon=True)
            process.start()
            theirs.close()
            started.append((process, ours))
        for index in range(len(items)):
            yield _taken(started[index % number][1])
    finally:
        for process, ours in started:
            process.terminate()
            process.join()
            ours.close()


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _serve(work: Callable[[Work], Result], items: Sequence[Work], results: Connection) -> None:
    """What a process does. Ctrl-C is the parent's to answer; without a parent the pipe breaks, and it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    gc.disable()  # it would look through ten thousand parsed lines again and again, which are trees, never cycles
    for item in items:
        try:
            results.send((work(item), None))
        except BrokenPipeError:
            return
        except Exception as error:
            results.send((None, error))
            return


def _taken(results: Connection) -> Any:
    try:
        result, error = results.recv()
    except EOFError:
        raise RuntimeError("a process that read a part of the files was killed: is memory short?") from None
    if error is not None:
        raise error
    return result
