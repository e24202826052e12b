"""Pages with tables over the runs of a snapshot: all of the papers on one, each of the others on its own."""

from typing import Any, cast

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse

from accounts.models import User
from accounts.pages.access import researcher_page, researcher_post
from accounts.pages.chart_files import chart_file
from accounts.people.gates import viewer
from collection.models import PARTITIONS
from jobs.tasks import enqueue
from modeling.baselines.settings import PRESETS
from modeling.launching.actions import MOST_CHILDREN
from modeling.reports.cells import Report
from modeling.reports.completing import SEEDS
from modeling.reports.curves import FIGURE, curve_chart, learning_curves
from modeling.reports.definitions import TABLES, keys_of_properties
from modeling.reports.filling import fill
from modeling.reports.leak_audits import LEAKS, NothingToCompare, audits_of, request_audits, stop_audits
from modeling.reports.overviews import MOST_ROWS, OVERVIEWS, Overview, overview
from modeling.reports.rendering import notes_of, texts_of
from modeling.reports.scores import Scores
from shared.csv_files import csv_file
from shared.table_formats import FORMATS
from shared.tables import Table, with_values
from snapshots.models import Snapshot
from snapshots.statistics.scope import name_of_cell
from validation.questions.lookup import Names, named, names_in

MOST_SNAPSHOTS = 10
ROWS_SHOWN = 100


@researcher_page
def reports(request: HttpRequest, pk: int) -> HttpResponse:
    """Shows all result tables of a snapshot, from stored scores. `?with=CORPUS@VERSION` adds further snapshots.

    `key`: of the metadata, for hyponly-4. `chart`: the learning curves as CSV.
    """
    snapshots, others = asked_snapshots(request, pk)
    preset = request.GET.get("preset", "")
    preset = preset if preset in PRESETS else ""
    key = request.GET.get("key", "")
    scores = Scores(snapshots, preset, key)
    charts = with_values([curve_chart(learning_curves(scores))])
    if "chart" in request.GET:
        return chart_file(charts, request.GET["chart"], str(snapshots[0]).replace("@", "-"))
    filled = [fill(name, snapshots, scores=scores, tests=True) for name in TABLES]
    names = names_in(snapshots[0].corpus)
    tables: list[dict[str, Any]] = [
        {
            "report": report,
            "paper": report.table.title.partition(",")[0],
            "columns": [_title(names, column) for column in report.columns],
            "rows": _with_runs(report, names),
            "notes": notes_of(report),
            "runs": len(report.requests()),
            "unscored": sum(not one.needs_a_file for one in report.unscored()),
        }
        for report in filled
    ]
    context = {
        "snapshot": snapshots[0],
        "further": snapshots[1:],
        "tables": tables,
        "shown": [each for each in tables if each["report"].filled or each["report"].name == FIGURE],
        "with_runs": sum(bool(report.filled_by_runs) for report in filled),
        "charts": charts,
        "figure": FIGURE,
        "others": others,
        "overviews": OVERVIEWS,
        "preset": preset,
        "presets": PRESETS,
        "key": key,
        "keys": keys_of_properties(scores),
        "seeds": SEEDS,
        "most_seeds": MOST_CHILDREN,
        "query": request.GET.urlencode(),
    }
    return render(request, "modeling/reports.html", context)


def _title(names: Names, title: str) -> str:
    """Returns what a page calls a row or column, which may be that of a label or a genre."""
    return named(names, "label", named(names, "genre", title))


def _with_runs(report: Report, names: Names) -> list[tuple[str, list[tuple[str, list[int], bool]]]]:
    """Returns the title of each row with the text and the runs of its cells, and whether one is the best of its column.

    Labels and genres are as pages call them.
    """
    best = set(map(id, report.best()))
    return [
        (
            _title(names, title),
            [
                (
                    name_of_cell(names, column, text),
                    cell.runs if cell.mean is not None else [],
                    id(cell) in best,
                )
                for column, text, cell in zip(report.columns, texts, cells, strict=True)
            ],
        )
        for (title, texts), (_, cells) in zip(texts_of(report), report.rows, strict=True)
    ]


@researcher_page
def overview_page(request: HttpRequest, pk: int, name: str) -> HttpResponse:
    """Shows one table over the runs and pairs of a partition, with further snapshots if it accepts them.

    While its comparisons are being counted, htmx requests the page every two seconds.
    """
    context = {"name": name, "kind": _kind(name), **_asked(request, pk)}
    table, names = _table(context, ROWS_SHOWN + 1), names_in(context["snapshot"].corpus)
    rows = [
        [(column, name_of_cell(names, column.key, row.get(column.key))) for column in table.columns]
        for row in table.rows[:ROWS_SHOWN]
    ]
    context |= {"table": table, "rows": rows, "is_cut": len(table.rows) > ROWS_SHOWN}
    if name == LEAKS:
        context["audits"] = audits_of([context["snapshot"], *context["further"]])
    return render(request, "modeling/overview.html", context)


@researcher_post
def count_leaks(request: HttpRequest, pk: int) -> HttpResponse:
    """Requests the comparisons of the leak audit that are not counted yet."""
    snapshots, _ = asked_snapshots(request, pk)
    try:
        rows = request_audits(snapshots)
    except NothingToCompare as error:
        messages.warning(request, str(error))
    else:
        enqueue(*(row for row in rows if row.status == row.WAITING))
    return _back_to_leaks(request, pk)


@researcher_post
def stop_leaks(request: HttpRequest, pk: int) -> HttpResponse:
    snapshots, _ = asked_snapshots(request, pk)
    if not stop_audits(snapshots, by=cast(User, request.user)):
        messages.warning(request, "Nothing is being counted any more, so nothing was stopped.")
    return _back_to_leaks(request, pk)


def _back_to_leaks(request: HttpRequest, pk: int) -> HttpResponse:
    query = request.GET.urlencode()
    return redirect(reverse("run-table", args=[pk, LEAKS]) + (f"?{query}" if query else ""))


@researcher_page
def overview_csv(request: HttpRequest, pk: int, name: str) -> HttpResponse:
    """Returns the same table as CSV, with raw values and more rows."""
    _kind(name)
    table = _table({"name": name, **_asked(request, pk)}, MOST_ROWS)
    return csv_file(FORMATS["csv"](table), name)


def _kind(name: str) -> Overview:
    if name not in OVERVIEWS:
        raise Http404(f"There is no table {name!r}.")
    return OVERVIEWS[name]


def _asked(request: HttpRequest, pk: int) -> dict[str, Any]:
    snapshots, others = asked_snapshots(request, pk)
    partition = request.GET.get("partition", "test")
    return {
        "snapshot": snapshots[0],
        "further": snapshots[1:],
        "others": others,
        "partition": partition if partition in PARTITIONS else "test",
        "partitions": PARTITIONS,
        "overviews": OVERVIEWS,
        "query": request.GET.urlencode(),
    }


def _table(asked: dict[str, Any], most: int) -> Table:
    return overview(asked["name"], [asked["snapshot"], *asked["further"]], asked["partition"], most)


def asked_snapshots(request: HttpRequest, pk: int) -> tuple[list[Snapshot], list[Snapshot]]:
    """Returns the snapshot of the address, the others of `?with=CORPUS@VERSION`, and some that can be added."""
    frozen = Snapshot.objects.of(viewer()).frozen().newest_first()
    snapshots = [get_object_or_404(frozen, pk=pk)]
    for name in request.GET.getlist("with")[: MOST_SNAPSHOTS - 1]:
        found = frozen.named(name).first()
        if found is not None and found not in snapshots:
            snapshots.append(found)
    return snapshots, [other for other in frozen[:50] if other not in snapshots]
