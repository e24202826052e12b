"""What the programs share: JSON lines on standard output, signals, exit codes, errors told in sentences."""

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
    """Remembers that somebody asked the program to end; loops look at `requested` between two steps."""

    def __init__(self) -> None:
        self.requested = False

    def request(self, number: int = 0, frame: FrameType | None = None) -> None:
        """Asks for the end. Has the shape of a signal handler because it serves as one."""
        self.requested = True

    def listen(self) -> None:
        """Takes SIGTERM (the queue's worker ends) and SIGINT (a person does) as requests."""
        signal.signal(signal.SIGTERM, self.request)
        signal.signal(signal.SIGINT, self.request)


class Events:
    """Writes one JSON object a line to `stream`, and after `copy_to` also to the run's progress.jsonl."""

    def __init__(self, stream: TextIO, stop: Stop) -> None:
        self._stream = stream
        self._stop = stop
        self._copy: TextIO | None = None

    def copy_to(self, path: Path) -> None:
        """Appends all later events to `path`, on a fresh line even where a kill tore the last one."""
        torn = path.exists() and not path.read_bytes().endswith(b"\n")
        self._copy = path.open("a", encoding="utf-8")
        if torn:
            self._copy.write("\n")

    def emit(self, event: str, **fields: object) -> None:
        """Writes one event at once. Where the reader is gone, asks the run to stop: nobody hears it."""
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
        """A warning: `message` is a sentence for people, `fields` carry its numbers for programs."""
        self.emit("warning", message=message, **fields)

    def close(self) -> None:
        """Ends the copy in the run folder; later events go to the stream alone."""
        copy, self._copy = self._copy, None
        if copy is not None:
            # On a full disk closing fails too, and the error that led here is the one to tell.
            with contextlib.suppress(OSError):
                copy.close()


class ErrorsOnly(Events):
    """What a process tells that is not the first under torchrun: its error alone, for that may be the cause of all."""

    def emit(self, event: str, **fields: object) -> None:
        """Writes an error, with the process's number; of everything else the first process tells."""
        if event == "error":
            super().emit(event, process=int(os.environ["RANK"]), **fields)


def run_program(work: Callable[[Events, Stop], None]) -> int:
    """Runs `work` and answers the exit code: 0 done, 3 stopped with a checkpoint, 1 failed.

    Whatever goes wrong, the last line on standard output is an event with a sentence; a traceback goes to
    standard error only, and only for what nobody foresaw. Of several processes under torchrun the first one
    talks; the others tell what goes wrong with them on standard error.
    """
    stop = Stop()
    stop.listen()
    is_first = os.environ.get("RANK", "0") == "0"
    return run_and_tell(work, Events(sys.stdout, stop) if is_first else ErrorsOnly(sys.stderr, stop), stop)


def run_and_tell(work: Callable[[Events, Stop], None], events: Events, stop: Stop) -> int:
    """Runs `work`, tells how it ended, and answers the exit code."""
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
    """What to tell a person about `error`, and what they can do."""
    if isinstance(error, BaselineError):
        return str(error)
    if is_disk_full(error):
        return (
            "The disk is full: free some space and start the same run again; "
            "it goes on from its last checkpoint."
        )
    if is_out_of_memory(error):
        return "The memory is used up: end other programs or use a machine with more, and start again."
    if is_other_lost(error):
        return (
            "Another process of this run has ended, and its own error tells why: the first process writes it to "
            "standard output, the others to standard error. Mend that and start the same run again."
        )
    if type(error).__module__.startswith(("torch._dynamo", "torch._inductor")):
        return f"The network could not be compiled here ({first_line(error)}): set compile to false."
    if isinstance(error, ModuleNotFoundError):
        return f"The package {error.name} is missing: install the extra `train`."
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}. Mend the path or its permissions and start again."
    traceback.print_exception(error, file=sys.stderr)
    return (
        f"The program failed ({type(error).__name__}: {error}). "
        "Its traceback is on standard error; please report it."
    )


def is_disk_full(error: Exception) -> bool:
    """Is it the disk, as Python says it or as the writer of weights does?"""
    # Known by its name, for the package is not loaded where a mistyped key is answered.
    return (isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)) or (
        type(error).__name__ == "SafetensorError"
        and any(f"os error {number})" in str(error) for number in (errno.ENOSPC, errno.EDQUOT))
    )


def first_line(error: Exception) -> str:
    """The first line of what the error says; compilers say pages."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def is_out_of_memory(error: Exception) -> bool:
    """Is it memory, in any of the ways in which Python and torch say so?"""
    # torch raises a plain RuntimeError on the CPU, and its own class (not imported here: heavy) on a GPU.
    texts = ("can't allocate memory", "not enough memory", "out of memory")
    return isinstance(error, MemoryError) or (
        isinstance(error, RuntimeError) and any(text in str(error).lower() for text in texts)
    )


def is_other_lost(error: Exception) -> bool:
    """Is it that another process under torchrun went away, in the words of gloo and NCCL?"""
    texts = ("closed by peer", "reset by peer", "broken pipe", "remote process exited")
    return isinstance(error, RuntimeError) and any(text in str(error).lower() for text in texts)
