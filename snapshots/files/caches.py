"""Where things computed from frozen snapshots are cached, and which of these files nobody will read again."""

import re
from collections.abc import Collection
from pathlib import Path

from django.conf import settings

HASH = re.compile("[0-9a-f]{64}")


def cache_file(kind: str, edition: int, sha256: str, partition: str, suffix: str) -> Path:
    """Returns where a result is cached that depends on a partition of the snapshot with this hash.

    `edition` counts up when the way of computing changes.
    """
    return _folder(kind) / f"{edition}-{sha256}-{partition}{suffix}"


def forget_cached(sha256: str) -> None:
    """Deletes all that is cached of the snapshot with this hash."""
    for path in Path(settings.CACHE_ROOT).glob(f"*/*{sha256}*"):
        path.unlink(missing_ok=True)


def remove_outdated(kind: str, hashes: Collection[str], edition: int | None = None) -> int:
    """Deletes the files of a kind that name a hash which is not one of `hashes`, or that are of another edition.

    Drafts, which are hidden, stay. Returns how many files were deleted.
    """
    removed = 0
    for path in _folder(kind).glob("[!.]*"):
        is_current = edition is None or path.name.startswith(f"{edition}-")
        if not is_current or not set(HASH.findall(path.name)) <= set(hashes):
            path.unlink(missing_ok=True)
            removed += 1
    return removed


def _folder(kind: str) -> Path:
    return Path(settings.CACHE_ROOT) / kind
