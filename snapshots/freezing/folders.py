"""Find the folders of snapshots, and give a new folder its name."""

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
    """Return the highest number of a corpus's snapshot folders, 0 if there are none; `2.lost-...` counts as 2.

    A folder has no row if the database was restored from a backup that is older than the folder.
    """
    names = (path.name.partition(".")[0] for path in (Path(settings.SNAPSHOT_ROOT) / slug).glob("[0-9]*"))
    return max((int(name) for name in names if name.isdecimal()), default=0)


def folders_without_row() -> list[Path]:
    """Return the snapshot folders without a frozen snapshot in the database."""
    named = {row.folder for row in Snapshot.objects.frozen().select_related("corpus")}
    root = Path(settings.SNAPSHOT_ROOT)
    return sorted(path for path in root.glob("*/[0-9]*") if path.is_dir() and path not in named)


def give_name(draft: Path, target: Path, sha256: str) -> None:
    """Rename the draft to `target`, so that the folder is there whole or not at all.

    A folder of that name exists if a freeze died between its rename and its commit; then it has the same content
    and is deleted. If the database was restored from an older backup, the folder holds another snapshot, which
    somebody may have cited: it gets another name and is never deleted.
    """
    if target.exists():
        found = manifest_in(target)
        there = str(found.get("sha256") or "unknown") if found else "unknown"
        if there == sha256:
            shutil.rmtree(target)
        else:
            aside = _aside(target, there)
            os.replace(target, aside)
            logger.error(
                "%s already exists and is another snapshot (sha256 %s). It was renamed to %s. Was the database restored "
                "from a backup that is older than this folder?",
                target, there, aside,
            )  # fmt: skip
    put_in_place(draft, target)


def _aside(target: Path, sha256: str) -> Path:
    """Return a free name beside `target`."""
    name = f"{target.name}.lost-{sha256[:12]}"
    names = [name, *(f"{name}-{number}" for number in range(2, 1000))]
    return next(path for path in map(target.with_name, names) if not path.exists())
