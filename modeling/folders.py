"""The folder of a run: the files that the site reads and writes. The training program owns the others."""

import os
from pathlib import Path

from django.conf import settings

from modeling.models import TrainingRun

CONFIG, LOG, CHILD = "run.json", "log.txt", "child.json"
TAIL_BYTES = 16_384


def folder_of(run: TrainingRun) -> Path:
    """Returns the folder of a run. Its name is a random token from the database, never from a request."""
    return Path(settings.RUN_ROOT) / run.folder


def predictions_in(folder: Path, partition: str) -> Path:
    """Returns the file in which the training program writes its predictions on a partition."""
    return folder / f"predictions-{partition}.jsonl"


def log_tail(run: TrainingRun, lines: int = 30) -> list[str]:
    """Returns the last lines of the run's log; none if it is on another machine or not started."""
    try:
        with (folder_of(run) / LOG).open("rb") as stream:
            size = stream.seek(0, os.SEEK_END)
            stream.seek(max(0, size - TAIL_BYTES))
            text = stream.read().decode("utf-8", errors="replace")
    except OSError:
        return []
    return text.splitlines()[-lines:]
