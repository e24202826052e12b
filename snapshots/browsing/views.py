"""Pages that list snapshots, show one, and send its files."""

from collections import defaultdict
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.http import require_safe
from django_htmx.http import HttpResponseClientRedirect

from accounts.pages.access import researcher_page, researcher_required
from accounts.people.gates import viewer
from collection.models import Corpus
from collection.models.querysets import SEES_RESULTS
from shared.csv_files import csv_file
from shared.figures import of_page
from shared.sorted_lists import list_as_csv, sorted_list
from shared.tables import Column
from snapshots.browsing.contents import contents_of
from snapshots.exports.downloads import of_snapshot, send_or_explain
from snapshots.files.datasheet import blanks
from snapshots.models import Snapshot, SnapshotFile
from snapshots.publishing.forms import RetractForm
from snapshots.statistics.agreement import agreement_rows
from validation.questions.lookup import names_in

COLUMNS = [
    Column("corpus", value=lambda each: each.corpus.slug, on_page=False),
    Column("version", "Snapshot", value=lambda each: each.version, largest_first=True),
    Column("state", "State", value=lambda each: each.state),
    Column("pairs", "Pairs", "number", value=lambda each: each.pair_count if each.sha256 else None),
    Column("frozen_at", "Frozen", value=lambda each: each.frozen_at, largest_first=True),
    Column("sha256", "sha256", value=lambda each: each.sha256 or None),
]
UNCHANGED = "Nothing has changed since an earlier snapshot, so no new one was made."


@require_safe
@researcher_required
def snapshot_list(request: HttpRequest) -> HttpResponseBase:
    """Shows the snapshots of all corpora, or of one with `?corpus=SLUG`; `as=csv`: as CSV."""
    corpora = Corpus.objects.of(viewer(), SEES_RESULTS).order_by("name")
    found = Snapshot.objects.of(viewer()).newest_first()
    if slug := request.GET.get("corpus"):
        corpora, found = corpora.filter(slug=slug), found.filter(corpus__slug=slug)
    table = sorted_list(request, found, COLUMNS)
    if request.GET.get("as") == "csv":
        return csv_file(list_as_csv(table.rows, COLUMNS), f"{slug}-snapshots" if slug else "snapshots")
    of_corpus: defaultdict[int, list[Snapshot]] = defaultdict(list)
    for each in table.rows:
        of_corpus[each.corpus_id].append(each)
    context = {"corpora": [(corpus, of_corpus[corpus.pk]) for corpus in corpora], "table": table}
    return render(request, "snapshots/list.html", context)


@researcher_page
def snapshot(request: HttpRequest, pk: int) -> HttpResponse:
    """Shows a snapshot: its state, what its release needs, its files and what is in it."""
    found = get_object_or_404(Snapshot.objects.newest_first(), pk=pk)
    return render(request, "snapshots/snapshot.html", _shown(found))


@researcher_page
def state(request: HttpRequest, pk: int) -> HttpResponse:
    """Returns the part of the page that changes during a freeze; htmx requests it every two seconds."""
    found = Snapshot.objects.of(viewer()).newest_first().filter(pk=pk).first()
    if found is None:
        messages.info(request, UNCHANGED)
        return HttpResponseClientRedirect(reverse("snapshots"))
    return render(request, "snapshots/_state.html", _shown(found))


@require_safe
@researcher_required
def snapshot_file(request: HttpRequest, pk: int, name: str) -> HttpResponseBase:
    rows = SnapshotFile.objects.select_related("snapshot__corpus").filter(snapshot__status="frozen")
    file = get_object_or_404(rows, snapshot=pk, name=name)
    return send_or_explain(request, of_snapshot(file))


def citation_of(found: Snapshot) -> str:
    """Returns an entry of BibTeX. The hash is in it, so that readers can check that they have the same data."""
    year = f"{found.frozen_at:%Y}" if found.frozen_at else ""
    fields = {
        "title": f"{found.corpus.name}, snapshot {found}",
        "year": year,
        "note": f"sha256 {found.sha256}",
    }
    inner = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items())
    return f"@misc{{{found.corpus.slug}{found.version},\n{inner}}}"


def _shown(found: Snapshot) -> dict[str, Any]:
    manifest = found.read_manifest()
    names = names_in(found.corpus)
    table, charts = contents_of(found, names["genre"])
    return {
        "snapshot": found,
        "is_under_way": found.is_under_way,
        "files": found.files.all(),
        "manifest": manifest,
        "blanks": {} if found.published_at else blanks(found.datasheet_answers()),
        "retract_form": RetractForm(),
        "citation": citation_of(found),
        "agreement": agreement_rows(manifest, names["label"]) if manifest else [],
        "table": table,
        "charts": of_page("snapshot", found, charts),
        "genre_names": names["genre"],
    }
