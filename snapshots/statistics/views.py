"""Pages of a snapshot's statistics, their tables as files, and the addresses of the pairs behind their numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from accounts.pages.access import researcher_page, researcher_post, researcher_required
from accounts.pages.chart_files import chart_file
from jobs.tasks import enqueue
from nli.labels import NO_GOLD
from nli.lines import PARTITIONS
from shared.charts import Cell, Chart, as_rows
from snapshots.models import (
    Snapshot,
    SnapshotStatistics,
)
from snapshots.statistics.charts import charts_of, name_of_cell, name_of_column
from snapshots.statistics.job import EDITIONS, kinds_for, request_statistics
from snapshots.statistics.paper_tables import TABLES, Table, table
from snapshots.statistics.table_formats import as_csv, as_latex, shown_rows
from validation.questions.lookup import Names, names_in

LONG = 30
STATISTICS_FILES = {"csv": (as_csv, "text/csv"), "tex": (as_latex, "application/x-tex")}
# Name of a column of texts -> filter of the list. A table with another column of texts counts something else than pairs.
FILTERS = {"partition": "partition", "genre": "genre", "gold label": "label", "label": "label"}
PAIRS, WORD, PAIR, WHOLE = "pairs", "word", "pair", "all"
BY, VALUE = "by", "value"


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


def links_of(made: Table, snapshot: Snapshot) -> list[list[str]]:
    """Returns the address behind each cell of a table, "" for none.

    Counts of pairs lead to these pairs, a word to the pairs whose hypotheses have it, a pair to its page.
    """
    names = [(column.name, column.kind) for column in made.columns]
    return [_links(names, row, snapshot) for row in made.rows]


def with_links(chart: Chart, snapshot: Snapshot) -> Chart:
    """Returns the chart of a table with the same links."""
    names = [(column.key, column.kind) for column in chart.columns]
    rows = []
    for row in chart.rows:
        links = _links(names, [row.get(key) for key, _ in names], snapshot)
        found = {key: link for (key, _), link in zip(names, links, strict=True) if link}
        first = {"href": found[names[0][0]]} if names[0][0] in found else {}
        rows.append({**first, **row, "hrefs": {**found, **row.get("hrefs", {})}})
    return replace(chart, rows=rows)


def _links(names: Sequence[tuple[str, str]], row: Sequence[Any], snapshot: Snapshot) -> list[str]:
    texts = {
        name: str(value) for (name, kind), value in zip(names, row, strict=True) if kind in ("text", "pair")
    }
    if BY in texts and texts[BY] in FILTERS and VALUE in texts:
        texts[texts.pop(BY)] = texts.pop(VALUE)
    elif BY in texts and texts[BY] == WHOLE:
        del texts[BY], texts[VALUE]
    are_pairs = texts.keys() <= FILTERS.keys()
    where = {FILTERS[name]: value for name, value in texts.items() if name in FILTERS and value != WHOLE}
    return [
        _link(name, kind, value, where, are_pairs, snapshot)
        for (name, kind), value in zip(names, row, strict=True)
    ]


def _link(
    name: str, kind: str, value: Any, where: Mapping[str, str], are_pairs: bool, snapshot: Snapshot
) -> str:
    if name == PAIR and value:
        return reverse("pair", args=[snapshot.corpus.slug, value])
    if name == WORD and value:
        return _pairs(snapshot, {"text": str(value)})
    if kind != "count" or not value or not are_pairs:
        return ""
    if name in PARTITIONS:
        return _pairs(snapshot, {**where, "partition": name})
    if name in (*snapshot.corpus.labels, NO_GOLD):
        return _pairs(snapshot, {**where, "label": name})
    return _pairs(snapshot, where) if name == PAIRS else ""


def _pairs(snapshot: Snapshot, where: Mapping[str, str]) -> str:
    address = reverse("snapshot-pairs", args=[snapshot.pk])
    return f"{address}?{urlencode(where)}" if where else address
