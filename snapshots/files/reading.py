"""A snapshot's own files, read line by line."""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

import orjson

from nli.lines import MANIFEST, PARTITION_FILES
from snapshots.files.hashes import file_sha256, stays_inside
from snapshots.files.parallel import in_order, portions_of

Result = TypeVar("Result")


class ExportError(Exception):
    """Why the files cannot be read or written in a format; the message is for people."""


def whole_manifest(source: Path, name: str) -> dict[str, Any]:
    """The manifest of the snapshot `name`, after every file was found to be the one that it lists.

    Raises ExportError where a file is missing, was changed, or has a name that leads out of the folder.
    """
    remedy = "Restore the folder from a backup, then do this again."
    try:
        manifest: dict[str, Any] = json.loads((source / MANIFEST).read_bytes())
        for file, listed in manifest["files"].items():
            # The name is read from a file, and a copy is written under it.
            if not stays_inside(file):
                raise ExportError(
                    f"{source / MANIFEST} of {name} names {file!r}, outside its folder. {remedy}"
                )
            if file_sha256(source / file) != listed["sha256"]:
                raise ExportError(f"{source / file} of {name} is torn or was changed. {remedy}")
    except FileNotFoundError as error:
        raise ExportError(f"{error.filename} of {name} is missing. {remedy}") from error
    except (ValueError, KeyError) as error:
        raise ExportError(f"{source / MANIFEST} of {name} cannot be read ({error}). {remedy}") from error
    return manifest


def partitions(manifest: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Partition and file name of those that the snapshot has: train, dev, test."""
    return [(partition, name) for name, partition in PARTITION_FILES.items() if name in manifest["files"]]


def lines(path: Path) -> Iterator[dict[str, Any]]:
    """The lines of one file, one at a time."""
    with path.open("rb") as stream:
        for data in stream:
            yield orjson.loads(data)


def by_portion(path: Path, work: Callable[[Iterator[dict[str, Any]]], Result]) -> Iterator[Result]:
    """`work` of the lines of each portion of a file, in order; several processes work at once."""
    return in_order(lambda portion: work(map(orjson.loads, portion.lines())), portions_of(path))


def all_lines(source: Path, manifest: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every line of every partition, with its partition."""
    for partition, name in partitions(manifest):
        for line in lines(source / name):
            yield partition, line


def manifest_in(folder: Path) -> dict[str, Any]:
    """Return the manifest in a folder; empty if it is missing or damaged."""
    try:
        manifest = json.loads((folder / MANIFEST).read_bytes())
    except (OSError, ValueError):
        return {}
    return manifest if isinstance(manifest, dict) else {}
