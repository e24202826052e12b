"""Defines queries about training runs."""

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Avg, Count, F, Max, Min, Prefetch, Q, QuerySet, StdDev, Window
from django.db.models.functions import Mod, NullIf, RowNumber, Sqrt
from django.utils import timezone

from accounts.models import User
from collection.models.querysets import SEES_RESULTS, in_corpora_of
from jobs.querysets import JobQuerySet, stale_before
from modeling.baselines.config import CHECKPOINT, METRICS

# How near predicted probabilities are to the annotators' shares: columns of Evaluation.
DISTRIBUTION = ("kl", "jsd", "entropy_correlation")


# How long a run waits for the machine that has its checkpoint: long enough for a restart.
WAITS_FOR_ITS_HOST = timedelta(minutes=5)


def host_of(worker: str) -> str:
    """Returns the machine of a worker, whose name is NAME@MACHINE or NAME@MACHINE:PROCESS."""
    return worker.rpartition("@")[2].partition(":")[0]


class RunQuerySet(JobQuerySet):
    def claimable_by(self, worker: str) -> "RunQuerySet":
        """Leaves out, for some minutes, the runs whose checkpoint is on another machine and not here."""
        recent = Q(queued_at__gt=timezone.now() - WAITS_FOR_ITS_HOST, status=self.kind.WAITING)
        recent |= Q(heartbeat_at__gt=stale_before() - WAITS_FOR_ITS_HOST, status=self.kind.WORKING)
        theirs = self.claimable().filter(recent).exclude(host__in=("", host_of(worker)))
        places = ((pk, Path(settings.RUN_ROOT) / folder) for pk, folder in theirs.values_list("pk", "folder"))
        elsewhere = [
            pk for pk, here in places if not ((here / CHECKPOINT).exists() or (here / METRICS).exists())
        ]
        found: RunQuerySet = self.claimable().exclude(pk__in=elsewhere)
        return found

    def of(self, user: User | None) -> "RunQuerySet":
        """Keeps the runs on corpora whose results this researcher sees: see `CorpusQuerySet.of`."""
        return self.filter(in_corpora_of(user, "snapshot__corpus", SEES_RESULTS))

    def newest_first(self) -> "RunQuerySet":
        return self.order_by("-id").select_related("snapshot__corpus", "requested_by").with_children()

    def with_children(self) -> "RunQuerySet":
        """Loads the children that `standing` and `is_search` of a sweep read, in one query for all sweeps."""
        shown = ("id", "parent", "seed", "most", "config", "status", "error")
        rows: RunQuerySet = RunQuerySet(self.model)
        return self.prefetch_related(Prefetch("children", rows.order_by("most", "pk").only(*shown)))

    def run_or_its_children(self, run: Any) -> "RunQuerySet":
        """Returns the runs that train: the children of a sweep, or the run itself."""
        return self.filter(Q(pk=run.pk) | Q(parent=run.pk)).exclude(status="sweep")

    def newest_of_each_seed(self) -> "RunQuerySet":
        """Keeps the newest of runs that are equal in all respects, since a repeated seed is no second sample."""
        same = ("snapshot", "baseline", "vectors", "config", "regime", "most", "seed")
        newest = Window(Max("id"), partition_by=[F(name) for name in same])
        return self.annotate(newest=newest).filter(pk=F("newest"))


class ProgressQuerySet(models.QuerySet):
    def kept(self) -> "ProgressQuerySet":
        """Leaves out the lines of an attempt whose checkpoint is on another machine."""
        return self.filter(is_lost=False)

    def curve(self, points: int = 300) -> list[Any]:
        """Returns about `points` lines of the loss and as many ends of epochs, for a page about a run of days."""
        ends = self.filter(dev_accuracy__isnull=False).thinned(points)
        between = self.filter(dev_accuracy__isnull=True).thinned(points)
        return sorted([*ends, *between], key=lambda line: line.pk)

    def thinned(self, points: int) -> "ProgressQuerySet":
        """Keeps about `points` rows, evenly spread, among them the first and the newest."""
        rows = self.count()
        every = max(1, -(-rows // points))
        numbered = self.annotate(row=Window(RowNumber(), order_by=F("id").asc()), rest=Mod(F("row"), every))
        return numbered.filter(Q(rest=0) | Q(row=1) | Q(row=rows))


class EvaluationQuerySet(models.QuerySet):
    def of_runs(self, runs: RunQuerySet) -> "EvaluationQuerySet":
        """Keeps scores on the same snapshots that the runs were trained on."""
        return self.filter(run__in=runs.values("pk"), snapshot=F("run__snapshot"))

    def by_experiment(self) -> QuerySet[Any, dict[str, Any]]:
        """Returns a row for each group of runs that differ only by seed, and each partition.

        `spread` is the sample standard deviation over runs, None for a single one.
        """
        what = ("run__baseline", "run__vectors", "run__config", "run__regime", "run__most", "partition")
        scores = self._over_runs("accuracy", "run__snapshot_id", *what)
        return scores.order_by("-run__snapshot_id", *what)

    def by_size(self, sweep: Any, figure: str = "accuracy") -> QuerySet[Any, dict[str, Any]]:
        """Returns a row for each training size and partition of a sweep, over its finished runs that have `figure`."""
        scores = self.filter(run__parent=sweep, run__status="done", snapshot=F("run__snapshot"))
        return scores._over_runs(figure, "run__most", "partition").order_by("run__most", "partition")

    def _over_runs(self, figure: str, *what: str) -> QuerySet[Any, dict[str, Any]]:
        # One statistic at a time: SQLite's own deviation of nothing, or of a NULL, is an error.
        rows = self.filter(**{f"{figure}__isnull": False}).values(*what)
        return rows.annotate(
            mean=Avg(figure),
            # Corrected here: SQLite's own sample deviation of a single value is an error, not NULL.
            spread=StdDev(figure) * Sqrt(Count("run") * 1.0 / NullIf(Count("run") - 1, 0)),
            lowest=Min(figure),
            highest=Max(figure),
            bar=Max("majority"),
        )


class WorkerQuerySet(models.QuerySet):
    def alive_since(self, moment: datetime) -> "WorkerQuerySet":
        return self.filter(seen_at__gte=moment)
