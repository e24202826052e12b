"""Pages that plan, start and stop a freeze."""

from dataclasses import replace
from typing import Any, cast

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.http import urlencode

from accounts.models import User
from accounts.pages.access import researcher_page, researcher_post
from accounts.pages.chart_files import chart_file
from collection.models import Corpus
from jobs.tasks import enqueue
from nli.lines import PARTITIONS
from snapshots.errors import SnapshotError
from snapshots.freezing.job import FreezeInProgress, request_freeze, stop_freeze
from snapshots.freezing.partition_table import partition_table, plan_charts
from snapshots.freezing.plan import plan_freeze
from snapshots.models import Snapshot
from snapshots.parses.attached_trees import attached_to
from validation.questions.lookup import names_in
from validation.statistics.cached import is_large_corpus


class FreezeForm(forms.Form):
    seed = forms.IntegerField(
        initial=0,
        required=False,
        min_value=-(2**31),
        max_value=2**31 - 1,
        help_text="Decides the partition of premises that have none yet. The same seed gives the same partitions.",
    )
    dev_from_train = forms.IntegerField(
        label="Premises to hold out as dev",
        initial=0,
        required=False,
        min_value=0,
        max_value=2**31 - 1,
        help_text="Only for a corpus with a published train partition and no published dev. 0: none.",
    )

    author_disjoint = forms.BooleanField(
        label="Keep the authors of test out of train",
        required=False,
        help_text="Their pairs in train are left out and counted.",
    )

    derived_parses = forms.BooleanField(
        label="Derive parse trees for sentences without one",
        required=False,
        help_text="By rule from spaCy’s dependency parses; English only; marked as derived. About 500 sentences a second.",
    )

    trees = forms.ChoiceField(
        label="Parse trees that were made elsewhere",
        required=False,
        help_text="Of a file that <code>attach_trees</code> read, for sentences without one; marked as attached.",
    )

    def __init__(self, corpus: Corpus, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        files = [str(each.source) for each in attached_to(corpus)]
        if files:
            cast(forms.ChoiceField, self.fields["trees"]).choices = [
                ("", "none"),
                *((name, name) for name in files),
            ]
        else:
            del self.fields["trees"]

    def clean_seed(self) -> int:
        return self.cleaned_data["seed"] or 0

    def clean_dev_from_train(self) -> int:
        return self.cleaned_data["dev_from_train"] or 0


@researcher_page
def freeze_plan(request: HttpRequest, slug: str) -> HttpResponse:
    """Shows the form and the plan. The page of a large corpus without choices comes first, and loads the plan by itself."""
    corpus = get_object_or_404(Corpus, slug=slug)
    if not request.GET and is_large_corpus(corpus):
        return render(
            request, "snapshots/plan.html", {"corpus": corpus, "form": FreezeForm(corpus), "is_awaited": True}
        )
    form = FreezeForm(corpus, request.GET or None)
    return _plan_page(request, corpus, form)


@researcher_post
def freeze(request: HttpRequest, slug: str) -> HttpResponse:
    corpus = get_object_or_404(Corpus, slug=slug)
    form = FreezeForm(corpus, request.POST)
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


@researcher_post
def stop(request: HttpRequest, pk: int) -> HttpResponse:
    found = get_object_or_404(Snapshot, pk=pk)
    try:
        stop_freeze(snapshot=found, by=cast(User, request.user))
    except SnapshotError as error:
        messages.warning(request, str(error))
    return redirect("snapshot", pk)


def _plan_page(request: HttpRequest, corpus: Corpus, form: FreezeForm, status: int = 200) -> HttpResponse:
    """Shows the plan of a freeze with these choices, or why it is not possible. `chart`: its chart as CSV."""
    chosen = form.cleaned_data if form.is_valid() else {}
    context: dict[str, Any] = {"corpus": corpus, "form": form}
    try:
        planned = plan_freeze(corpus, **chosen)
        names = names_in(corpus)["genre"]
        context |= {
            "planned": planned,
            "table": partition_table(planned.plan.pairs),
            "charts": plan_charts(planned, names),
            "genre_names": names,
            "shortages": [
                replace(each, genre=names.get(each.genre, each.genre)) for each in planned.plan.shortages
            ],
            "left_out": [(why, sum(counts.values())) for why, counts in planned.plan.left_out.items()],
            "partitions": PARTITIONS,
        }
    except SnapshotError as error:
        context["error"] = str(error)
    if "chart" in request.GET:
        return chart_file(context.get("charts", ()), request.GET["chart"], f"{corpus.slug}-plan")
    context["csv"] = urlencode({**request.GET.dict(), "chart": "contents"})
    return render(request, "snapshots/plan.html", context, status=status)
