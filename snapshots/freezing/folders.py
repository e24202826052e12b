"""Find the folders of snapshots, and give a new one its name."""

import logging
import os
import shutil
from pathlib import Path

from django.conf import settings

from snapshots.files.draft_folders import put_in_place
from snapshots.files.reading import manifest_in
from snapshots.models import (
    Snapshot,
)

logger = logging.getLogger(__name__)


def highest_folder(slug: str) -> int:
    """Returns the highest number of a corpus's snapshot folders, 0 without any; `2.lost-...` counts as 2.

    A folder may have no row: the database was restored from a backup that is older than the folder.
    """
    names = (path.name.partition(".")[0] for path in (Path(settings.SNAPSHOT_ROOT) / slug).glob("[0-9]*"))
    return max((int(name) for name in names if name.isdecimal()), default=0)


def folders_without_row() -> list[Path]:
    """Returns the snapshot folders that no frozen snapshot of the database names."""
    named = {row.folder for row in Snapshot.objects.frozen().select_related("corpus")}
    root = Path(settings.SNAPSHOT_ROOT)
    return sorted(path for path in root.glob("*/[0-9]*") if path.is_dir() and path not in named)


def give_name(draft: Path, target: Path, sha256: str) -> None:
    """Gives the draft its name by one rename: the folder is there whole or not at all.

    A folder of that name is there already where a freeze died between its rename and its commit; then it is the same
    content and goes. Where the database was restored from an older backup it is another snapshot, which somebody may
    have cited: it is kept under another name.
    """
    if target.exists():
        there = str(manifest_in(target).get("sha256") or "unknown")
        if there == sha256:
            shutil.rmtree(target)
        else:
            aside = _aside(target, there)
            os.replace(target, aside)
            logger.error(
                "%s was there already and is another snapshot (sha256 %s): it is kept as %s. Was the database restored "
                "from a backup that is older than this folder?",
                target, there, aside,
            )  # fmt: skip
    put_in_place(draft, target)


def _aside(target: Path, sha256: str) -> Path:
    """Returns a free name beside `target`."""
    name = f"{target.name}.lost-{sha256[:12]}"
    names = [name, *(f"{name}-{number}" for number in range(2, 1000))]
    return next(path for path in map(target.with_name, names) if not path.exists())
