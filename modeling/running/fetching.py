"""Fetches a snapshot's file over REST if it is not on this machine, checks its hash, and caches it.

The cache names a file by its hash. A download that was cut off is continued.
"""

import errno
import fcntl
import hashlib
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import requests
from django.conf import settings

from snapshots.models import SnapshotFile

BLOCK = 1 << 20
# Small, so that `between` is called often on a slow line, too.
NETWORK_BLOCK = 1 << 16
# Seconds to connect, and between two bytes. A stop waits no longer than this.
TIMEOUT = (10, 15)
ATTEMPTS = 5  # connections in a row without a byte
WAIT_SECONDS = 2.0
RETRACTED = "Quintet-Retracted"


class NotFetched(Exception):
    """The file could not be fetched. The sentence says what to do."""


def cached_file(file: SnapshotFile, between: Callable[[], object] = lambda: None) -> Path:
    """Returns the path of the file in the cache. Fetches it first if it is not there, and checks its hash.

    `between` is called about every second. If it raises, the download ends, and the next call continues it. Raises
    NotFetched.
    """
    path = Path(settings.CACHE_ROOT) / "snapshots" / file.sha256
    part = path.with_suffix(".part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with part.open("ab+") as stream, _alone(stream, between):
            # Another run on this machine may have fetched it meanwhile.
            if path.is_file() and _digest(path, between) == file.sha256:
                return path
            _fetch(file, stream, between)
            if _digest(part, between) != file.sha256:
                stream.truncate(0)
                raise NotFetched(
                    f"{settings.SITE_URL} sent another file than {file.name} of {file.snapshot}: the sha256 differs. "
                    "Check that SITE_URL is the site that froze the snapshot, and ask its operator to run "
                    "verify_snapshot."
                )
            part.replace(path)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise _no_room(file, path.parent) from None
        raise
    return path


@contextmanager
def _alone(stream: BinaryIO, between: Callable[[], object]) -> Iterator[None]:
    """Waits until no other process on this machine fetches the same file. The lock ends with its process."""
    while True:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except BlockingIOError:
            between()
            time.sleep(0.2)
    try:
        yield
    finally:
        fcntl.flock(stream, fcntl.LOCK_UN)


def _fetch(file: SnapshotFile, stream: BinaryIO, between: Callable[[], object]) -> None:
    """Appends the missing bytes to `stream`. Connects again after a broken connection. Raises NotFetched."""
    if not settings.SITE_TOKEN:
        raise NotFetched(
            f"SITE_URL is set and SITE_TOKEN is not, so {file.name} of {file.snapshot} cannot be fetched. Set it to a "
            "researcher's token; a read-only one is enough (make it on the page My account)."
        )
    fruitless = 0
    while (have := stream.seek(0, 2)) < file.size:
        if shutil.disk_usage(settings.CACHE_ROOT).free < file.size - have:
            raise _no_room(file, Path(settings.CACHE_ROOT))
        try:
            _fetch_rest(file, stream, have, between)
        except requests.RequestException as error:
            fruitless = 0 if stream.seek(0, 2) > have else fruitless + 1
            if fruitless >= ATTEMPTS:
                raise NotFetched(
                    f"{settings.SITE_URL} did not answer for {file.name} of {file.snapshot} ({type(error).__name__}). "
                    "Check that the site runs and that this machine reaches it, then resume the run."
                ) from None
            between()
            time.sleep(WAIT_SECONDS)


def _fetch_rest(file: SnapshotFile, stream: BinaryIO, have: int, between: Callable[[], object]) -> None:
    address = f"{settings.SITE_URL}/api/v1/snapshots/{file.snapshot_id}/files/{file.name}"
    headers = {
        "Authorization": f"Bearer {settings.SITE_TOKEN}",
        "Accept-Encoding": "identity",
        **({"Range": f"bytes={have}-", "If-Range": f'"{file.sha256}"'} if have else {}),
    }
    with requests.get(address, headers=headers, stream=True, timeout=TIMEOUT) as answer:
        _refuse(file, answer)
        if answer.status_code != 206:
            stream.truncate(0)  # the site sends the whole file
        called_at = time.monotonic()
        for block in answer.iter_content(NETWORK_BLOCK):
            stream.write(block)
            if time.monotonic() - called_at >= 1:
                called_at = time.monotonic()
                between()
        stream.flush()
        if stream.tell() > file.size:
            stream.truncate(file.size)  # the hash will differ


def _refuse(file: SnapshotFile, answer: requests.Response) -> None:
    """Raises NotFetched if the response is not the file."""
    if answer.status_code in (401, 403):
        raise NotFetched(
            f"{settings.SITE_URL} rejects this machine's token ({answer.status_code}). Set SITE_TOKEN to a valid token "
            "of a researcher; a read-only one is enough."
        )
    if RETRACTED in answer.headers:
        raise NotFetched(
            f"{file.snapshot} was retracted on {answer.headers[RETRACTED]} and is no longer sent. Its page says "
            "why. Train on another version."
        )
    if answer.status_code in (200, 206):
        return
    detail = _detail(answer)
    if answer.status_code >= 500 and not detail:
        raise requests.HTTPError(f"{answer.status_code}")  # the proxy of a site that restarts
    raise NotFetched(
        f"{settings.SITE_URL} answered {answer.status_code} for {file.name} of {file.snapshot}: "
        f"{detail or 'check that SITE_URL is the address of the site.'}"
    )


def _detail(answer: requests.Response) -> str:
    """Returns the error text of the site, or "" if the response came from another server."""
    try:
        return str(answer.json()["detail"])
    except (ValueError, KeyError, TypeError):
        return ""


def _digest(path: Path, between: Callable[[], object]) -> str:
    digest, called_at = hashlib.sha256(), time.monotonic()
    with path.open("rb") as stream:
        while block := stream.read(BLOCK):
            digest.update(block)
            if time.monotonic() - called_at >= 1:
                called_at = time.monotonic()
                between()
    return digest.hexdigest()


def _no_room(file: SnapshotFile, folder: Path) -> NotFetched:
    free = shutil.disk_usage(settings.CACHE_ROOT).free
    return NotFetched(
        f"{folder} has no room for {file.name} of {file.snapshot} ({file.size:,} bytes, {free:,} free). Make room or "
        "move QUINTET_VAR to a larger disk, then resume the run."
    )
