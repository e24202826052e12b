"""Folders that are made beside their place and come into being by one rename: whole, or not at all.

A draft is locked by the process that fills it, and the lock goes with the process, however it ends. So a draft that
nobody holds was left by somebody who was killed, and whoever finds it removes it. Standard library only.
"""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from glob import escape
from pathlib import Path

SUFFIX = ".draft"


@contextmanager
def draft_of(target: Path) -> Iterator[Path]:
    """A hidden folder beside `target` to be filled and renamed; what is not renamed is gone at the end.

    What killed processes left of the same target is removed first. Raises OSError.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    remove_abandoned(target.parent, target.name)
    with ExitStack() as stack:
        draft = _new(target, stack)
        stack.callback(shutil.rmtree, draft, ignore_errors=True)
        yield draft


def put_in_place(draft: Path, target: Path) -> None:
    """Gives the draft its name: one rename, onto nothing or onto an empty folder. Raises OSError."""
    draft.chmod(0o755)  # drafts are private; workers of other accounts read what is done
    os.replace(draft, target)


def remove_abandoned(folder: Path, name: str = "") -> int:
    """Removes the drafts of `name` (of all names, unless told) in `folder` that no living process holds.

    Returns how many there were.
    """
    removed = 0
    for draft in folder.glob(f".{escape(name) or '*'}.*{SUFFIX}"):
        with suppress(OSError), _locked(draft, fcntl.LOCK_EX | fcntl.LOCK_NB):
            shutil.rmtree(draft, ignore_errors=True)
            removed += 1
    return removed


def _new(target: Path, stack: ExitStack) -> Path:
    """A locked draft. Between its making and its lock somebody may take it for abandoned: then another one is made."""
    while True:
        draft = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=SUFFIX, dir=target.parent))
        # On a file system without locks nobody can lock it, so nobody removes it.
        with suppress(OSError):
            stack.enter_context(_locked(draft, fcntl.LOCK_EX))
        if draft.exists():
            return draft


@contextmanager
def _locked(draft: Path, how: int) -> Iterator[None]:
    """Holds the lock of a draft. Raises OSError where somebody else does, or where there is no draft any more."""
    handle = os.open(draft, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(handle, how)
        yield
    finally:
        os.close(handle)
