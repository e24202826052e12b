"""The folder for incoming files: pages import files from there, since the site accepts no uploads."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from django.conf import settings
from django.core.management.base import CommandError

MOST_FILES = 500


@dataclass(frozen=True)
class IncomingFile:
    """A file by its path inside the folder, with slashes."""

    name: str
    size: int
    changed: datetime


def incoming_files() -> list[IncomingFile]:
    """Returns the files in the folder and below it, by name, without hidden files and links."""
    root = Path(settings.INCOMING_ROOT)
    found = []
    for path in sorted(root.rglob("*")) if root.is_dir() else ():
        name = path.relative_to(root)
        if path.is_symlink() or not path.is_file() or any(part.startswith(".") for part in name.parts):
            continue
        about = path.stat()
        found.append(
            IncomingFile(name.as_posix(), about.st_size, datetime.fromtimestamp(about.st_mtime, UTC))
        )
        if len(found) == MOST_FILES:
            break
    return found


def paths_of(names: Sequence[str]) -> list[Path]:
    """Returns the paths of files in the folder. Raises CommandError for a name that is not there."""
    known = {file.name for file in incoming_files()}
    for name in names:
        if name not in known:
            raise CommandError(f"{name} is not in the folder for incoming files; put it there.")
    if not names:
        raise CommandError("No file is chosen.")
    return [Path(settings.INCOMING_ROOT) / name for name in names]
