"""Scores a finished run on another snapshot, by the training program."""

import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

from django.conf import settings

from modeling import catalogue
from modeling.folders import LOG, evaluation_folder, folder_of
from modeling.launching.regimes import scheme_of
from modeling.models import TrainingRun
from modeling.results.actions import record_evaluation
from modeling.results.breakdowns import store_breakdowns
from modeling.running.configs import (
    EVALUATE,
    CannotStart,
    Listener,
    how_it_ended,
    os_errors_as_sentences,
    snapshot_files,
)
from nli.labels import readable_together
from nli.lines import PARTITIONS
from nli.run_files import EvaluationFile, Files, SnapshotName
from snapshots.models import Snapshot
from snapshots.statistics.job import check_tagger

NEEDS_TAGS = ("tag", "tag_substring")  # dimensions that only spaCy can give


class EvaluationFailed(Exception):
    """The evaluation ended without scores. The sentence says why."""


def score(
    run: TrainingRun,
    snapshot: Snapshot,
    partitions: Sequence[str],
    *,
    tell: Listener = lambda event: None,
    tags: bool = False,
    own: Mapping[str, Path] = MappingProxyType({}),
) -> dict[str, Any]:
    """Scores a finished run on partitions of a snapshot with the same labels, or labels that map to its two classes.

    Stores the scores and the breakdowns: `tags`, also by annotation tag; `own`, by the values in files, by name. Returns the
    program's metrics. Raises CannotStart, EvaluationFailed, NoTagger, and ValueError for a bad file.
    """
    theirs, ours = scheme_of(run.snapshot, run.regime), snapshot.corpus.scheme
    if theirs != ours and not readable_together((theirs, ours)):
        raise CannotStart(
            f"Run {run.pk} predicts labels of {theirs}, {snapshot} has {ours}, and these cannot be read as the same two"
            " classes: name a snapshot with the same labels."
        )
    if tags:
        check_tagger(snapshot)
    metrics = evaluate(run, snapshot, partitions, tell=tell)
    record_evaluation(run=run, snapshot=snapshot, metrics=metrics)
    evaluated = [name for name in PARTITIONS if name in metrics]
    store_breakdowns(
        run,
        snapshot,
        evaluation_folder(run, snapshot, evaluated),
        evaluated,
        paths={name: Path(file["path"]) for name, file in snapshot_files(snapshot).items()},
        tags=tags,
        own=own,
    )
    return metrics


def evaluate(
    run: TrainingRun, snapshot: Snapshot, partitions: Sequence[str], *, tell: Listener
) -> dict[str, Any]:
    """Lets the training program score a run. Returns its metrics. Raises CannotStart, EvaluationFailed."""
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
