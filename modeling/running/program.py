"""Defines the training program as a process: how it is called, how it ends."""

import contextlib
import errno
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from modeling.running.configs import CannotStart

TRAIN = [sys.executable, "-m", "modeling.baselines.train"]
EVALUATE = [sys.executable, "-m", "modeling.baselines.evaluate"]
STOPPED_CODE = 3
Event = dict[str, Any]
Listener = Callable[[Event], None]


def how_it_ended(code: int) -> str:
    return f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code} and no message"


@contextlib.contextmanager
def os_errors_as_sentences(folder: Path, then: str) -> Iterator[None]:
    """Converts an OSError of this block to CannotStart, with the file, or at least the folder, and what to do."""
    try:
        yield
    except OSError as problem:
        what = f"{problem.filename or folder}: {problem.strerror or problem}."
        if problem.errno in (errno.ENOSPC, errno.EDQUOT):
            way_out = "Make room there or move QUINTET_VAR to a larger disk"
        elif problem.errno in (errno.ENOMEM, errno.EAGAIN):
            way_out = "Free memory or end other programs"
        else:
            way_out = "Repair the disk or the permissions"
        raise CannotStart(f"{what} {way_out}, then {then}.") from problem
