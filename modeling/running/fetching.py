"""A snapshot's file that is not on this node: fetched from the site by REST, proved by its hash, and kept.

It lies in the cache under its hash. What a broken connection or a kill left there is gone on from.
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
# Over the network: on a slow line, too, `between` is called often.
NETWORK_BLOCK = 1 << 16
# Seconds to connect, and between two bytes: so long somebody who stops the run waits at most.
TIMEOUT = (10, 15)
ATTEMPTS = 5  # connections in a row that bring nothing
WAIT_SECONDS = 2.0
RETRACTED = "Quintet-Retracted"


class NotFetched(Exception):
    """The file could not be had; a sentence, with what to do."""


def kept_file(file: SnapshotFile, between: Callable[[], object] = lambda: None) -> Path:
    """Where the file lies in the cache, whole and proved; it is fetched where it is not there.

    `between` is called every second or so; what it raises ends the work, and the next try goes on from there. Raises
    NotFetched.
    """
    path = Path(settings.CACHE_ROOT) / "snapshots" / file.sha256
    part = path.with_suffix(".part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with part.open("ab+") as stream, _alone(stream, between):
            # Another run of this node may have fetched it while this one waited.
            if path.is_file() and _digest(path, between) == file.sha256:
                return path
            _fetch(file, stream, between)
            if _digest(part, between) != file.sha256:
                stream.truncate(0)
                raise NotFetched(
                    f"What {settings.SITE_URL} sent as {file.name} of {file.snapshot} is not that file (its sha256 is "
                    "another). Look whether SITE_URL is the site that froze it, and ask its operator to check the "
                    "snapshot with verify_snapshot."
                )
            part.replace(path)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise _no_room(file, path.parent) from None
        raise
    return path


@contextmanager
def _alone(stream: BinaryIO, between: Callable[[], object]) -> Iterator[None]:
    """Waits until no other process of this machine fetches the same file. A kill frees it."""
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
    """Adds to `stream` what it lacks. Raises NotFetched; a connection that breaks is made again."""
    if not settings.SITE_TOKEN:
        raise NotFetched(
            f"SITE_URL is set and SITE_TOKEN is not, so {file.name} of {file.snapshot} cannot be fetched. Set it to a "
            "researcher's token; one that may only read is enough (the page Mine makes it)."
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
                    "Look whether the site runs and this machine reaches it, then resume the run."
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
            stream.truncate(0)  # it sends the whole
        told_at = time.monotonic()
        for block in answer.iter_content(NETWORK_BLOCK):
            stream.write(block)
            if time.monotonic() - told_at >= 1:
                told_at = time.monotonic()
                between()
        stream.flush()
        if stream.tell() > file.size:
            stream.truncate(file.size)  # its hash tells that it is not ours


def _refuse(file: SnapshotFile, answer: requests.Response) -> None:
    """Raises NotFetched for everything but the file."""
    if answer.status_code in (401, 403):
        raise NotFetched(
            f"{settings.SITE_URL} does not take this node's token ({answer.status_code}). Set SITE_TOKEN to a token "
            "of a researcher that has not ended; one that may only read is enough."
        )
    if RETRACTED in answer.headers:
        raise NotFetched(
            f"{file.snapshot} was retracted on {answer.headers[RETRACTED]}: it is not fetched any more. Its page says "
            "why; train on another version."
        )
    if answer.status_code in (200, 206):
        return
    told = _detail(answer)
    if answer.status_code >= 500 and not told:
        raise requests.HTTPError(f"{answer.status_code}")  # the proxy in front of a site that starts anew
    raise NotFetched(
        f"{settings.SITE_URL} answered {answer.status_code} for {file.name} of {file.snapshot}: "
        f"{told or 'look whether SITE_URL is the address of the site.'}"
    )


def _detail(answer: requests.Response) -> str:
    """What the site itself says of it; "" where it is not the site that answers."""
    try:
        return str(answer.json()["detail"])
    except (ValueError, KeyError, TypeError):
        return ""


def _digest(path: Path, between: Callable[[], object]) -> str:
    digest, told_at = hashlib.sha256(), time.monotonic()
    with path.open("rb") as stream:
        while block := stream.read(BLOCK):
            digest.update(block)
            if time.monotonic() - told_at >= 1:
                told_at = time.monotonic()
                between()
    return digest.hexdigest()


def _no_room(file: SnapshotFile, folder: Path) -> NotFetched:
    free = shutil.disk_usage(settings.CACHE_ROOT).free
    return NotFetched(
        f"{folder} has no room for {file.name} of {file.snapshot} ({file.size:,} bytes, {free:,} free). Make room or "
        "move QUINTET_VAR to a larger disk, then resume the run."
    )
