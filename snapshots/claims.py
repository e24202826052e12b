"""Who works on a row: a claim whose token is the last sign of life.

The sign changes with each one that is given, and each is written only if the last one was ours. Whoever was thought
dead and overtaken finds that out at the next sign, and leaves the row alone.
"""

import logging
from collections.abc import Callable
from datetime import timedelta
from typing import Any, Generic, TypeVar

from django.utils import timezone

from snapshots.models import Work

logger = logging.getLogger(__name__)
STALE_AFTER = timedelta(minutes=3)  # without a sign of life for so long, another one takes it up
SIGN_EVERY = timedelta(seconds=2)  # a sign of life is a write; ten thousand short pairs take less
Row = TypeVar("Row", bound=Work)
WAITING = "waiting for a worker"


class ClaimLost(Exception):
    """Somebody else works on it, or has done it."""


def ask_again(row: Work) -> None:
    """Lets a row that failed wait for a worker once more; others stay as they are."""
    failed = type(row)._default_manager.filter(pk=row.pk, status=Work.Status.FAILED)
    if failed.update(status=Work.Status.REQUESTED, error="", progress=WAITING, requested_at=timezone.now()):
        row.refresh_from_db()


def fault(error: Exception) -> str:
    """What is said of a failure that nobody foresaw."""
    if isinstance(error, OSError):
        return f"The files could not be written: {error.strerror or error}. Make room, then ask again."
    return f"The software failed ({type(error).__name__}: {error}). Tell its operator, then ask again."


class Claim(Generic[Row]):
    """One claim on one row, from the first sign of life to the last. Raises ClaimLost where it is none."""

    def __init__(
        self,
        row: Row,
        *,
        progress: str,
        stale_after: timedelta = STALE_AFTER,
        tell: Callable[[str], None] = lambda text: None,
    ) -> None:
        self.row, self.tell = row, tell
        self.beat = timezone.now()
        rows = type(row)._default_manager.filter(pk=row.pk)
        if not rows.takeable(self.beat - stale_after).update(  # type: ignore[attr-defined]
            status=Work.Status.WORKING, heartbeat_at=self.beat, progress=progress
        ):
            raise ClaimLost

    def sign(self, progress: str) -> None:
        """Writes how far it is, at most every two seconds."""
        now = timezone.now()
        if now - self.beat < SIGN_EVERY:
            return
        self._update(heartbeat_at=now, progress=progress)
        self.beat = now
        self.tell(progress)

    def finish(self, **values: Any) -> Row:
        self._update(status=Work.Status.DONE, progress="", error="", **values)
        self.row.refresh_from_db()
        return self.row

    def fail(self, error: str) -> None:
        if self._ours().update(status=Work.Status.FAILED, error=error, progress=""):
            logger.warning("%s could not be made: %s", self.row, error)

    def _update(self, **values: Any) -> None:
        if not self._ours().update(**values):
            raise ClaimLost

    def _ours(self) -> Any:
        rows = type(self.row)._default_manager
        return rows.filter(pk=self.row.pk, status=Work.Status.WORKING, heartbeat_at=self.beat)
