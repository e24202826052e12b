"""Scores a finished run on another snapshot, by the training program."""

import json
import subprocess
from typing import Any, cast

from django.conf import settings

from modeling import catalogue
from modeling.folders import LOG, evaluation_folder, folder_of
from modeling.launching.regimes import scheme_of
from modeling.models import TrainingRun
from modeling.running.configs import CannotStart, snapshot_files
from modeling.running.program import EVALUATE, Listener, how_it_ended, os_errors_as_sentences
from nli.run_files import EvaluationFile, Files, SnapshotName
from snapshots.models import Snapshot


class EvaluationFailed(Exception):
    """The evaluation ended without scores. The sentence says why."""


def evaluate(
    run: TrainingRun, snapshot: Snapshot, partitions: list[str], *, tell: Listener
) -> dict[str, Any]:
    """Scores a finished run on partitions of a snapshot with the same labels, or labels that map to its two classes.

    Returns the program's metrics.

    Raises CannotStart, EvaluationFailed.
    """
    files = {name: file for name, file in snapshot_files(snapshot).items() if name in partitions}
    if not files:
        raise CannotStart(f"{snapshot} has no {' or '.join(partitions)} pairs: name another partition.")
    folder = evaluation_folder(run, snapshot, files)
    config = folder / "evaluation.json"
    name: SnapshotName = {"name": str(snapshot), "sha256": snapshot.sha256}
    collapse = scheme_of(run.snapshot, run.regime) != snapshot.corpus.scheme
    request: EvaluationFile = {
        "snapshot": name, "files": cast(Files, files), "folder": str(folder), "cache": str(settings.CACHE_ROOT),
        "vectors": catalogue.vectors_source(run.vectors) if run.vectors else None, "collapse": collapse,
        "threads": settings.TRAINING_THREADS,
    }  # fmt: skip
    with os_errors_as_sentences(folder, "evaluate again"):
        folder.mkdir(parents=True, exist_ok=True)
        config.write_text(json.dumps(request), encoding="utf-8")
        with (folder / LOG).open("ab") as log:
            child = subprocess.run(
                [*EVALUATE, str(folder_of(run)), str(config)],
                cwd=settings.BASE_DIR, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log,
            )  # fmt: skip
    events = [json.loads(line) for line in child.stdout.splitlines() if line.startswith(b"{")]
    for event in events:
        tell(event)
    last = events[-1] if events else {}
    if child.returncode or last.get("event") != "done":
        ended = f"The evaluation {how_it_ended(child.returncode)}: look at {folder / LOG} and at the memory."
        raise EvaluationFailed(last.get("message") or ended)
    metrics: dict[str, Any] = last["metrics"]
    return metrics
