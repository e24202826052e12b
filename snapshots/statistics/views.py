"""Pages of a snapshot's statistics, and their tables as files."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from accounts.pages.access import researcher_page, researcher_post, researcher_required
from accounts.pages.chart_files import chart_file
from jobs.tasks import enqueue
from shared.charts import Cell, Chart, as_rows
from snapshots.models import (
    Snapshot,
    SnapshotStatistics,
)
from snapshots.statistics.charts import charts_of, name_of_cell, name_of_column
from snapshots.statistics.job import EDITIONS, kinds_for, request_statistics
from snapshots.statistics.links import links_of, with_links
from snapshots.statistics.paper_tables import TABLES, Table, table
from snapshots.statistics.table_formats import as_csv, as_latex, shown_rows
from validation.questions.lookup import Names, names_in


@dataclass(frozen=True)
class ShownTable:
    """A table of statistics as its page shows it, with its chart. A long table is folded, as is one below a chart.

    heads: (name on the page, kind) of its columns. body: its rows as HTML. If a chart shows the whole table, the table is
    below the chart, so `body` is empty here.
    """

    table: Table
    heads: list[tuple[str, str]]
    body: SafeString
    chart: Chart | None
    is_folded: bool
    is_in_chart: bool


LONG = 30


def statistics_tables(
    kind: str, data: Mapping[str, Any], snapshot: Snapshot, names: Names
) -> list[ShownTable]:
    """Return the tables of one kind of statistics of a snapshot, with their charts.

    names: what labels and genres are called on pages.
    """
    found = charts_of(kind, data, names, lambda chart: with_links(chart, snapshot))
    charts = {chart.key: chart for chart in found}
    made = [(each, table(name, data)) for name, each in TABLES.items() if each.source == kind]
    return [
        _shown(each, charts.get(each.name), snapshot, names)
        for definition, each in made
        if each.rows or not definition.only_with_rows
    ]


def _shown(made: Table, chart: Chart | None, snapshot: Snapshot, names: Names) -> ShownTable:
    kinds = ["" if column.kind == "text" else "number" for column in made.columns]
    in_chart = chart is not None and [each.key for each in chart.columns] == [
        each.name for each in made.columns
    ]
    rows = () if in_chart else zip(shown_rows(made), links_of(made, snapshot), strict=True)
    keys = [column.name for column in made.columns]
    body = as_rows(
        map(Cell, [name_of_cell(names, *cell) for cell in zip(keys, row, strict=True)], kinds, links)
        for row, links in rows
    )
    heads = [(name_of_column(names, column.name), column.kind) for column in made.columns]
    return ShownTable(made, heads, body, chart, len(made.rows) > LONG or chart is not None, in_chart)


STATISTICS_FILES = {"csv": (as_csv, "text/csv"), "tex": (as_latex, "application/x-tex")}


@researcher_page
def statistics(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the statistics. While a job is under way, htmx requests the changing part every two seconds."""
    found = get_object_or_404(Snapshot.objects.frozen().select_related("corpus"), pk=pk)
    rows = {row.kind: row for row in found.statistics.current(EDITIONS)}
    kinds, names = kinds_for(found), names_in(found.corpus)
    shown = [
        (kind, rows.get(kind), statistics_tables(kind, rows[kind].data or {}, found, names))
        if kind in rows and rows[kind].data
        else (kind, rows.get(kind), [])
        for kind in kinds
    ]
    context = {
        "snapshot": found,
        "kinds": shown,
        "is_under_way": any(row.is_under_way for row in rows.values()),
        "can_ask": any(kind not in rows or rows[kind].status == "failed" for kind in kinds),
    }
    is_part = request.htmx  # type: ignore[attr-defined]
    template = "snapshots/_statistics.html" if is_part else "snapshots/statistics.html"
    return render(request, template, context)


@researcher_post
def ask_for_statistics(request: HttpRequest, pk: int) -> HttpResponse:
    found = get_object_or_404(Snapshot.objects.frozen().select_related("corpus"), pk=pk)
    for kind in kinds_for(found):
        row = request_statistics(snapshot=found, kind=kind)
        if row.status == SnapshotStatistics.Status.REQUESTED:
            enqueue(row)
    return redirect("snapshot-statistics", found.pk)


@require_safe
@researcher_required
def statistics_file(request: HttpRequest, pk: int, name: str, ending: str) -> HttpResponse:
    """Return a table for a spreadsheet (csv, raw values) or a paper (tex); with `of=chart` what its chart shows, as csv."""
    kind = TABLES[name].source if name in TABLES else ""
    done = SnapshotStatistics.objects.current(EDITIONS).filter(data__isnull=False)
    row = get_object_or_404(done.select_related("snapshot__corpus"), snapshot=pk, kind=kind)
    if request.GET.get("of") == "chart":
        charts = charts_of(kind, row.data or {}, names_in(row.snapshot.corpus))
        return chart_file(
            charts,
            name,
            f"{row.snapshot.corpus.slug}-{row.snapshot.version}",
        )
    write, content_type = STATISTICS_FILES[ending]
    answer = HttpResponse(write(table(name, row.data or {})), content_type=f"{content_type}; charset=utf-8")
    file = f"{row.snapshot.corpus.slug}-{row.snapshot.version}-{name}.{ending}"
    answer["Content-Disposition"] = f'attachment; filename="{file}"'
    return answer
