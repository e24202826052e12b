"""The page of a snapshot's statistics."""

from collections.abc import Iterator
from dataclasses import replace

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from accounts.pages.access import researcher_page, researcher_post
from shared.figures import FIGURES, Parameters, Shown, shown
from snapshots.models import Snapshot, SnapshotStatistics
from snapshots.statistics.job import EDITIONS, kinds_for
from snapshots.statistics.scope import SNAPSHOT
from snapshots.statistics.word_figures import GIVEAWAYS, UNITS, Units


@researcher_page
def statistics(request: HttpRequest, pk: int) -> HttpResponse:
    """Shows the statistics. While a job is under way, htmx requests the changing part every two seconds."""
    found = get_object_or_404(Snapshot.objects.frozen().select_related("corpus"), pk=pk)
    rows = {row.kind: row for row in found.statistics.current(EDITIONS)}
    kinds = kinds_for(found)
    figures = [figure for figure in FIGURES.values() if figure.scope is SNAPSHOT]
    parts = [
        (
            kind,
            row,
            [
                *shown((each for each in figures if each.source == kind), found, row.data),
                *_more(kind, found, row),
            ],
        )
        if (row := rows.get(kind)) and row.data
        else (kind, row, [])
        for kind in kinds
    ]
    context = {
        "snapshot": found,
        "kinds": parts,
        "is_under_way": any(row.is_under_way for row in rows.values()),
        "can_ask": any(kind not in rows or rows[kind].status == "failed" for kind in kinds),
    }
    is_part = request.htmx  # type: ignore[attr-defined]
    template = "snapshots/_statistics.html" if is_part else "snapshots/statistics.html"
    return render(request, template, context)


def _more(kind: str, snapshot: Snapshot, row: SnapshotStatistics) -> Iterator[Shown]:
    """Yields the give-aways of other units than words that this kind counts."""
    for units in UNITS:
        asked = Units(units=units)
        if UNITS[units] and kind == GIVEAWAYS.source_of(asked):
            for each in shown((GIVEAWAYS,), snapshot, row.data, asked, units):
                caption = f"Give-away {units.replace('-', ' ')}"
                yield replace(each, table=replace(each.table, caption=caption))


@researcher_post
def ask_for_statistics(request: HttpRequest, pk: int) -> HttpResponse:
    found = get_object_or_404(Snapshot.objects.frozen().select_related("corpus"), pk=pk)
    for kind in kinds_for(found):
        SNAPSHOT.request(found, kind, Parameters())
    return redirect("snapshot-statistics", found.pk)
