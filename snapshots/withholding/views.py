"""Pages: what a corpus withholds, who may read it, and the full files for those."""

from typing import Any, cast

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render

from accounts.models import User
from accounts.pages.access import researcher_form, researcher_page
from collection.models import Corpus, Withholding
from nli.lines import FULL_FILES, HELD_OUT
from snapshots.errors import SnapshotError
from snapshots.exports.downloads import Download, send_or_explain
from snapshots.models import Snapshot
from snapshots.withholding.actions import (
    lift,
    name_reader,
    remove_reader,
    researcher_called,
    standing_of,
    with_labels,
    withhold,
)


class ReaderForm(forms.Form):
    who = forms.CharField(label="User name or code of a researcher", max_length=150)

    def __init__(self, *args: Any, corpus: Corpus, **options: Any) -> None:
        super().__init__(*args, **options)
        self.corpus = corpus

    def clean_who(self) -> User:
        try:
            return researcher_called(self.cleaned_data["who"], self.corpus)
        except SnapshotError as error:
            raise forms.ValidationError(str(error)) from None


@researcher_form
def withheld(request: HttpRequest, slug: str) -> HttpResponse:
    """Shows what is withheld; POST withholds a partition, names a reader or removes one, or lifts it."""
    corpus, user = get_object_or_404(Corpus, slug=slug), cast(User, request.user)
    form, status = ReaderForm(corpus=corpus), 200
    if request.method == "POST":
        form = ReaderForm(request.POST, corpus=corpus) if request.POST.get("do") == "name" else form
        try:
            if _did(request, corpus, user, form):
                return redirect("withheld", slug)
        except SnapshotError as error:
            messages.warning(request, str(error))
        status = 422
    standing = {each.partition: each for each in corpus.withholdings.standing().select_related("by")}
    known = set(corpus.withholdings.values_list("partition", flat=True))
    lifted = corpus.withholdings.filter(lifted_at__isnull=False).select_related("by", "lifted_by")
    context = {
        "corpus": corpus,
        "standing": [
            {
                "row": row,
                "readers": row.readers.order_by("username"),
                "may_read": row.may_read(user),
                "files": [
                    (snapshot, name)
                    for snapshot in corpus.snapshots.frozen().order_by("-version")
                    for name in (snapshot.read_manifest() or {}).get("withheld", {})
                    if name == FULL_FILES[row.partition]
                ],
            }
            for row in standing.values()
        ],
        "open": [(name, with_labels(corpus, name)) for name in HELD_OUT if name not in known],
        "lifted": lifted.order_by("lifted_at"),
        "form": form,
    }
    return render(request, "snapshots/withheld.html", context, status=status)


def _did(request: HttpRequest, corpus: Corpus, user: User, form: ReaderForm) -> bool:
    """Does what a button of the page says. Returns whether something was done. Raises SnapshotError."""
    partition, what = request.POST.get("partition", ""), request.POST.get("do", "")
    if what == "withhold":
        if partition not in HELD_OUT:
            raise SnapshotError(f"Choose a partition: {' or '.join(HELD_OUT)}.")
        withhold(corpus=corpus, partition=partition, by=user, frozen="frozen" in request.POST)
        messages.success(request, f"The labels of {partition} are withheld from now on.")
        return True
    row = standing_of(corpus, partition)
    if what == "name" and form.is_valid():
        name_reader(withholding=row, reader=form.cleaned_data["who"], by=user)
    elif what == "remove":
        remove_reader(
            withholding=row, reader=get_object_or_404(User, code=request.POST.get("code", "")), by=user
        )
    elif what == "lift":
        released = lift(withholding=row, by=user)
        files = f" {len(released)} snapshots have their full file now." if released else ""
        messages.success(request, f"The labels of {partition} are released.{files}")
    else:
        return False
    return True


@researcher_page
def withheld_file(request: HttpRequest, pk: int, name: str) -> HttpResponseBase:
    """Sends the full file of a withheld partition to administrators and the researchers named for it."""
    snapshot = get_object_or_404(Snapshot.objects.frozen().select_related("corpus"), pk=pk)
    listed: Any = (snapshot.read_manifest() or {}).get("withheld", {})
    partition = next((part for part, full in FULL_FILES.items() if full == name), None)
    if partition is None or name not in listed:
        raise Http404(f"{snapshot} withholds no {name}.")
    rows = Withholding.objects.filter(corpus=snapshot.corpus_id, partition=partition)
    if not get_object_or_404(rows.order_by("-pk")).may_read(request.user):
        raise PermissionDenied(
            "This file is for administrators and the researchers named for the withheld labels."
        )
    remedy = "Ask the operator to restore it from a backup."
    file = Download(
        snapshot, snapshot.sealed_folder / name, listed[name]["sha256"], listed[name]["bytes"], remedy
    )
    return send_or_explain(request, file)
