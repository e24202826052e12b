"""The trials of a search over settings: dev decides, and only the chosen one's test scores are shown.

SNLI, section 3.3, and MPE, footnote 3, choose their settings in this way. Seen test scores of all trials would
influence the choice, too.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Avg, Case, Count, Exists, F, OuterRef, Q, Subquery, When
from django.db.models.functions import Coalesce

from modeling.launching.regimes import settings_text
from modeling.models import Evaluation, TrainingRun
from modeling.paired_tests import mean_and_spread
from modeling.querysets import RunQuerySet
from nli.lines import HELD_OUT
from snapshots.models import Snapshot


@dataclass
class Trial:
    """The runs of a search with the same settings, over seeds. `test` is None unless the trial was chosen."""

    settings: str
    config: dict[str, Any]
    runs: list[dict[str, Any]] = field(default_factory=list)
    dev: float | None = None
    spread: float | None = None
    test: float | None = None
    chosen: bool = False


def trials(sweep: TrainingRun) -> list[Trial]:
    """Returns the trials of a search, the best on dev first; empty for a sweep over seeds and sizes. Two queries."""
    if not sweep.is_search:
        return []
    found: dict[str, Trial] = {}
    for child in sweep.children.all():
        own = {key: value for key, value in child.config.items() if sweep.config.get(key, ...) != value}
        trial = found.setdefault(repr(child.config), Trial(settings_text(own), child.config))
        trial.runs.append({"run": child.pk, "seed": child.seed, "status": child.status, "error": child.error})
    rows = Evaluation.objects.filter(run__parent=sweep, snapshot=sweep.snapshot_id, run__status="done")
    scores: dict[tuple[int, str], float] = {(row.run_id, row.partition): row.accuracy for row in rows}
    left = not_chosen(TrainingRun.objects.filter(parent=sweep))
    for trial in found.values():
        known = [scores[run["run"], "dev"] for run in trial.runs if (run["run"], "dev") in scores]
        trial.dev, trial.spread = mean_and_spread(known) if known else (None, None)
        trial.chosen = left.isdisjoint(run["run"] for run in trial.runs)
        tested = [scores[run["run"], "test"] for run in trial.runs if (run["run"], "test") in scores]
        trial.test = mean_and_spread(tested)[0] if trial.chosen and tested else None
    return sorted(found.values(), key=lambda trial: -1 if trial.dev is None else trial.dev, reverse=True)


def with_scores(runs: RunQuerySet) -> RunQuerySet:
    """Adds `on_dev` and `on_test`, the accuracy on the run's own snapshot; on test only where it may be seen."""
    of_run = Evaluation.objects.filter(run=OuterRef("pk"), snapshot=OuterRef("snapshot"))
    seen = of_run.filter(partition="test").exclude(run__in=not_chosen(runs))
    return runs.annotate(
        on_dev=Subquery(of_run.filter(partition="dev").values("accuracy")[:1]),
        on_test=Subquery(seen.values("accuracy")[:1]),
    )


def with_means(runs: RunQuerySet) -> RunQuerySet:
    """Adds `on_dev` and `on_test` as `with_scores` does, of a sweep as means over its seeds; `parts`: its number of runs.

    A sweep that compares settings or sizes has none of its own: its page shows them.
    """
    children = TrainingRun.objects.filter(parent=OuterRef("pk"))
    seeds = Evaluation.objects.filter(
        Q(run=OuterRef("pk")) | Q(run__parent=OuterRef("pk")), snapshot=OuterRef("snapshot")
    )
    grouped = children.order_by().values("parent")
    sizes = grouped.annotate(sizes=Count(Coalesce("most", 0), distinct=True)).values("sizes")
    differ = Q(Exists(children.exclude(config=OuterRef("config")))) | Q(sizes__gt=1)
    means = {
        f"on_{part}": Case(
            When(differ, then=None),
            default=Subquery(
                seeds.filter(partition=part)
                .order_by()
                .values("snapshot")
                .annotate(mean=Avg("accuracy"))
                .values("mean")
            ),
        )
        for part in HELD_OUT
    }
    parts = grouped.annotate(parts=Count("pk")).values("parts")
    return runs.annotate(sizes=Subquery(sizes), parts=Subquery(parts), **means)


def not_chosen_on(snapshots: Iterable[Snapshot]) -> set[int]:
    """Returns the runs on these snapshots that are trials of a search and were not chosen. Two queries."""
    return not_chosen(TrainingRun.objects.filter(snapshot__in=list(snapshots)))


def hides_test(run: TrainingRun) -> bool:
    """Returns whether a run is a trial that was not chosen: nobody sees its test scores. Two queries for a child."""
    return run.parent_id is not None and run.pk in not_chosen(
        TrainingRun.objects.filter(parent=run.parent_id)
    )


def not_chosen(runs: RunQuerySet) -> set[int]:
    """Returns those of the runs that are trials of a search and were not chosen. Two queries.

    The trial with the highest mean on dev is chosen, once no run of the search is under way.
    """
    children: dict[int | None, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    open_searches = set()
    rows = runs.filter(parent__isnull=False).order_by("pk")
    for pk, parent, config, status in rows.values_list("pk", "parent", "config", "status"):
        children[parent][repr(config)].append(pk)
        if status in TrainingRun.are_under_way():
            open_searches.add(parent)
    searches = {parent: by for parent, by in children.items() if len(by) > 1}
    if not searches:
        return set()
    dev = _dev([pk for by in searches.values() for pks in by.values() for pk in pks])
    left: set[int] = set()
    for parent, by in searches.items():
        means = {
            name: mean_and_spread(known)[0]
            for name, runs_of_trial in by.items()
            if (known := [dev[pk] for pk in runs_of_trial if pk in dev])
        }
        best = None if parent in open_searches else max(means, key=lambda name: means[name], default=None)
        left.update(pk for name, runs_of_trial in by.items() if name != best for pk in runs_of_trial)
    return left


def _dev(runs: Sequence[int]) -> dict[int, float]:
    rows = Evaluation.objects.filter(
        run__in=runs, run__status="done", partition="dev", snapshot=F("run__snapshot")
    )
    return dict(rows.values_list("run", "accuracy"))
