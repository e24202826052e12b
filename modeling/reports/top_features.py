"""Lists the top features of a snapshot's newest lexicalized classifier."""

from modeling.models import TrainingRun
from modeling.results.features import top_features
from shared.tables import Column, Table, Value, plain
from snapshots.models import Snapshot


def features(snapshots: list[Snapshot], partition: str, most: int) -> Table:
    """Returns the features of the newest run that has some, label by label, the strongest first."""
    (snapshot,) = snapshots
    columns = (Column("label"), Column("feature"), Column("kind"), Column("weight", kind="number"))
    runs = TrainingRun.objects.filter(snapshot=snapshot, status=TrainingRun.Status.DONE).order_by("-pk")
    found = ((run, top_features(run, most)) for run in runs.filter(baseline="lexicalized"))
    run, by_label = next(((run, by) for run, by in found if by), (None, {}))
    rows: list[list[Value]] = [
        [label, one.feature, one.kind, one.weight] for label, features in by_label.items() for one in features
    ]
    source = (
        f"Of run {run.pk}."
        if run
        else f"No run of lexicalized on {snapshot} has left its top features on this machine: train one."
    )
    definitions = (
        source,
        "Weight: how far the weight for the label is above the mean over labels, in nats of log odds (SNLI, section 3.4).",
    )
    return plain("features", "Top features of the lexicalized classifier", columns, rows, definitions)
