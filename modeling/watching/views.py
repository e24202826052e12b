"""Pages: the list of runs, and one run or sweep."""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import urlencode

from accounts.models import User
from accounts.pages.access import researcher_page, researcher_post
from accounts.people.gates import viewer
from accounts.templatetags.dates import moment
from collection.models import Corpus
from modeling import workers
from modeling.baselines.config import named_set
from modeling.folders import log_tail, unscored_of
from modeling.launching.regimes import KINDS, kinds_of, regime_text, settings_text
from modeling.models import TrainingRun
from modeling.querysets import RunQuerySet
from modeling.results.beside_twin import BesideTwin, beside_twin
from modeling.results.data_map import data_map_file
from modeling.results.features import top_features
from modeling.results.predictions import PredictionsMissing
from modeling.results.run_figures import OF_PARTITIONS, SCORES
from modeling.results.run_scores import evaluations, results
from modeling.results.trials import hides_test, trials, with_means, with_scores
from modeling.results.twins import TWIN, full_run_of, reads_premises, twin_of
from modeling.watching.baseline_figures import FIGURES, comparisons
from modeling.watching.curves import (
    EPOCHS,
    MOST_RUNS,
    OF_RUN,
    OF_SEVERAL,
    Beside,
    Together,
    chosen_runs,
    differences,
    of_sweep,
    without_line,
)
from modeling.watching.model_file import why_no_model
from modeling.watching.sweeps import distributions, sizes
from nli.lines import HELD_OUT
from shared.among import Among
from shared.csv_files import csv_file
from shared.facets import Numbers
from shared.figures import shown
from shared.lists import Filter, Row, View
from shared.sorted_lists import ordered, stored_as_csv
from shared.tables import Column
from snapshots.errors import SnapshotError
from snapshots.handing_in.actions import Refused, hand_in, part_of, predictions_in
from snapshots.models import Snapshot
from snapshots.statistics.scope import ask_names, names_on

SNAPSHOTS_SHOWN = 20
NEWEST_LINES = 10
FEATURES_SHOWN = 20
# The keys are those of CSV, of `sort` and of `column` in addresses.
COLUMNS = [
    Column("run", "Run", "page", value=lambda each: each.pk, largest_first=True, field="pk"),
    Column("baseline", "Baseline", value=lambda each: each.baseline, field="baseline"),
    Column(
        "snapshot", "Snapshot", value=lambda each: str(each.snapshot), largest_first=True, field="snapshot"
    ),
    Column("seed", "Seed", value=lambda each: None if each.is_sweep else each.seed, field="seed"),
    Column("status", "Status", value=lambda each: each.standing, field="status"),
    Column("dev", "Dev accuracy", "share", value=lambda each: each.on_dev, field="on_dev"),
    Column("test", "Test accuracy", "share", value=lambda each: each.on_test, field="on_test"),
    Column(
        "requested_at",
        "Requested",
        value=lambda each: each.requested_at,
        largest_first=True,
        field="requested_at",
    ),
    Column(
        "settings", "Settings", value=lambda each: settings_text(each.config), field="config", on_page=False
    ),
    Column("vectors", "Word vectors", value=lambda each: each.vectors, field="vectors", on_page=False),
    Column(
        "train_pairs",
        "Training pairs",
        "count",
        value=lambda each: each.train_pairs,
        field="train_pairs",
        on_page=False,
    ),
    Column("seconds", "Seconds", "number", value=lambda each: each.seconds, field="seconds", on_page=False),
    Column("device", "Device", value=lambda each: each.device, field="device", on_page=False),
]


@researcher_page
def runs(request: HttpRequest) -> HttpResponseBase:
    """Lists runs, and shows the scores of baselines by snapshot, the newest first; of one corpus with `?corpus=SLUG`.

    `seeds=together`: a sweep is one row, with the means over its seeds.
    `as=csv`: all runs that pass, as CSV.
    """
    frozen = Snapshot.objects.of(viewer()).frozen().newest_first()
    found = TrainingRun.objects.of(viewer()).newest_first()
    if slug := request.GET.get("corpus"):
        frozen, found = frozen.filter(corpus__slug=slug), found.filter(snapshot__corpus__slug=slug)
    is_together = request.GET.get("seeds") == "together"
    if is_together:
        found = found.filter(parent=None)
    view = View.by_heads(request, COLUMNS, "-run")
    filters, passing, numbers = _narrowed(view, found)
    found = (with_means if is_together else with_scores)(found).filter(Among("pk", passing))
    if request.GET.get("as") == "csv":
        return csv_file(stored_as_csv(found, COLUMNS), f"{slug}-runs" if slug else "runs")
    tables = results(list(frozen.filter(runs__status="done").distinct()[:SNAPSHOTS_SHOWN]))
    ask_names(table.snapshot for table in tables)
    page = view.page(ordered(found, COLUMNS, view.order), len(passing))
    context = {
        "tables": [
            (each.table, shown(FIGURES, each.table.snapshot, each, mark=each.table.snapshot.pk))
            for each in comparisons(tables)
        ],
        "list": view.page_of(
            [_row(each) for each in page], filters, numbers=numbers, page=page, name="run", ticks="run"
        ),
        "is_together": is_together,
        "is_waiting": TrainingRun.WAITING in dict(numbers["status"]),
        "corpus": Corpus.objects.of(viewer()).filter(slug=slug).first() if slug else None,
        "snapshots": list(frozen[:SNAPSHOTS_SHOWN]),
        **workers.of_training(),
    }
    return render(request, "modeling/runs.html", context)


def _narrowed(view: View, runs: RunQuerySet) -> tuple[list[Filter], list[int], Numbers]:
    """Returns the filters of the list, the keys of the runs that pass them, and the numbers beside their values."""
    facts = [
        (
            each.pk,
            {
                "text": " ".join((each.baseline, settings_text(each.config), each.vectors)),
                "baseline": each.baseline,
                "status": each.standing,
                "snapshot": str(each.snapshot),
                "regime": kinds_of(each.regime, each.most),
            },
        )
        for each in runs
    ]

    def values(key: str) -> dict[str, str]:
        return {value: value for value in dict.fromkeys(fact[key] for _, fact in facts)}

    filters = [
        Filter("text", "Words of baseline or settings"),
        Filter("status", "Status", values("status")),
        Filter("baseline", "Baseline", values("baseline")),
        Filter("snapshot", "Snapshot", values("snapshot")),
        Filter("regime", "Regime", KINDS),
        Filter("seeds", "Seeds", {"together": "together, with their means"}, is_choice=True, nothing="each"),
    ]
    return filters, *view.narrowed(filters, facts)


def _row(each: Any) -> Row:
    """each: a run of `with_scores` or `with_means`."""
    cells = {column.key: column.value(each) for column in COLUMNS}
    if each.is_sweep:
        cells["seed"] = f"{each.parts} runs" if hasattr(each, "parts") else "sweep"
    if each.stop_requested:
        cells["status"] += ", stopping"
    cells["run"] = (f"{each.pk}", reverse("run", args=[each.pk]), "")
    cells["snapshot"] = (cells["snapshot"], reverse("snapshot", args=[each.snapshot_id]))
    return Row(f"{each.pk}", cells | {"requested_at": moment(each.requested_at)})


@researcher_page
def run_curves(request: HttpRequest) -> HttpResponse:
    """Shows the curves of the runs named by `run` in common pictures, and in what the runs differ."""
    found = chosen_runs(request.GET.getlist("run"))
    others = Beside(beside=",".join(str(one.pk) for one in found[1:]))
    charts = list(shown(OF_SEVERAL, found[0], Together(found), others)) if found else []
    corpora = {one.snapshot.corpus for one in found}
    context = {
        "runs": found,
        "corpus": corpora.pop() if len(corpora) == 1 else None,
        "charts": charts,
        "without_line": without_line(found, charts),
        "query": urlencode([("run", one.pk) for one in found]),
        "differences": differences(found),
        "most": MOST_RUNS,
        "is_under_way": any(one.standing in TrainingRun.are_under_way() for one in found),
    }
    template = "modeling/_curves.html" if request.htmx else "modeling/curves.html"  # type: ignore[attr-defined]
    return render(request, template, context)


@researcher_page
def run(request: HttpRequest, pk: int) -> HttpResponse:
    """Shows one run. While it is under way, htmx requests the changing part every two seconds."""
    found = get_object_or_404(TrainingRun.objects.newest_first(), pk=pk)
    template = "modeling/_state.html" if request.htmx else "modeling/run.html"  # type: ignore[attr-defined]
    return render(request, template, _shown(found))


@researcher_post
def hand_in_run(request: HttpRequest, pk: int) -> HttpResponse:
    """Hands in what a run predicts for the withheld partition of its snapshot."""
    found = get_object_or_404(TrainingRun.objects.newest_first(), pk=pk)
    try:
        part = part_of(found.snapshot, request.POST.get("partition", ""))
        file = _unscored(found).get(part)
        if file is None:
            raise Refused(f"Run {pk} has no predictions for {part} of {found.snapshot} here.")
        row = hand_in(
            snapshot=found.snapshot, partition=part, team=request.POST.get("team", "")[:60],
            name=request.POST.get("name", "")[:100], description=f"Run {pk}: {found.baseline} {_settings_of(found)}".strip(),
            predictions=predictions_in(file.read_text(encoding="utf-8")), by=cast(User, request.user),
        )  # fmt: skip
    except SnapshotError as error:
        messages.warning(request, str(error))
        return redirect("run", pk)
    messages.success(request, f"{row.name} is scored.")
    return redirect("leaderboard", found.snapshot_id)


def _unscored(found: TrainingRun) -> dict[str, Path]:
    """Returns its files of predictions for withheld partitions of its snapshot; not that of test of a hidden trial."""
    files = {part: unscored_of(found, found.snapshot, part) for part in HELD_OUT}
    return {
        part: file
        for part, file in files.items()
        if file is not None and not (part == "test" and hides_test(found))
    }


def _settings_of(found: TrainingRun) -> str:
    return ", ".join(filter(None, (regime_text(found.regime, found.most), settings_text(found.config))))


def _shown(found: TrainingRun) -> dict[str, Any]:
    lines = found.lines.curve()
    twin = twin_of(found) or full_run_of(found)
    by_size = sizes(found) if found.is_sweep else []
    is_under_way = found.standing in TrainingRun.are_under_way()
    evaluated = evaluations(found)
    ask_names([found.snapshot, *(one.snapshot for one in evaluated)])
    return {
        "run": found,
        "is_under_way": is_under_way,
        "settings": _settings_of(found),
        "unscored": _unscored(found),
        "sizes": by_size,
        "trials": trials(found),
        "distributions": distributions(by_size),
        "lines": lines,
        "newest": lines[-1] if lines else None,
        # While the run is under way, each refresh would fold a folded table again.
        "shown_lines": lines[-NEWEST_LINES:] if is_under_way else lines,
        "curves": shown((EPOCHS,), found, of_sweep(found)) if found.is_sweep else shown(OF_RUN, found, lines),
        "log": log_tail(found),
        "warnings": found.warnings.splitlines(),
        "scores": shown((SCORES,), found, evaluated),
        "evaluations": [
            (one, list(shown(OF_PARTITIONS, one, mark=one.mark)), names_on(one.snapshot)) for one in evaluated
        ],
        "names": names_on(found.snapshot),
        "hides_test": hides_test(found),
        "twin": twin,
        "beside_twin": [] if is_under_way or twin is None else _beside_twin(found, twin),
        "can_have_twin": twin is None and reads_premises(found),
        "ask_for_twin": urlencode({**_fields_of(found), TWIN: "on"}),
        "clone": "" if found.is_search else urlencode(_fields_of(found)),
        "has_model": not found.is_sweep and not why_no_model(found),
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


def _fields_of(found: TrainingRun) -> dict[str, Any]:
    """Returns the fields of the form for a new run that request this one, or this sweep, again."""
    regime, start = found.regime, found.regime.get("start", {})
    children = found.children.all() if found.is_sweep else [found]
    seeds, sizes = ({getattr(child, name) for child in children} for name in ("seed", "most"))
    several = len(sizes) > 1
    fields = {
        "baseline": found.baseline,
        "seeds": ", ".join(map(str, sorted(seeds))),
        "vectors": found.vectors,
        "config": "\n".join(f"{key}={value}" for key, value in found.config.items()),
        "most": None if several else next(iter(sizes), None),
        "sizes": ", ".join(map(str, sorted(filter(None, sizes)))) if several else None,
        "genre": regime.get("genre"),
        "mixed": "\n".join(_mixed_line(one) for one in regime.get("mixed", ())),
        "start": start.get("run"),
        "how": start.get("how"),
        "collapse": regime.get("collapse"),
        "soft_labels": named_set(regime.get("soft_labels")),
        TWIN: regime.get(TWIN),
    }
    return {key: value for key, value in fields.items() if value}


def _mixed_line(entry: Mapping[str, Any]) -> str:
    """Writes an entry of `mixed` as the form accepts it."""
    limits = [f"{key}={entry[key]}" for key in ("share", "most") if key in entry]
    return " ".join([entry["snapshot"], *limits])
