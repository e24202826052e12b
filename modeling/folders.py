"""The folder of a run: the files that the site reads and writes. The training program owns the others."""

import os
from collections.abc import Iterable
from itertools import combinations
from pathlib import Path

from django.conf import settings

from modeling.models import TrainingRun
from nli.lines import PARTITIONS
from snapshots.models import Snapshot

CONFIG, LOG, CHILD, PROGRESS = "run.json", "log.txt", "child.json", "progress.jsonl"
TAIL_BYTES = 16_384


def folder_of(run: TrainingRun) -> Path:
    """Returns the folder of a run. Its name is a random token from the database, never from a request."""
    return Path(settings.RUN_ROOT) / run.folder


def predictions_in(folder: Path, partition: str) -> Path:
    """Returns the file in which the training program writes its predictions on a partition."""
    return folder / f"predictions-{partition}.jsonl"


def evaluation_folder(run: TrainingRun, snapshot: Snapshot, partitions: Iterable[str]) -> Path:
    """Returns the folder of an evaluation's predictions, one file for each partition that the snapshot has."""
    return folder_of(run) / "evaluations" / f"{_on(snapshot)}-{'-'.join(sorted(partitions))}"


def folders_with(run: TrainingRun, snapshot: Snapshot, partition: str) -> list[Path]:
    """Returns the folders that may hold what a run has of a partition of a snapshot."""
    folders = [folder_of(run)] if run.snapshot_id == snapshot.pk else []
    others = [name for name in PARTITIONS if name != partition]
    return folders + [
        evaluation_folder(run, snapshot, (partition, *more))
        for count in range(len(PARTITIONS))
        for more in combinations(others, count)
    ]


def predictions_of(run: TrainingRun, snapshot: Snapshot, partition: str) -> Path | None:
    """Returns the file with a run's predictions on a partition of a snapshot, None if it is not on this machine."""
    files = (predictions_in(folder, partition) for folder in folders_with(run, snapshot, partition))
    return next((file for file in files if file.exists()), None)


def unscored_of(run: TrainingRun, snapshot: Snapshot, partition: str) -> Path | None:
    """Returns the file with a run's predictions on a withheld partition, without gold labels; None if it is not here."""
    files = (folder / f"unscored-{partition}.jsonl" for folder in folders_with(run, snapshot, partition))
    return next((file for file in files if file.exists()), None)


def further_dimensions(run: TrainingRun, snapshot: Snapshot, partition: str) -> Path:
    """Returns the file with the values of pairs that are in no other store: annotation tags, dimensions of one's own."""
    return folder_of(run) / "evaluations" / f"{_on(snapshot)}-dimensions-{partition}.npz"


def _on(snapshot: Snapshot) -> str:
    return f"{snapshot.corpus.slug}-{snapshot.version}"


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
