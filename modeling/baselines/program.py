"""Run a program: JSON lines on standard output, signals, exit codes, errors as sentences."""

import contextlib
import errno
import json
import os
import signal
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import TextIO

from modeling.baselines.errors import BaselineError, Stopped

DONE, FAILED, STOPPED = 0, 1, 3


class Stop:
    """Remember that the program was asked to end; loops check `requested` between two steps."""

    def __init__(self) -> None:
        self.requested = False

    def request(self, number: int = 0, frame: FrameType | None = None) -> None:
        """Asks the program to end. The arguments are those of a signal handler."""
        self.requested = True

    def listen(self) -> None:
        """Takes SIGTERM (from the worker) and SIGINT (from a person) as requests to end."""
        signal.signal(signal.SIGTERM, self.request)
        signal.signal(signal.SIGINT, self.request)


class Events:
    """Write events to `stream`, one JSON object on each line; after `copy_to` also to the run's progress.jsonl."""

    def __init__(self, stream: TextIO, stop: Stop) -> None:
        self._stream = stream
        self._stop = stop
        self._copy: TextIO | None = None

    def copy_to(self, path: Path) -> None:
        """Appends all later events to `path`, on a new line even if a kill left the last one incomplete."""
        torn = path.exists() and not path.read_bytes().endswith(b"\n")
        self._copy = path.open("a", encoding="utf-8")
        if torn:
            self._copy.write("\n")

    def emit(self, event: str, **fields: object) -> None:
        """Writes one event at once. If the reader is gone, ask the run to stop: nobody reads its events."""
        line = json.dumps({"event": event, **fields}, ensure_ascii=False, allow_nan=False) + "\n"
        try:
            self._stream.write(line)
            self._stream.flush()
        except BrokenPipeError:
            self._stop.request()
        if self._copy is not None:
            self._copy.write(line)
            self._copy.flush()

    def warn(self, message: str, **fields: object) -> None:
        """Writes a warning: `message` is a sentence for people, `fields` contain its numbers for programs."""
        self.emit("warning", message=message, **fields)

    def close(self) -> None:
        """Ends the copy in the run folder; later events go to the stream alone."""
        copy, self._copy = self._copy, None
        if copy is not None:
            # On a full disk, closing fails, too; the first error must be reported.
            with contextlib.suppress(OSError):
                copy.close()


class ErrorsOnly(Events):
    """Events of a process under torchrun that is not the first: it reports only its error, which may be the cause of all."""

    def emit(self, event: str, **fields: object) -> None:
        """Writes an error with the number of the process. The first process reports everything else."""
        if event == "error":
            super().emit(event, process=int(os.environ["RANK"]), **fields)


def run_program(work: Callable[[Events, Stop], None]) -> int:
    """Runs `work` and returns the exit code: 0 done, 3 stopped with a checkpoint, 1 failed.

    After any error, the last line on standard output is an event with a sentence. A traceback goes to standard error, and
    only for an unexpected error. Of several processes under torchrun only the first writes events; the others write
    their errors to standard error.
    """
    stop = Stop()
    stop.listen()
    is_first = os.environ.get("RANK", "0") == "0"
    return run_and_tell(work, Events(sys.stdout, stop) if is_first else ErrorsOnly(sys.stderr, stop), stop)


def run_and_tell(work: Callable[[Events, Stop], None], events: Events, stop: Stop) -> int:
    """Runs `work`, reports how it ended, and returns the exit code."""
    try:
        work(events, stop)
        return DONE
    except Stopped as stopped:
        events.close()
        events.emit("stopped", step=stopped.step)
        return STOPPED
    except Exception as error:
        events.close()
        events.emit("error", message=sentence_for(error))
        return FAILED
    finally:
        events.close()


def sentence_for(error: Exception) -> str:
    """Says in a sentence what went wrong and what to do."""
    if isinstance(error, BaselineError):
        return str(error)
    if is_disk_full(error):
        return (
            "The disk is full: free some space and start the same run again; "
            "it goes on from its last checkpoint."
        )
    if is_out_of_memory(error):
        return "The memory is full: end other programs or use a machine with more, and start again."
    if is_other_lost(error):
        return (
            "Another process of this run has ended. Its error says why: the first process writes it to standard output, "
            "the others to standard error. Correct that and start the same run again."
        )
    if type(error).__module__.startswith(("torch._dynamo", "torch._inductor")):
        return f"The network could not be compiled here ({first_line(error)}): set compile to false."
    if isinstance(error, ModuleNotFoundError):
        return f"The package {error.name} is missing: install the extra `train`."
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}. Correct the path or its permissions and start again."
    traceback.print_exception(error, file=sys.stderr)
    return (
        f"The program failed ({type(error).__name__}: {error}). "
        "Its traceback is on standard error; please report it."
    )


def is_disk_full(error: Exception) -> bool:
    """Returns whether the disk is full, by the error of Python or of the library that writes weights."""
    # Recognised by its name: the package is not loaded when a mistyped key is reported.
    return (isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)) or (
        type(error).__name__ == "SafetensorError"
        and any(f"os error {number})" in str(error) for number in (errno.ENOSPC, errno.EDQUOT))
    )


def first_line(error: Exception) -> str:
    """Returns the first line of the error; compilers write pages."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def is_out_of_memory(error: Exception) -> bool:
    """Returns whether the memory is full, by any of the errors of Python and torch."""
    # torch raises a plain RuntimeError on the CPU, and its own class (not imported here: heavy) on a GPU.
    texts = ("can't allocate memory", "not enough memory", "out of memory")
    return isinstance(error, MemoryError) or (
        isinstance(error, RuntimeError) and any(text in str(error).lower() for text in texts)
    )


def is_other_lost(error: Exception) -> bool:
    """Returns whether another process under torchrun ended, by the errors of gloo and NCCL."""
    texts = ("closed by peer", "reset by peer", "broken pipe", "remote process exited")
    return isinstance(error, RuntimeError) and any(text in str(error).lower() for text in texts)
