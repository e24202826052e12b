"""Pages: the list of runs, and one run or sweep."""

from collections.abc import Mapping
from contextlib import suppress
from itertools import chain
from typing import Any

from django.db.models import OuterRef, Subquery
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.utils.http import urlencode

from accounts.pages.access import researcher_page
from accounts.pages.chart_files import chart_file
from modeling import workers
from modeling.folders import log_tail
from modeling.launching.regimes import regime_text, settings_text
from modeling.models import Evaluation, TrainingRun
from modeling.results.beside_twin import BesideTwin, beside_twin
from modeling.results.data_map import data_map_file
from modeling.results.features import top_features
from modeling.results.predictions import PredictionsMissing
from modeling.results.run_charts import result_charts
from modeling.results.tables import evaluations, results
from modeling.results.trials import hides_test, trials
from modeling.results.twins import TWIN, full_run_of, reads_premises, twin_of
from modeling.watching.charts import MOST_RUNS, chosen_charts, comparison_charts, seed_charts
from modeling.watching.comparing import chosen_runs, differences, run_charts
from modeling.watching.curves import curves
from modeling.watching.sweeps import distributions, sizes
from nli.lines import HELD_OUT
from shared.csv_files import csv_file
from shared.sorted_lists import Column, sorted_page, stored_as_csv
from snapshots.models import Snapshot

RUNS_A_PAGE = 50
SNAPSHOTS_SHOWN = 20
NEWEST_LINES = 10
FEATURES_SHOWN = 20
COLUMNS = [
    Column("run", "Run", lambda each: each.pk, largest_first=True, field="pk"),
    Column("baseline", "Baseline", lambda each: each.baseline, field="baseline"),
    Column("snapshot", "Snapshot", lambda each: str(each.snapshot), largest_first=True, field="snapshot"),
    Column("seed", "Seed", lambda each: None if each.is_sweep else each.seed, field="seed"),
    Column("status", "Status", lambda each: each.standing, field="status"),
    Column("dev", "Dev accuracy", lambda each: each.on_dev, is_number=True, field="on_dev"),
    Column(
        "requested_at", "Requested", lambda each: each.requested_at, largest_first=True, field="requested_at"
    ),
    Column("settings", "", lambda each: settings_text(each.config)),
]
UNDER_WAY = (TrainingRun.Status.QUEUED, TrainingRun.Status.RUNNING)


@researcher_page
def runs(request: HttpRequest) -> HttpResponseBase:
    """Shows the scores of baselines by snapshot, the newest first, then all runs; of one corpus with `?corpus=SLUG`.

    `chart`: one chart as CSV; `as=csv`: all runs as CSV.
    """
    frozen, found = Snapshot.objects.frozen().newest_first(), TrainingRun.objects.newest_first()
    if slug := request.GET.get("corpus"):
        frozen, found = frozen.filter(corpus__slug=slug), found.filter(snapshot__corpus__slug=slug)
    of_run = Evaluation.objects.filter(run=OuterRef("pk"), snapshot=OuterRef("snapshot"), partition="dev")
    found = found.annotate(on_dev=Subquery(of_run.values("accuracy")[:1]))
    if request.GET.get("as") == "csv":
        return csv_file(stored_as_csv(found, COLUMNS), f"{slug}-runs" if slug else "runs")
    tables = results(list(frozen.filter(runs__status="done").distinct()[:SNAPSHOTS_SHOWN]))
    charts = comparison_charts(tables)
    if "chart" in request.GET:
        return chart_file(chain.from_iterable(charts.values()), request.GET["chart"], "runs")
    listed = sorted_page(request, found, COLUMNS, "-run", RUNS_A_PAGE, "all")
    context = {
        "tables": [(table, charts[table.snapshot.pk]) for table in tables],
        "page": listed.rows,
        "heads": listed.heads,
        "csv": listed.csv,
        "snapshots": frozen[:SNAPSHOTS_SHOWN],
        **workers.of_training(),
    }
    return render(request, "modeling/runs.html", context)


@researcher_page
def run_curves(request: HttpRequest) -> HttpResponse:
    """Shows the curves of the runs named by `run` in common charts, and in what the runs differ. `chart`: one as CSV."""
    found = chosen_runs(request.GET.getlist("run"))
    charts = chosen_charts(found)
    if "chart" in request.GET:
        return chart_file(charts, request.GET["chart"], "runs")
    context = {
        "runs": found,
        "charts": charts,
        "query": urlencode([("run", one.pk) for one in found]),
        "differences": differences(found),
        "most": MOST_RUNS,
        "is_under_way": any(one.standing in UNDER_WAY for one in found),
    }
    template = "modeling/_curves.html" if request.htmx else "modeling/curves.html"  # type: ignore[attr-defined]
    return render(request, template, context)


@researcher_page
def run(request: HttpRequest, pk: int) -> HttpResponse:
    """Shows one run. While it is under way, htmx requests the changing part every two seconds."""
    found = get_object_or_404(TrainingRun.objects.newest_first(), pk=pk)
    if "chart" in request.GET:
        charts = run_charts(found)
        return chart_file(charts, request.GET["chart"], f"run-{pk}")
    template = "modeling/_state.html" if request.htmx else "modeling/run.html"  # type: ignore[attr-defined]
    return render(request, template, _shown(found))


def _shown(found: TrainingRun) -> dict[str, Any]:
    lines = found.lines.curve()
    twin = twin_of(found) or full_run_of(found)
    by_size = sizes(found) if found.is_sweep else []
    is_under_way = found.standing in UNDER_WAY
    evaluated = evaluations(found)
    return {
        "run": found,
        "is_under_way": is_under_way,
        "settings": ", ".join(
            filter(None, (regime_text(found.regime, found.most), settings_text(found.config)))
        ),
        "sizes": by_size,
        "trials": trials(found),
        "distributions": distributions(by_size),
        "lines": lines,
        "newest": lines[-1] if lines else None,
        # While the run is under way, each refresh would fold a folded table again.
        "shown_lines": lines[-NEWEST_LINES:] if is_under_way else lines,
        "curves": seed_charts(found) if found.is_sweep else curves(lines),
        "log": log_tail(found),
        "warnings": found.warnings.splitlines(),
        "evaluations": list(zip(evaluated, result_charts(found, evaluated), strict=True)),
        "hides_test": hides_test(found),
        "twin": twin,
        "beside_twin": [] if is_under_way or twin is None else _beside_twin(found, twin),
        "can_have_twin": twin is None and reads_premises(found),
        "ask_for_twin": _query_of_twin(found),
        "has_data_map": data_map_file(found).exists(),
        "top_features": top_features(found, FEATURES_SHOWN),
        "held_out": HELD_OUT,
        **workers.of_training(),
    }


def _beside_twin(found: TrainingRun, twin: TrainingRun) -> list[BesideTwin]:
    """Returns the comparison on dev and on test, if the predictions of both are on this machine."""
    full, plain = (found, twin) if twin.regime.get(TWIN) else (twin, found)
    compared = []
    for partition in HELD_OUT:
        with suppress(PredictionsMissing):
            compared.append(beside_twin(full, plain, partition))
    return [one for one in compared if one is not None]


def _query_of_twin(found: TrainingRun) -> str:
    """Returns the fields of the form for a new run that request the twin of this one."""
    regime, start = found.regime, found.regime.get("start", {})
    fields = {
        "baseline": found.baseline,
        "seeds": found.seed,
        "vectors": found.vectors,
        "config": "\n".join(f"{key}={value}" for key, value in found.config.items()),
        "most": found.most,
        "genre": regime.get("genre"),
        "mixed": "\n".join(_mixed_line(one) for one in regime.get("mixed", ())),
        "start": start.get("run"),
        "how": start.get("how"),
        "collapse": regime.get("collapse"),
        "soft_labels": regime.get("soft_labels"),
        TWIN: "on",
    }
    return urlencode({key: value for key, value in fields.items() if value})


def _mixed_line(entry: Mapping[str, Any]) -> str:
    """Writes an entry of `mixed` as the form accepts it."""
    limits = [f"{key}={entry[key]}" for key in ("share", "most") if key in entry]
    return " ".join([entry["snapshot"], *limits])
