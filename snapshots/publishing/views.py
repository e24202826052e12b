"""Pages of a datasheet, and of publishing and retracting a snapshot."""

from typing import cast

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from accounts.models import User
from accounts.pages.access import researcher_form, researcher_page, researcher_post
from collection.models import Corpus
from snapshots.errors import SnapshotError
from snapshots.files.datasheet import DATASHEET, blanks, canary_of
from snapshots.files.datasheet import datasheet as as_markdown
from snapshots.models import (
    DatasheetAnswer,
    Snapshot,
)
from snapshots.publishing.actions import answer_datasheet
from snapshots.publishing.actions import publish as publish_snapshot
from snapshots.publishing.actions import retract as retract_snapshot
from snapshots.publishing.forms import EXAMPLES, DatasheetForm


@researcher_form
def datasheet_answers(request: HttpRequest, slug: str) -> HttpResponse:
    """Shows the questions of a corpus's datasheet with all their answers; store new answers."""
    corpus = get_object_or_404(Corpus, slug=slug)
    rows = DatasheetAnswer.objects.filter(corpus=corpus)
    form = DatasheetForm(request.POST or None, initial=rows.standing())
    if request.method == "POST" and form.is_valid():
        answer_datasheet(corpus=corpus, answers=form.cleaned_data, by=cast(User, request.user))
        messages.success(request, "The answers are saved.")
        return redirect("datasheet-answers", slug)
    history: dict[str, list[DatasheetAnswer]] = {}
    for row in rows.select_related("answered_by").order_by("-id"):
        history.setdefault(row.question, []).append(row)
    still_open = blanks(rows.standing())
    context = {
        "corpus": corpus,
        "fields": [
            (field, history.get(field.name, []), EXAMPLES[field.name] if field.name in still_open else "")
            for field in form
        ],
        "blanks": still_open,
        "canary": canary_of(corpus.slug, corpus.name),
    }
    return render(request, "snapshots/datasheet.html", context)


@researcher_page
def datasheet(request: HttpRequest, pk: int) -> HttpResponse:
    """Returns the datasheet of a frozen snapshot in Markdown."""
    found = get_object_or_404(Snapshot.objects.frozen().select_related("corpus"), pk=pk)
    manifest = found.read_manifest()
    if manifest is None:
        messages.error(
            request,
            "The manifest cannot be read on the server. Ask the operator to restore it from a backup.",
        )
        return redirect("snapshot", pk)
    text = as_markdown(manifest, found.datasheet_answers())
    answer = HttpResponse(text, content_type="text/markdown; charset=utf-8")
    name = f"{found.corpus.slug}-{found.version}-{DATASHEET}"
    answer["Content-Disposition"] = f'inline; filename="{name}"'
    return answer


@researcher_post
def publish(request: HttpRequest, pk: int) -> HttpResponse:
    found = get_object_or_404(Snapshot, pk=pk)
    try:
        publish_snapshot(snapshot=found, by=cast(User, request.user))
    except SnapshotError as error:
        messages.warning(request, str(error))
    return redirect("snapshot", pk)


@researcher_post
def retract(request: HttpRequest, pk: int) -> HttpResponse:
    found = get_object_or_404(Snapshot, pk=pk)
    because = request.POST.get("because", "")
    try:
        retract_snapshot(snapshot=found, because=because, by=cast(User, request.user))
    except SnapshotError as error:
        messages.warning(request, str(error))
    return redirect("snapshot", pk)
