"""Read the files of a snapshot: its manifest, and its lines one by one or in portions."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar, cast

import orjson

from nli.lines import MANIFEST, PARTITION_FILES
from nli.manifest import Manifest
from snapshots.errors import SnapshotError
from snapshots.files.hashes import file_sha256, stays_inside
from snapshots.files.parallel import in_order, portions_of

Result = TypeVar("Result")


class DamagedFiles(SnapshotError):
    """A file of the snapshot is missing or changed. The message says which one and what to do."""


def whole_manifest(source: Path, name: str) -> Manifest:
    """Returns the manifest of the snapshot `name` after comparing every file with its hash there.

    Raises DamagedFiles if a file is missing, was changed, or has a name that leads out of the folder.
    """
    remedy = "Restore the folder from a backup, then do this again."
    try:
        manifest: Manifest = json.loads((source / MANIFEST).read_bytes())
        for file, listed in manifest["files"].items():
            # An export writes a copy under this name, and the name comes from a file.
            if not stays_inside(file):
                raise DamagedFiles(
                    f"{source / MANIFEST} of {name} lists {file!r}, which is outside its folder. {remedy}"
                )
            if file_sha256(source / file) != listed["sha256"]:
                raise DamagedFiles(f"{source / file} of {name} was changed or is incomplete. {remedy}")
    except FileNotFoundError as error:
        raise DamagedFiles(f"{error.filename} of {name} is missing. {remedy}") from error
    except (ValueError, KeyError) as error:
        raise DamagedFiles(f"{source / MANIFEST} of {name} cannot be read ({error}). {remedy}") from error
    return manifest


def partitions(manifest: Manifest) -> list[tuple[str, str]]:
    """Returns the partitions that the snapshot has, each with its file name."""
    return [(partition, name) for partition, name in PARTITION_FILES.items() if name in manifest["files"]]


def lines(path: Path) -> Iterator[dict[str, Any]]:
    """Yields the lines of one file."""
    with path.open("rb") as stream:
        for data in stream:
            yield orjson.loads(data)


def by_portion(path: Path, work: Callable[[Iterator[dict[str, Any]]], Result]) -> Iterator[Result]:
    """Calls `work` for the lines of each portion of a file in several processes, and yields the results in order."""
    return in_order(lambda portion: work(map(orjson.loads, portion.lines())), portions_of(path))


def all_lines(source: Path, manifest: Manifest) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields every line of every partition, with the name of the partition."""
    for partition, name in partitions(manifest):
        for line in lines(source / name):
            yield partition, line


def manifest_in(folder: Path) -> Manifest | None:
    """Returns the manifest in a folder; None if it is missing or damaged."""
    try:
        manifest = json.loads((folder / MANIFEST).read_bytes())
    except (OSError, ValueError):
        return None
    return cast(Manifest, manifest) if isinstance(manifest, dict) else None
