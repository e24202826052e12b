"""Read a file of lines in portions, in several processes, and return the results in the order of the file.

Standard library only. Each process holds one portion and its result, however long the file is.
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
    """The lines of a file whose first byte is at `start` or later and before `stop`."""

    path: Path
    start: int
    stop: int

    def lines(self) -> Iterator[bytes]:
        """Yields each line with its line break; the last line of a file may have none. Raises OSError."""
        with self.path.open("rb") as stream:
            at = self.start
            if at:
                stream.seek(at - 1)  # includes a line that begins at `start` itself
                at += len(stream.readline()) - 1
            while at < self.stop and (data := stream.readline()):
                at += len(data)
                yield data


def portions_of(path: Path) -> list[Portion]:
    """Cuts a file into portions of about PORTION bytes; an empty file has none. Raises OSError."""
    size = path.stat().st_size
    return [Portion(path, start, min(start + PORTION, size)) for start in range(0, size, PORTION)]


def in_order(work: Callable[[Work], Result], items: Sequence[Work]) -> Iterator[Result]:
    """Calls `work` for each item in as many processes as there are cores, and yields the results in order.

    Each of n processes handles every n-th item and waits until its result is read, so no process gets ahead.
    Processes are forked: `work` may be a closure and must not use the database. A process that may have no children
    (Celery's) or cannot fork does the work itself. Raises what `work` raises, and RuntimeError if a process dies.
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
            yield _received(started[index % number][1])
    finally:
        for process, ours in started:
            process.terminate()
            process.join()
            ours.close()


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _serve(work: Callable[[Work], Result], items: Sequence[Work], results: Connection) -> None:
    """Works on the items of one process.

    The parent handles Ctrl-C; if the parent dies, the pipe breaks and the process ends.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    gc.disable()  # it would scan ten thousand parsed lines again and again, and they hold no cycles
    for item in items:
        try:
            results.send((work(item), None))
        except BrokenPipeError:
            return
        except Exception as error:
            results.send((None, error))
            return


def _received(results: Connection) -> Any:
    try:
        result, error = results.recv()
    except EOFError:
        raise RuntimeError(
            "A process that read a part of the files was killed, perhaps because memory ran out."
            " Close other programs and try again."
        ) from None
    if error is not None:
        raise error
    return result
