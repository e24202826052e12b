"""The page of a leaderboard, where predictions are handed in."""

from typing import cast

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from accounts.models import User
from accounts.pages.access import researcher_form
from shared.figures import shown
from snapshots.errors import SnapshotError
from snapshots.handing_in.actions import hand_in, predictions_in, withheld_parts
from snapshots.handing_in.figures import FIGURES
from snapshots.models import Snapshot

MOST = 2_000_000  # characters


class HandInForm(forms.Form):
    partition = forms.ChoiceField()
    team = forms.CharField(max_length=60)
    name = forms.CharField(label="Name of the system", max_length=100)
    description = forms.CharField(
        required=False,
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Everybody sees it.",
    )
    is_baseline = forms.BooleanField(label="It is a baseline", required=False)
    predictions = forms.CharField(
        max_length=MOST,
        widget=forms.Textarea(attrs={"rows": 8, "class": "code", "spellcheck": "false"}),
        help_text="One line a pair: JSON with pairID and predicted, or CSV with pairID,predicted. Every pair once.",
    )


@researcher_form
def leaderboard(request: HttpRequest, pk: int) -> HttpResponse:
    """Shows what was handed in for the withheld partitions of a snapshot; POST hands predictions in."""
    snapshot = get_object_or_404(Snapshot.objects.frozen().select_related("corpus"), pk=pk)
    parts = withheld_parts(snapshot)
    if not parts:
        raise Http404(f"{snapshot} withholds no labels.")
    form = HandInForm(request.POST or None)
    form.fields["partition"].choices = [(part, part) for part in parts]  # type: ignore[attr-defined]
    if form.is_valid():
        given = dict(form.cleaned_data)
        try:
            given["predictions"] = predictions_in(given["predictions"])
            row = hand_in(snapshot=snapshot, by=cast(User, request.user), **given)
            messages.success(request, f"{row.name} is scored.")
            return redirect("leaderboard", pk)
        except SnapshotError as error:
            form.add_error(None, str(error))
    context = {
        "snapshot": snapshot,
        "form": form,
        "charts": list(shown(FIGURES, snapshot)),
        "handed_in": snapshot.handed_in.select_related("by").order_by("-at"),
        "most": MOST,
    }
    return render(request, "snapshots/leaderboard.html", context, status=422 if form.is_bound else 200)
