"""The weights of a finished run as one file for others: what `load_run` needs, and how to load it."""

import json
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO
from zipfile import ZIP_STORED, ZipFile

from modeling.baselines.config import WEIGHTS
from modeling.folders import folder_of
from modeling.models import TrainingRun

NEEDED = (WEIGHTS, "config.json", "vocabulary.json", "labels.json", "metrics.json")
# Without these, the scores of `evaluate` would lack what training and evaluation have in common.
ALSO = ("environment.json", "training_texts.safetensors")
README = """# {name}

{baseline} on {snapshot} (sha256 {sha256}), seed {seed}, labels {labels}. No file is a pickle: loading runs nothing.
In an installation of Quintet, with this folder unpacked as MODEL:

    from pathlib import Path; from modeling.baselines.checkpoint import load_run; run = load_run(Path("MODEL"))

`run.network` is a torch module, `run.vocabulary` its words, `run.labels` the order of its outputs. To score other pairs:

    python -m modeling.baselines.evaluate MODEL EVAL.json
"""


class ModelMissing(Exception):
    """The run has no weights on this machine. The message says why."""


def why_no_model(run: TrainingRun) -> str:
    """Returns why there is no file of the run's model here; an empty text if there can be one."""
    if run.status != run.Status.DONE:
        return f"Run {run.pk} is {run.get_status_display()}: it has no weights yet."
    lacking = next((name for name in NEEDED if not (folder_of(run) / name).is_file()), "")
    return lacking and f"{lacking} of run {run.pk} is not here; it was trained by {run.worker or 'a worker'}."


def model_file(run: TrainingRun) -> IO[bytes]:
    """Returns a zip archive of a finished run, without predictions and progress. Raises ModelMissing."""
    folder = folder_of(run)
    if why := why_no_model(run):
        raise ModelMissing(why)
    archive = TemporaryFile()  # noqa: SIM115 the answer closes it
    with ZipFile(archive, "w", ZIP_STORED) as packed:
        packed.writestr("README.md", _readme(run, folder))
        for path in _files(folder):
            packed.write(path, path.relative_to(folder))
    archive.seek(0)
    return archive


def name_of(run: TrainingRun) -> str:
    return f"{run.baseline}-{run.snapshot.corpus.slug}-{run.snapshot.version}-run-{run.pk}"


def _files(folder: Path) -> Iterator[Path]:
    yield from (folder / name for name in (*NEEDED, *ALSO) if (folder / name).is_file())
    yield from sorted(path for path in (folder / "encoder").rglob("*") if path.is_file())


def _readme(run: TrainingRun, folder: Path) -> str:
    labels = json.loads((folder / "labels.json").read_text(encoding="utf-8"))
    return README.format(
        name=name_of(run),
        baseline=run.baseline,
        snapshot=run.snapshot,
        sha256=run.snapshot.sha256,
        seed=run.seed,
        labels=", ".join(map(str, labels)),
    )
