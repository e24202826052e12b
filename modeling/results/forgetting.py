"""Takes back what runs have of a partition whose labels are withheld from now on: scores, predictions, logs."""

import json
from pathlib import Path

from django.db.models import Q

from modeling.baselines.config import METRICS
from modeling.folders import LOG, PROGRESS, folders_with, further_dimensions
from modeling.models import Breakdown, Evaluation, LeakAudit, RunProgress, TrainingRun
from snapshots.errors import SnapshotError
from snapshots.models import Snapshot


def forget_results(snapshot: Snapshot, partition: str) -> None:
    """Deletes these from the database and from this machine's folders. Raises SnapshotError while a run is under way."""
    concerned = Q(snapshot=snapshot) | Q(evaluations__snapshot=snapshot)
    runs = list(TrainingRun.objects.filter(concerned).distinct().order_by("pk"))
    if busy := TrainingRun.objects.under_way().filter(snapshot=snapshot).first():
        raise SnapshotError(f"Run {busy.pk} on {snapshot} is under way. Stop it, or wait until it is done.")
    of_part = {"snapshot": snapshot, "partition": partition}
    for model in (Evaluation, Breakdown):
        model._default_manager.filter(**of_part).delete()
    LeakAudit.objects.filter(Q(**of_part) | Q(other=snapshot, other_partition=partition)).delete()
    if partition == "dev":
        RunProgress.objects.filter(run__snapshot=snapshot).update(dev_accuracy=None)
    for run in runs:
        further_dimensions(run, snapshot, partition).unlink(missing_ok=True)
        for folder in folders_with(run, snapshot, partition):
            _forget_in(folder, partition)
    for run in runs:
        kept = [line for line in run.warnings.splitlines() if partition not in line]
        told = (
            f"What it had of {partition} of {snapshot} was deleted, because these labels were withheld later."
        )
        TrainingRun.objects.filter(pk=run.pk).update(warnings="\n".join([*kept, told]))


def _forget_in(folder: Path, partition: str) -> None:
    for path in (*folder.glob(f"predictions-{partition}.jsonl*"), folder / LOG, folder / PROGRESS):
        path.unlink(missing_ok=True)
    file = folder / METRICS
    if file.exists():
        metrics = json.loads(file.read_text(encoding="utf-8"))
        metrics.pop(partition, None)
        file.write_text(json.dumps(metrics), encoding="utf-8")
