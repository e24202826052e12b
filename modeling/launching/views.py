"""Pages that request, stop and resume runs."""

from collections import Counter
from functools import partial
from typing import cast

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse

from accounts.idempotency import KeyReused, KeyUnusable
from accounts.models import User, new_token
from accounts.pages.access import researcher_page, researcher_post
from jobs.tasks import enqueue
from modeling import catalogue, workers
from modeling.launching.actions import (
    RunIsOver,
    request_once,
    request_runs,
    request_usual,
    resume_run,
    stop_run,
)
from modeling.launching.forms import NewRunForm
from modeling.launching.regimes import RefusedRun, training_pairs
from modeling.launching.usual import USUAL, done_runs, offers
from modeling.models import TrainingRun
from snapshots.models import Snapshot


@researcher_page
def new_run(request: HttpRequest, snapshot_id: int) -> HttpResponse:
    snapshot = get_object_or_404(Snapshot.objects.newest_first(), pk=snapshot_id)
    return _form_page(
        request, snapshot, NewRunForm(initial={**request.GET.dict(), "key": new_token()}, snapshot=snapshot)
    )


@researcher_post
def start_run(request: HttpRequest, snapshot_id: int) -> HttpResponse:
    """Starts one run, or a sweep for several seeds or sizes. The same form, sent twice, starts it once."""
    snapshot = get_object_or_404(Snapshot.objects.newest_first(), pk=snapshot_id)
    form = NewRunForm(request.POST, snapshot=snapshot)
    if not form.is_valid():
        return _form_page(request, snapshot, form, status=422)
    asked = {key: form.cleaned_data[key] for key in ("baseline", "vectors", "preset", "config")}
    user = cast(User, request.user)
    asked |= {"snapshot": snapshot, "regime": form.regime, "by": user}
    asked |= {key: form.cleaned_data[key] for key in ("seeds", "sizes", "search", "draws")}
    ask = partial(request_runs, **asked)
    content = {"snapshot": snapshot.pk, "form": form.cleaned_data}
    try:
        started, is_new = request_once(by=user, key=form.request_key, content=content, ask=ask)
    except RefusedRun as error:
        key = {"settings": "config", "seed": "seeds"}.get(error.key, error.key)
        form.add_error(key if key in form.fields else None, str(error))
        return _form_page(request, snapshot, form, status=422)
    if not is_new:
        messages.info(
            request, "You sent this form before, and it started this run. To train again, open a new form."
        )
    enqueue(started)
    return redirect("run", started.pk)


@researcher_post
def start_usual(request: HttpRequest, snapshot_id: int, name: str) -> HttpResponse:
    """Starts one of the usual sets of runs. The same form, sent twice, starts it once."""
    snapshot = get_object_or_404(Snapshot.objects.newest_first(), pk=snapshot_id)
    if name not in USUAL:
        raise Http404
    key, user = request.POST.get("key") or new_token(), cast(User, request.user)
    try:
        started = request_usual(snapshot=snapshot, usual=USUAL[name], by=user, key=f"{name}-{key}")
    except (RefusedRun, KeyReused, KeyUnusable) as error:
        messages.warning(request, str(error))
        return redirect("new-run", snapshot_id)
    enqueue(*started)
    requested = (
        f"{USUAL[name].title} on {snapshot}: its runs are requested. They are in the list of all runs."
    )
    again = "You sent this form before, and it started these runs. To train again, open a new form."
    messages.info(request, requested if started else again)
    return redirect(f"{reverse('runs')}?corpus={snapshot.corpus.slug}")


@researcher_post
def stop(request: HttpRequest, pk: int) -> HttpResponse:
    found = get_object_or_404(TrainingRun, pk=pk)
    try:
        stop_run(run=found)
    except RunIsOver as error:
        messages.warning(request, str(error))
    return redirect("run", pk)


@researcher_post
def resume(request: HttpRequest, pk: int) -> HttpResponse:
    found = get_object_or_404(TrainingRun, pk=pk)
    try:
        enqueue(resume_run(run=found))
    except RunIsOver as error:
        messages.warning(request, str(error))
    return redirect("run", pk)


def _form_page(request: HttpRequest, snapshot: Snapshot, form: NewRunForm, status: int = 200) -> HttpResponse:
    context = {
        "snapshot": snapshot,
        "form": form,
        "baselines": catalogue.baselines().values(),
        **workers.of_training(),
    }
    # Somebody who is not sure whether they pressed the button sees here that they did.
    under_way = TrainingRun.objects.under_way().filter(snapshot=snapshot)
    context["under_way"] = dict(Counter(under_way.order_by("pk").values_list("baseline", flat=True)))
    pairs = training_pairs(snapshot).count()
    context["has_train"] = bool(pairs)
    done = done_runs()
    context["offers"] = offers(pairs, done)
    context["plan"] = form.plan(pairs, done)
    context["for_english"] = catalogue.tools_for_english(snapshot.corpus.language)
    return render(request, "modeling/new.html", context, status=status)
