"""How the training program is called and ends; writes its run.json: the run from the database, the paths of its files."""

import contextlib
import errno
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from django.conf import settings

from modeling import catalogue
from modeling.baselines.config import WEIGHTS, read_run_config
from modeling.baselines.errors import BaselineError
from modeling.folders import CONFIG, folder_of
from modeling.launching.regimes import scheme_of
from modeling.models import TrainingRun
from modeling.running.fetching import NotFetched, cached_file
from nli.lines import FACTS, PARTITION_FILES
from nli.run_files import (
    DataFile,
    Files,
    MixedFile,
    Mixing,
    PremiseRule,
    RegimeOfRun,
    RunFile,
    SnapshotName,
)
from nli.single_premises import as_named, premise_rule_of
from snapshots.models import Snapshot, SnapshotFile, SnapshotSentenceLabel

TRAIN = [sys.executable, "-m", "modeling.baselines.train"]
EVALUATE = [sys.executable, "-m", "modeling.baselines.evaluate"]
STOPPED_CODE = 3
Event = dict[str, Any]
Listener = Callable[[Event], None]


class CannotStart(Exception):
    """A file is missing or damaged, or another process uses the folder. The sentence says what to do."""


def write_config(run: TrainingRun, between: Callable[[], None] = lambda: None) -> Path:
    """Writes run.json into the run's folder. Raises CannotStart if a snapshot file is missing.

    `between` is called about every second while files are fetched.
    """
    folder = folder_of(run)
    folder.mkdir(parents=True, exist_ok=True)
    config: RunFile = {
        "baseline": run.baseline,
        "seed": run.seed,
        "snapshot": {"name": str(run.snapshot), "sha256": run.snapshot.sha256},
        "scheme": scheme_of(run.snapshot, run.regime),
        "files": cast(Files, snapshot_files(run.snapshot, between)),
        "vectors": catalogue.vectors_source(run.vectors) if run.vectors else None,
        "cache": str(settings.CACHE_ROOT),
        "folder": str(folder),
        "settings": catalogue.with_sources(run.config),
        "threads": settings.TRAINING_THREADS,
        "language": run.snapshot.corpus.language,
        **_regime(run, between),
    }
    try:
        read_run_config(config)
    except BaselineError as error:
        raise CannotStart(str(error)) from None
    path = folder / CONFIG
    path.write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
    return path


def _regime(run: TrainingRun, between: Callable[[], None]) -> RegimeOfRun:
    """Returns the regime for RUN.json. Raises CannotStart if a snapshot or the run to start from is missing."""
    regime: dict[str, Any] = dict(run.regime)
    if run.most:
        regime["most"] = run.most
    if "mixed" in regime:
        regime["mixed"] = [_mixed(entry, between) for entry in regime["mixed"]]
    if "start" in regime:
        earlier = TrainingRun.objects.get(pk=regime["start"]["run"])
        folder = folder_of(earlier)
        if not (folder / WEIGHTS).is_file():
            raise CannotStart(
                f"The weights of run {earlier.pk} are not in {folder}; it was trained by {earlier.worker}. "
                "Copy the folder from there, then resume this run."
            )
        regime["start"] = {"folder": str(folder), "how": regime["start"]["how"]}
    return cast(RegimeOfRun, regime)


def _mixed(entry: dict[str, Any], between: Callable[[], None]) -> MixedFile:
    snapshot = Snapshot.objects.named(entry["snapshot"]).filter(sha256=entry["sha256"]).first()
    files = snapshot_files(snapshot, between) if snapshot else {}
    if "train" not in files:
        raise CannotStart(f"{entry['snapshot']} has no training pairs any more: request a run without it.")
    numbers = cast(Mixing, {key: entry[key] for key in Mixing.__annotations__ if key in entry})
    name: SnapshotName = {"name": entry["snapshot"], "sha256": entry["sha256"]}
    return {"snapshot": name, "file": files["train"], **numbers}


def snapshot_files(snapshot: Snapshot, between: Callable[[], None] = lambda: None) -> dict[str, DataFile]:
    """Returns path and hash by partition, after a check of the sizes; the program checks the hashes.

    If SITE_URL is set, a missing file is fetched from there. Raises CannotStart.
    """
    files = {file.name: file for file in snapshot.files.all()}
    premises = _single_premises(snapshot, files, between)
    found: dict[str, DataFile] = {}
    for partition, name in sorted(PARTITION_FILES.items()):
        if name in files:
            path = _path_of(snapshot, files[name], between)
            found[partition] = {"path": str(path), "sha256": files[name].sha256}
            if premises:
                found[partition]["single_premises"] = premises
    return found


def _single_premises(
    snapshot: Snapshot, files: Mapping[str, SnapshotFile], between: Callable[[], None]
) -> PremiseRule | None:
    """Returns the rule for labels of single premises, as RUN.json names it; None for a snapshot without such labels."""
    if not SnapshotSentenceLabel.objects.filter(row__snapshot=snapshot).exists():
        return None
    rule = premise_rule_of(json.loads(_path_of(snapshot, files[FACTS], between).read_bytes()))
    return as_named(rule) if rule else None


def _path_of(snapshot: Snapshot, file: SnapshotFile, between: Callable[[], None]) -> Path:
    path = snapshot.folder / file.name
    found = path.stat().st_size if path.is_file() else None
    if found == file.size:
        return path
    if settings.SITE_URL:
        try:
            return cached_file(file, between)
        except NotFetched as error:
            raise CannotStart(str(error)) from None
    state = "is missing" if found is None else f"has {found} bytes instead of {file.size}"
    raise CannotStart(
        f"The snapshot file {path} {state}. Restore the folder from a backup, or copy it from the machine that froze "
        "the snapshot, or set SITE_URL and SITE_TOKEN to fetch it from there. Then resume the run."
    )


def how_it_ended(code: int) -> str:
    return f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code} and no message"


@contextlib.contextmanager
def os_errors_as_sentences(folder: Path, then: str) -> Iterator[None]:
    """Converts an OSError of this block to CannotStart, with the file, or at least the folder, and what to do."""
    try:
        yield
    except OSError as problem:
        what = f"{problem.filename or folder}: {problem.strerror or problem}."
        if problem.errno in (errno.ENOSPC, errno.EDQUOT):
            way_out = "Make room there or move QUINTET_VAR to a larger disk"
        elif problem.errno in (errno.ENOMEM, errno.EAGAIN):
            way_out = "Free memory or end other programs"
        else:
            way_out = "Repair the disk or the permissions"
        raise CannotStart(f"{what} {way_out}, then {then}.") from problem
