"""Chooses runs to compare, says in what they differ, and gathers all charts of one run."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

from modeling import catalogue
from modeling.models import TrainingRun
from modeling.results.data_map import NoDataMap, data_map
from modeling.results.run_charts import data_map_charts, result_charts
from modeling.results.run_scores import evaluations
from modeling.watching.charts import MOST_RUNS, curves, seed_charts
from shared.charts import Chart
from validation.questions.lookup import names_of


def chosen_runs(numbers: Iterable[str]) -> list[TrainingRun]:
    """Returns the runs with these numbers, at most six, in their order; of a sweep its runs. Unknown ones are left out."""
    wanted = list(
        dict.fromkeys(int(each) for each in numbers if each.isascii() and each.isdigit() and len(each) < 10)
    )
    rows = TrainingRun.objects.newest_first().in_bulk(wanted)
    found = [rows[number] for number in wanted if number in rows]
    sweeps = [run.pk for run in found if run.is_sweep]
    children = TrainingRun.objects.newest_first().filter(parent__in=sweeps).order_by("pk") if sweeps else ()
    singles = [one for run in found for one in ([run] if run.pk not in sweeps else of_sweep(run, children))]
    return list(dict.fromkeys(singles))[:MOST_RUNS]


def of_sweep(sweep: TrainingRun, children: Iterable[TrainingRun]) -> list[TrainingRun]:
    return [child for child in children if child.parent_id == sweep.pk]


def differences(runs: Sequence[TrainingRun]) -> list[tuple[str, list[Any]]]:
    """Returns what differs between runs, with the value of each; a setting that a run leaves to its default is empty."""
    settings = [
        {
            "snapshot": str(run.snapshot),
            "baseline": run.baseline,
            "vectors": run.vectors,
            "training pairs": run.most or "all",
            "seed": run.seed,
            **run.config,
            **run.regime,
        }
        for run in runs
    ]
    names = dict.fromkeys(name for one in settings for name in one)
    table = [(name, [one.get(name, "") for one in settings]) for name in names]
    return [(name, values) for name, values in table if any(value != values[0] for value in values)]


def without_line(runs: Iterable[TrainingRun], charts: Iterable[Chart]) -> list[tuple[TrainingRun, str]]:
    """Returns the runs that none of the charts draws, each with why."""
    drawn = {key for chart in charts for key in chart.draw["series"]}
    return [(run, _why_undrawn(run)) for run in runs if f"run-{run.pk}" not in drawn]


def _why_undrawn(run: TrainingRun) -> str:
    known = catalogue.baselines().get(run.baseline)
    if known and not known.learns_in_steps:
        return "it does not learn in epochs"
    if run.is_under_way:
        return "it has not ended its first epoch yet"
    return "it has stored neither an epoch nor two losses"


def run_charts(run: TrainingRun) -> list[Chart]:
    """Returns all charts of a run or sweep: curves, confusion and calibration, its data map."""
    found = [*curves(run.lines.curve()), *(seed_charts(run) if run.is_sweep else [])]
    evaluated = evaluations(run)
    names = names_of([run.snapshot.corpus, *(one.snapshot.corpus for one in evaluated)])
    found += [chart for charts in result_charts(evaluated, names) for chart in charts]
    with suppress(NoDataMap):
        found += data_map_charts(run, data_map(run), names[run.snapshot.corpus_id])
    return found
