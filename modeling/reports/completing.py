"""Completes a table: counts pairs, scores finished runs, and queues the runs that it lacks. A command and a page call it."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from collection.models import PARTITIONS
from jobs.tasks import enqueue
from modeling import catalogue
from modeling.launching.actions import request_runs
from modeling.launching.regimes import RefusedRun
from modeling.models import Breakdown
from modeling.reports.definitions import TABLES
from modeling.reports.filling import fill
from modeling.reports.overviews import MOST_ROWS, OVERVIEWS
from modeling.reports.scores import Scores
from modeling.reports.unscored import Unscored, score_all
from modeling.results.breakdowns import store_composition
from modeling.results.dimensions import APPROACH
from nli.lines import HELD_OUT
from shared.figures import Parameters
from snapshots.models import Snapshot
from snapshots.statistics.scope import SNAPSHOT

# Result table -> the dimension that it needs and that may be uncounted where all others are counted.
COUNTED_BY = {"multinli-6": "tag", "dnc-2": APPROACH}
WITH_STATISTICS = {"multinli-3": "corpus"}  # result table -> the kind of statistics whose figures it shows
# Tables that runs complete.
NAMES = (*TABLES, *(name for name, each in OVERVIEWS.items() if each.lacks))
SEEDS = 3  # of each missing run, from 1 on, unless others are asked for
Tell = Callable[[str], None]


@dataclass(frozen=True)
class TableOrder:
    """Which table of which snapshots to complete. preset, key: as of `report`. seeds: of each missing run. vectors: that
    these runs read. partition, most: of a table over runs and pairs, whose runs are only scored."""

    name: str
    snapshots: Sequence[Snapshot]
    preset: str = ""
    key: str = ""
    seeds: int = SEEDS
    vectors: str = catalogue.PACKAGED_VECTORS
    partition: str = "test"
    most: int = MOST_ROWS


def complete(order: TableOrder, tell: Tell, repeat: str) -> list[int]:
    """Completes the table as far as it can now be done. Returns the runs that it queued.

    Calls `tell` with each thing done or refused; the last one says `repeat` where more can be done when runs have ended.
    Raises NoTagger, ValueError, OSError.
    """
    if order.name not in TABLES:
        if lacks := OVERVIEWS[order.name].lacks:
            score(lacks(list(order.snapshots), order.partition, order.most), tell)
        return []
    count(order.name, order.snapshots, tell)
    lacking = fill(order.name, order.snapshots, scores=Scores(order.snapshots, order.preset, order.key))
    score(lacking.unscored(), tell)
    queued = []
    for request in lacking.requests(range(1, order.seeds + 1)):
        try:
            run = request_runs(**request, vectors=order.vectors)
        except RefusedRun as error:
            tell(f"{request['baseline']} on {request['snapshot']}: {error}")
            continue
        enqueue(run)
        queued.append(run.pk)
        tell(f"Queued run {run.pk}: {run.baseline} on {run.snapshot}")
    if queued or lacking.waits:
        runs = f"Runs {', '.join(map(str, queued))} are" if queued else "Some runs are"
        tell(
            f"{runs} under way. {repeat} when they are done: it scores them, and queues what starts from them. The table is"
            " complete once nothing is missing."
        )
    return queued


def score(lacking: Iterable[Unscored], tell: Tell) -> None:
    for what, failure in score_all(lacking):
        tell(f"{what}: {failure}" if failure else f"Scored {what}")


def count(name: str, snapshots: Iterable[Snapshot], tell: Tell) -> None:
    """Counts what a result table needs of the pairs of snapshots and is not counted yet. Raises NoTagger, ValueError."""
    dimension = COUNTED_BY.get(name, "label")
    tags = dimension == "tag"
    for snapshot in snapshots:
        stored = Breakdown.objects.filter(run=None, snapshot=snapshot, dimension=dimension)
        counted = set(stored.values_list("partition", flat=True))
        for partition in HELD_OUT if tags else PARTITIONS:
            if partition not in counted and snapshot.pairs.filter(partition=partition).exists():
                tell(f"{snapshot}: counting the pairs of {partition}")
                store_composition(snapshot, partition, tags=tags)
        if name in WITH_STATISTICS:
            SNAPSHOT.count(snapshot, WITH_STATISTICS[name], Parameters(), tell)
