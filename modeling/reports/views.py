"""Page with all result tables of a snapshot."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.pages.access import researcher_required
from modeling.reports.cells import Scores, fill
from modeling.reports.definitions import TABLES
from modeling.reports.rendering import text_of
from snapshots.models import Snapshot

MOST_SNAPSHOTS = 10


@never_cache
@require_safe
@researcher_required
def reports(request: HttpRequest, pk: int) -> HttpResponse:
    """Shows all result tables of a snapshot, from stored scores. `?with=CORPUS@VERSION` adds further snapshots."""
    frozen = Snapshot.objects.frozen().newest_first()
    snapshots = [get_object_or_404(frozen, pk=pk)]
    for name in request.GET.getlist("with")[: MOST_SNAPSHOTS - 1]:
        found = frozen.named(name).first()
        if found is not None and found not in snapshots:
            snapshots.append(found)
    scores = Scores(snapshots)
    filled = [fill(name, snapshots, scores=scores) for name in TABLES]
    tables = [
        {
            "report": report,
            "rows": [
                (title, [(text_of(cell), cell.runs if cell.mean is not None else []) for cell in cells])
                for title, cells in report.rows
            ],
        }
        for report in filled
    ]
    context = {
        "snapshot": snapshots[0],
        "further": snapshots[1:],
        "tables": tables,
        "others": [other for other in frozen[:50] if other not in snapshots],
    }
    return render(request, "modeling/reports.html", context)
