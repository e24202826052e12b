"""Pages of a snapshot's exports, and their files."""

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_safe

from accounts.pages.access import researcher_page, researcher_post, researcher_required
from jobs.tasks import enqueue
from snapshots.exports.downloads import of_export, send_or_explain
from snapshots.exports.formats import ABOUT
from snapshots.exports.job import MADE, current_exports, request_export
from snapshots.exports.limits import ExportError
from snapshots.models import ExportedFile, Snapshot, SnapshotExport


@researcher_page
def exports(request: HttpRequest, pk: int) -> HttpResponse:
    """Shows the exports. While one is being written, htmx requests the changing part every two seconds."""
    found = get_object_or_404(Snapshot.objects.frozen().select_related("corpus"), pk=pk)
    asked = current_exports(found)
    context = {
        "snapshot": found,
        "formats": [(name, ABOUT[name], asked.get(name)) for name in MADE],
        "is_under_way": any(row.is_under_way for row in asked.values()),
    }
    is_part = request.htmx  # type: ignore[attr-defined]
    return render(request, f"snapshots/{'_exports' if is_part else 'exports'}.html", context)


@researcher_post
def ask_for_export(request: HttpRequest, pk: int, format_name: str) -> HttpResponse:
    found = get_object_or_404(Snapshot.objects.frozen().select_related("corpus"), pk=pk)
    try:
        row = request_export(snapshot=found, format_name=format_name)
    except ExportError as error:
        raise Http404(str(error)) from error
    if row.status == SnapshotExport.Status.REQUESTED:
        enqueue(row)
    return redirect("snapshot-exports", found.pk)


@require_safe
@researcher_required
def exported_file(request: HttpRequest, pk: int, format_name: str, name: str) -> HttpResponseBase:
    found = get_object_or_404(Snapshot.objects.frozen(), pk=pk)
    row = current_exports(found).get(format_name)
    rows = ExportedFile.objects.select_related("export__snapshot__corpus")
    file = get_object_or_404(rows, export=row, export__status=SnapshotExport.Status.DONE, name=name)
    return send_or_explain(request, of_export(file))
