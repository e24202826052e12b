"""Fill a hidden folder or file and rename it when it is complete, so that it is there whole or not at all.

The process that fills a draft folder holds a lock on it, and the lock ends with the process. A draft without a lock was
abandoned, and the next process that sees it removes it. Standard library only.
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
    """Yields a hidden folder beside `target`. If it was not renamed, it is removed at the end.

    Removes abandoned drafts of the same target first. Raises OSError.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    remove_abandoned(target.parent, target.name)
    with ExitStack() as stack:
        draft = _new(target, stack)
        stack.callback(shutil.rmtree, draft, ignore_errors=True)
        yield draft


@contextmanager
def draft_file(target: Path) -> Iterator[Path]:
    """Yields the path of a hidden file that takes the place of `target` at the end, unless an error ends the block."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".") as folder:
        draft = Path(folder) / target.name
        yield draft
        os.replace(draft, target)


def put_in_place(draft: Path, target: Path) -> None:
    """Renames the draft to `target`, which is absent or an empty folder. Raises OSError."""
    draft.chmod(0o755)  # a draft is private; workers under other accounts read the finished folder
    os.replace(draft, target)


def remove_abandoned(folder: Path, name: str = "") -> int:
    """Removes the drafts of `name` (all names if empty) in `folder` that no process has locked. Returns their number."""
    removed = 0
    for draft in folder.glob(f".{escape(name) or '*'}.*{SUFFIX}"):
        with suppress(OSError), _locked(draft, fcntl.LOCK_EX | fcntl.LOCK_NB):
            shutil.rmtree(draft, ignore_errors=True)
            removed += 1
    return removed


def _new(target: Path, stack: ExitStack) -> Path:
    """Makes a locked draft. Another process may remove it before it is locked; then makes a new one."""
    while True:
        draft = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=SUFFIX, dir=target.parent))
        # Where the file system has no locks, no process can lock the draft, so none removes it.
        with suppress(OSError):
            stack.enter_context(_locked(draft, fcntl.LOCK_EX))
        if draft.exists():
            return draft


@contextmanager
def _locked(draft: Path, how: int) -> Iterator[None]:
    """Holds the lock of a draft. Raises OSError if another process holds it or the draft is gone."""
    handle = os.open(draft, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(handle, how)
        yield
    finally:
        os.close(handle)
