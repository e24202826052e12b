"""Pages: the markings of a snapshot, and one pair after the other to mark."""

from collections.abc import Sequence
from typing import cast

from django import forms
from django.contrib import messages
from django.db.models import Exists, OuterRef
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.defaultfilters import pluralize

from accounts.models import User
from accounts.pages.access import researcher_form, researcher_page, researcher_post
from collection.models import PARTITIONS
from collection.texts import direction_of
from modeling.marking.actions import (
    MOST_PAIRS,
    PHENOMENA,
    MarkingError,
    begin_marking,
    count_marks,
    discard_marking,
    mark,
)
from modeling.marking.agreement import progress_of
from modeling.models import Mark, MarkedPair, Marking
from modeling.results.marks import agreed_phenomena
from shared.csv_files import csv_file, csv_text
from snapshots.models import Snapshot
from validation.questions.addresses import number_in
from validation.questions.lookup import main_wordings

NUMBERS = frozenset(map(str, range(1, 1000)))  # of premises that a form may send


class BeginMarkingForm(forms.Form):
    """A partition, how many of its pairs, and the phenomena to look for."""

    partition = forms.ChoiceField(
        choices=[(name, name) for name in PARTITIONS],
        initial="dev",
        help_text="The tables mpe-5 and mpe-8 are of dev, as in the paper.",
    )
    number = forms.IntegerField(
        label="Pairs", min_value=1, max_value=MOST_PAIRS, initial=100, help_text="Drawn by the seed."
    )
    phenomena = forms.CharField(
        max_length=2000,
        initial="\n".join(PHENOMENA),
        widget=forms.Textarea(attrs={"rows": 8}),
        help_text="One a line. They cannot be changed once the marking has begun.",
    )
    seed = forms.IntegerField(min_value=0, max_value=2**31 - 1, initial=1)

    def clean_phenomena(self) -> list[str]:
        return self.cleaned_data["phenomena"].replace("\0", "").splitlines()


@researcher_form
def markings(request: HttpRequest, pk: int) -> HttpResponse:
    """Shows the progress of the markings of a snapshot, with agreement; POST begins one, or discards an unmarked one."""
    snapshot = get_object_or_404(Snapshot.objects.frozen().select_related("corpus"), pk=pk)
    if "discard" in request.POST:
        return _discard(request, pk, request.POST["discard"].replace("\0", ""))
    form = BeginMarkingForm(request.POST or None)
    if form.is_valid():
        try:
            begun = begin_marking(snapshot=snapshot, by=cast(User, request.user), **form.cleaned_data)
            return redirect("mark-pair", pk, begun.partition)
        except MarkingError as error:
            form.add_error(None, str(error))
    found = Marking.objects.filter(snapshot=snapshot).order_by("pk")
    context = {
        "snapshot": snapshot,
        "form": form,
        "markings": [(marking, progress_of(marking)) for marking in found],
    }
    return render(request, "modeling/markings.html", context, status=422 if form.is_bound else 200)


def _discard(request: HttpRequest, pk: int, partition: str) -> HttpResponse:
    found = Marking.objects.filter(snapshot=pk, partition=partition).first()
    try:
        if found is not None:  # the second of two clicks finds none
            discard_marking(marking=found)
        messages.success(request, "The sample is discarded. You can draw another.")
    except MarkingError as error:
        messages.warning(request, str(error))
    return redirect("markings", pk)


@researcher_form
def mark_pair(request: HttpRequest, pk: int, partition: str) -> HttpResponse:
    """Shows the next pair that the reader has not marked, or the one at `?place=`; POST stores a mark."""
    marking = _marking(pk, partition)
    user, error = cast(User, request.user), ""
    place = number_in(request, "place", 0, 2**31 - 1)
    pairs = marking.pairs.select_related("row__pair__premise__genre", "marking")
    if request.method == "POST":
        pair = get_object_or_404(pairs, place=place)
        try:
            given = request.POST.getlist("phenomenon")
            mark(pair=pair, phenomena=given, by=user, premises=_premises(request.POST.getlist("premise")))
            return redirect("mark-pair", pk, partition)
        except MarkingError as refusal:
            error = str(refusal)
    mine = Mark.objects.filter(pair=OuterRef("pk"), by=user)
    unmarked = pairs.exclude(Exists(mine)).order_by("place")
    shown = pairs.filter(place=place).first() if place else unmarked.first()
    context = {
        "snapshot": marking.snapshot,
        "marking": marking,
        "pair": shown,
        "words": main_wordings(marking.snapshot.corpus),
        "rows": _rows(shown, user) if shown else [],
        "left": unmarked.count(),
        "all": marking.pairs.count(),
        "direction": direction_of(marking.snapshot.corpus.language),
        "error": error,
    }
    return render(request, "modeling/mark_pair.html", context, status=422 if error else 200)


@researcher_post
def count(request: HttpRequest, pk: int, partition: str) -> HttpResponse:
    """Adds the marks to the tables and to the breakdowns of runs."""
    runs = count_marks(marking=_marking(pk, partition))
    messages.success(
        request, f"The marks are counted, also in the breakdowns of {runs:,} run{pluralize(runs)}."
    )
    return redirect("markings", pk)


@researcher_page
def marks_csv(request: HttpRequest, pk: int, partition: str) -> HttpResponse:
    """Returns the phenomena of each pair as CSV that `evaluate --file phenomenon=PATH` reads."""
    marking = _marking(pk, partition)
    found = agreed_phenomena(marking.snapshot, partition)
    rows = [("pairID", "phenomenon"), *((name, one) for name, all_ in found.items() for one in all_)]
    return csv_file(csv_text(rows), f"phenomena-{partition}")


def _marking(pk: int, partition: str) -> Marking:
    return get_object_or_404(
        Marking.objects.select_related("snapshot__corpus"), snapshot=pk, partition=partition
    )


def _premises(sent: Sequence[str]) -> dict[str, list[int]]:
    """Reads `NUMBER:PHENOMENON` of each ticked premise."""
    found: dict[str, list[int]] = {}
    for each in sent:
        number, _, name = each.partition(":")
        found.setdefault(name, []).append(int(number) if number in NUMBERS else 0)
    return found


def _rows(pair: MarkedPair, user: User) -> list[tuple[str, bool, list[tuple[int, bool]]]]:
    """Returns each phenomenon, whether this person ticked it, and for which premises, if there are several."""
    mark = Mark.objects.filter(pair=pair, by=user).first() or Mark(phenomena=[])
    number = pair.row.pair.premise.sentence_count
    numbers = range(1, number + 1) if number > 1 else ()
    return [
        (name, name in mark.phenomena, [(each, each in mark.premises.get(name, ())) for each in numbers])
        for name in pair.marking.phenomena
    ]
