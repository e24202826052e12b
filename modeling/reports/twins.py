"""Compares each run of a snapshot with its hypothesis-only twin."""

from modeling.models import TrainingRun
from modeling.results.beside_twin import whole_beside_twin
from modeling.results.predictions import PredictionsMissing
from modeling.results.trials import not_chosen_on
from modeling.results.twins import TWIN, full_run_of
from shared.tables import Column, Table, Value, plain
from snapshots.models import Snapshot


def twins(snapshots: list[Snapshot], partition: str, most: int) -> Table:
    """Returns a row for each run that has a twin, the newest first."""
    (snapshot,) = snapshots
    columns = (
        Column("baseline"),
        Column("seed", kind="count"),
        Column("run", kind="run"),
        Column("twin", kind="run"),
        Column("pairs", kind="count"),
        Column("full model", kind="share"),
        Column("hypothesis-only", kind="share"),
        Column("majority", kind="share"),
        Column("gain", kind="share"),
        Column("gain, relative", kind="share"),
        Column("PVI, bits"),
    )
    rows: list[list[Value]] = []
    left = not_chosen_on([snapshot])
    done = TrainingRun.objects.filter(snapshot=snapshot, status=TrainingRun.Status.DONE)
    for twin in done.newest_of_each_seed().select_related("snapshot__corpus").order_by("-pk"):
        run = full_run_of(twin) if twin.regime.get(TWIN) else None
        if run is None or {run.pk, twin.pk} & left or len(rows) >= most:
            continue
        try:
            whole = whole_beside_twin(run, twin, partition)
        except PredictionsMissing:
            continue
        if whole is not None:
            rows.append(
                [
                    run.baseline, run.seed, str(run.pk), str(twin.pk), whole.pairs, whole.full, whole.twin,
                    whole.majority, whole.gain, whole.relative, f"{whole.pvi:.3f}",
                ]
            )  # fmt: skip
    definitions = [
        "Twin: the same network, settings and seed, which reads each premise as empty (train --hypothesis-only).",
        "Gain: full model minus hypothesis-only; relative: as a share of hypothesis-only.",
        "PVI: bits that the premise adds to the gold label's probability, mean over pairs (Ethayarajh et al. 2022).",
    ]
    if not rows:
        definitions.append(
            f"No finished run on {snapshot} has such a twin with predictions for {partition} on this machine: a run's page"
            " leads to training one."
        )
    return plain(
        "twins", f"Runs beside their hypothesis-only twins, {partition}", columns, rows, tuple(definitions)
    )
