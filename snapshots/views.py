"""The researcher's pages about snapshots: list, plan, freeze, progress, files."""

from typing import Any, cast

from django.contrib import messages
from django.db.models import Prefetch
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django_htmx.http import HttpResponseClientRedirect

from accounts.models import User
from accounts.pages.access import researcher_required
from collection.models import Corpus
from jobs.tasks import enqueue
from snapshots.actions import FreezeInProgress, answer_datasheet, request_freeze, stop_freeze
from snapshots.actions import publish as publish_snapshot
from snapshots.actions import retract as retract_snapshot
from snapshots.downloads import Download, FileUnavailable, of_export, of_snapshot, send
from snapshots.exporting import MADE, current_exports, request_export
from snapshots.file_formats import ABOUT, ExportError
from snapshots.file_formats.cards import DATASHEET, blanks, canary_of
from snapshots.file_formats.cards import datasheet as as_markdown
from snapshots.forms import DatasheetForm, FreezeForm, RetractForm
from snapshots.manifest import answers_of, read_manifest
from snapshots.measuring import EDITIONS, kinds_for, request_statistics
from snapshots.models import (
    DatasheetAnswer,
    ExportedFile,
    Snapshot,
    SnapshotExport,
    SnapshotFile,
    SnapshotStatistics,
)
from snapshots.partition import PARTITIONS
from snapshots.planning import SnapshotError, plan_freeze
from snapshots.statistics.rendering import as_csv, as_latex
from snapshots.statistics.tables import TABLES, table
from snapshots.tables import agreement_rows, partition_table, statistics_tables

STATISTICS_FILES = {"csv": (as_csv, "text/csv"), "tex": (as_latex, "application/x-tex")}
UNCHANGED = "Nothing has changed since an earlier snapshot: it stands, and no number was used up."


@require_safe
@researcher_required
def snapshot_list(request: HttpRequest) -> HttpResponse:
    newest = Prefetch("snapshots", Snapshot.objects.newest_first())
    corpora = Corpus.objects.order_by("name").prefetch_related(newest)
    return render(request, "snapshots/list.html", {"corpora": corpora})


@never_cache
@require_safe
@researcher_required
def snapshot(request: HttpRequest, pk: int) -> HttpResponse:
    found = get_object_or_404(Snapshot.objects.newest_first(), pk=pk)
    return render(request, "snapshots/snapshot.html", _shown(found))


@never_cache
@require_safe
@researcher_required
def state(request: HttpRequest, pk: int) -> HttpResponse:
    """The part of the page that changes while a freeze goes on; htmx asks for it every two seconds."""
    found = Snapshot.objects.newest_first().filter(pk=pk).first()
    if found is None:
        messages.info(request, UNCHANGED)
        return HttpResponseClientRedirect(reverse("snapshots"))
    return render(request, "snapshots/_state.html", _shown(found))


@never_cache
@require_safe
@researcher_required
def freeze_plan(request: HttpRequest, slug: str) -> HttpResponse:
    corpus = get_object_or_404(Corpus, slug=slug)
    form = FreezeForm(request.GET or None)
    return _plan_page(request, corpus, form)


@require_POST
@researcher_required
def freeze(request: HttpRequest, slug: str) -> HttpResponse:
    corpus, form = get_object_or_404(Corpus, slug=slug), FreezeForm(request.POST)
    if not form.is_valid():
        return _plan_page(request, corpus, form, status=422)
    try:
        requested = request_freeze(corpus=corpus, by=cast(User, request.user), **form.cleaned_data)
    except FreezeInProgress as error:
        messages.warning(request, str(error))
        return redirect("snapshot", error.snapshot.pk) if error.snapshot else redirect("snapshots")
    except SnapshotError:
        return _plan_page(request, corpus, form, status=422)
    enqueue(requested)
    return redirect("snapshot", requested.pk)


@require_POST
@researcher_required
def stop(request: HttpRequest, pk: int) -> HttpResponse:
    found = get_object_or_404(Snapshot, pk=pk)
    try:
        stop_freeze(snapshot=found, by=cast(User, request.user))
    except SnapshotError as error:
        messages.warning(request, str(error))
    return redirect("snapshot", pk)


@require_safe
@researcher_required
def snapshot_file(request: HttpRequest, pk: int, name: str) -> HttpResponseBase:
    rows = SnapshotFile.objects.select_related("snapshot__corpus").filter(snapshot__status="frozen")
    file = get_object_or_404(rows, snapshot=pk, name=name)
    return _sent(request, of_snapshot(file))


@never_cache
@require_safe
@researcher_required
def exports(request: HttpRequest, pk: int) -> HttpResponse:
    """The whole page; while a format is written, htmx asks every two seconds for the part that changes."""
    found = get_object_or_404(Snapshot.objects.frozen().select_related("corpus"), pk=pk)
    asked = current_exports(found)
    context = {
        "snapshot": found,
        "formats": [(name, ABOUT[name], asked.get(name)) for name in MADE],
        "is_under_way": any(row.status in ("requested", "working") for row in asked.values()),
    }
    is_part = request.htmx  # type: ignore[attr-defined]
    return render(request, f"snapshots/{'_exports' if is_part else 'exports'}.html", context)


@require_POST
@researcher_required
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
    return _sent(request, of_export(file))


def _sent(request: HttpRequest, file: Download) -> HttpResponseBase:
    try:
        return send(request, file)
    except FileUnavailable as error:
        return render(request, "snapshots/unavailable.html", {"file": file, "error": error}, status=503)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@researcher_required
def datasheet_answers(request: HttpRequest, slug: str) -> HttpResponse:
    """The questions of a corpus's datasheet with their answers, earlier ones too."""
    corpus = get_object_or_404(Corpus, slug=slug)
    rows = DatasheetAnswer.objects.filter(corpus=corpus)
    form = DatasheetForm(request.POST or None, initial=rows.standing())
    if request.method == "POST" and form.is_valid():
        answer_datasheet(corpus=corpus, answers=form.cleaned_data, by=cast(User, request.user))
        messages.success(request, "Yours is saved.")
        return redirect("datasheet-answers", slug)
    history: dict[str, list[DatasheetAnswer]] = {}
    for row in rows.select_related("answered_by").order_by("-id"):
        history.setdefault(row.question, []).append(row)
    context = {
        "corpus": corpus,
        "fields": [(field, history.get(field.name, [])) for field in form],
        "blanks": blanks(rows.standing()),
        "canary": canary_of(corpus.slug, corpus.name),
    }
    return render(request, "snapshots/datasheet.html", context)


@never_cache
@require_safe
@researcher_required
def datasheet(request: HttpRequest, pk: int) -> HttpResponse:
    """The datasheet of a frozen snapshot, in Markdown."""
    found = get_object_or_404(Snapshot.objects.frozen().select_related("corpus"), pk=pk)
    manifest = read_manifest(found)
    if manifest is None:
        messages.error(
            request, "The manifest cannot be read on the server, and the datasheet's facts are in it."
        )
        return redirect("snapshot", pk)
    text = as_markdown(manifest, answers_of(found))
    answer = HttpResponse(text, content_type="text/markdown; charset=utf-8")
    name = f"{found.corpus.slug}-{found.version}-{DATASHEET}"
    answer["Content-Disposition"] = f'inline; filename="{name}"'
    return answer


@require_POST
@researcher_required
def publish(request: HttpRequest, pk: int) -> HttpResponse:
    found = get_object_or_404(Snapshot, pk=pk)
    try:
        publish_snapshot(snapshot=found, by=cast(User, request.user))
    except SnapshotError as error:
        messages.warning(request, str(error))
    return redirect("snapshot", pk)


@require_POST
@researcher_required
def retract(request: HttpRequest, pk: int) -> HttpResponse:
    found = get_object_or_404(Snapshot, pk=pk)
    because = request.POST.get("because", "")
    try:
        retract_snapshot(snapshot=found, because=because, by=cast(User, request.user))
    except SnapshotError as error:
        messages.warning(request, str(error))
    return redirect("snapshot", pk)


@never_cache
@require_safe
@researcher_required
def statistics(request: HttpRequest, pk: int) -> HttpResponse:
    """The whole page; while something is worked out, htmx asks every two seconds for the part that changes."""
    found = get_object_or_404(Snapshot.objects.frozen().select_related("corpus"), pk=pk)
    rows = {row.kind: row for row in found.statistics.current(EDITIONS)}
    kinds = kinds_for(found)
    shown = [
        (kind, rows.get(kind), statistics_tables(kind, rows[kind].data or {}))
        if kind in rows and rows[kind].data
        else (kind, rows.get(kind), [])
        for kind in kinds
    ]
    context = {
        "snapshot": found,
        "kinds": shown,
        "is_under_way": any(row.status in ("requested", "working") for row in rows.values()),
        "can_ask": any(kind not in rows or rows[kind].status == "failed" for kind in kinds),
    }
    is_part = request.htmx  # type: ignore[attr-defined]
    template = "snapshots/_statistics.html" if is_part else "snapshots/statistics.html"
    return render(request, template, context)


@require_POST
@researcher_required
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
    """A table for a spreadsheet (csv: raw values) or a paper (tex)."""
    kind = TABLES[name].source if name in TABLES else ""
    done = SnapshotStatistics.objects.current(EDITIONS).filter(data__isnull=False)
    row = get_object_or_404(done.select_related("snapshot__corpus"), snapshot=pk, kind=kind)
    write, content_type = STATISTICS_FILES[ending]
    answer = HttpResponse(write(table(name, row.data or {})), content_type=f"{content_type}; charset=utf-8")
    file = f"{row.snapshot.corpus.slug}-{row.snapshot.version}-{name}.{ending}"
    answer["Content-Disposition"] = f'attachment; filename="{file}"'
    return answer


def _shown(found: Snapshot) -> dict[str, Any]:
    manifest = read_manifest(found)
    return {
        "snapshot": found,
        "is_under_way": found.status in ("requested", "freezing"),
        "waits_in_vain": found.waits_in_vain,
        "files": found.files.all(),
        "manifest": manifest,
        "blanks": {} if found.published_at else blanks(answers_of(found)),
        "retract_form": RetractForm(),
        "agreement": agreement_rows(manifest) if manifest else [],
        "table": partition_table({p: c["genres"] for p, c in manifest["partitions"].items()})
        if manifest
        else None,
    }


def _plan_page(request: HttpRequest, corpus: Corpus, form: FreezeForm, status: int = 200) -> HttpResponse:
    """What a freeze with the form's choices would do; or why it cannot be."""
    chosen = form.cleaned_data if form.is_valid() else {}
    context: dict[str, Any] = {"corpus": corpus, "form": form}
    try:
        planned = plan_freeze(corpus, **chosen)
        context |= {
            "planned": planned,
            "table": partition_table(planned.plan.pairs),
            "left_out": [(why, sum(counts.values())) for why, counts in planned.plan.left_out.items()],
            "partitions": PARTITIONS,
        }
    except SnapshotError as error:
        context["error"] = str(error)
    return render(request, "snapshots/plan.html", context, status=status)
