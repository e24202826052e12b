"""The researcher's pages about training runs."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, cast

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.models import User, new_token
from accounts.pages.access import researcher_required
from collection.models import PARTITIONS, Pair
from collection.texts import direction_of
from modeling import catalogue, queues, run_files, tasks
from modeling.actions import (
    BadSetting,
    ModelingError,
    RunIsOver,
    request_once,
    request_run,
    request_sweep,
    resume_run,
    stop_run,
)
from modeling.forms import NewRunForm
from modeling.models import TrainingRun
from modeling.plots import curve
from modeling.regimes import regime_text, training_pairs
from modeling.tables import distributions, evaluations, results, settings_text, sizes
from snapshots.models import Snapshot

RUNS_A_PAGE = 50
SNAPSHOTS_SHOWN = 20
PREDICTIONS_A_PAGE = 50
NEWEST_LINES = 10


@never_cache
@require_safe
@researcher_required
def runs(request: HttpRequest) -> HttpResponse:
    """Baselines by snapshot, newest snapshots first, then the runs one by one."""
    frozen = Snapshot.objects.frozen().newest_first()
    context = {
        "tables": results(list(frozen.filter(runs__status="done").distinct()[:SNAPSHOTS_SHOWN])),
        "page": Paginator(TrainingRun.objects.newest_first(), RUNS_A_PAGE).get_page(request.GET.get("page")),
        "snapshots": frozen[:SNAPSHOTS_SHOWN],
        **_queue(),
    }
    return render(request, "modeling/runs.html", context)


@never_cache
@require_safe
@researcher_required
def run(request: HttpRequest, pk: int) -> HttpResponse:
    """The whole page; while the run goes on, htmx asks every two seconds for the part that changes."""
    found = get_object_or_404(TrainingRun.objects.newest_first(), pk=pk)
    template = "modeling/_state.html" if request.htmx else "modeling/run.html"  # type: ignore[attr-defined]
    return render(request, template, _shown(found))


@never_cache
@require_safe
@researcher_required
def new_run(request: HttpRequest, snapshot_id: int) -> HttpResponse:
    snapshot = get_object_or_404(Snapshot.objects.newest_first(), pk=snapshot_id)
    return _form_page(request, snapshot, NewRunForm(initial={**request.GET.dict(), "key": new_token()}))


@require_POST
@researcher_required
def start_run(request: HttpRequest, snapshot_id: int) -> HttpResponse:
    """One run, or a sweep where there are several seeds or sizes. The same form sent twice starts it once."""
    snapshot = get_object_or_404(Snapshot.objects.newest_first(), pk=snapshot_id)
    form = NewRunForm(request.POST)
    if not form.is_valid():
        return _form_page(request, snapshot, form, status=422)
    asked = {key: form.cleaned_data[key] for key in ("baseline", "vectors", "config")}
    user = cast(User, request.user)
    asked |= {"snapshot": snapshot, "regime": form.regime, "by": user}
    seeds, wanted = form.cleaned_data["seeds"], form.cleaned_data["sizes"]
    if len(seeds) > 1 or wanted:
        ask = partial(request_sweep, seeds=seeds, sizes=wanted, **asked)
    else:
        ask = partial(request_run, seed=seeds[0], **asked)
    content = {"snapshot": snapshot.pk, "form": form.cleaned_data}
    try:
        started, is_new = request_once(by=user, key=form.request_key, content=content, ask=ask)
    except ModelingError as error:
        key = "config" if isinstance(error, BadSetting) else getattr(error, "key", None)
        form.add_error(key if key in form.fields else None, str(error))
        return _form_page(request, snapshot, form, status=422)
    if not is_new:
        messages.info(
            request, "You sent this form before: this is what it started. To train again, open the form anew."
        )
    tasks.enqueue(started.pk)
    return redirect("run", started.pk)


@require_POST
@researcher_required
def stop(request: HttpRequest, pk: int) -> HttpResponse:
    found = get_object_or_404(TrainingRun, pk=pk)
    try:
        stop_run(run=found)
    except RunIsOver as error:
        messages.warning(request, str(error))
    return redirect("run", pk)


@require_POST
@researcher_required
def resume(request: HttpRequest, pk: int) -> HttpResponse:
    found = get_object_or_404(TrainingRun, pk=pk)
    try:
        resume_run(run=found)
        tasks.enqueue(pk)
    except RunIsOver as error:
        messages.warning(request, str(error))
    return redirect("run", pk)


@never_cache
@require_safe
@researcher_required
def predictions(request: HttpRequest, pk: int, partition: str) -> HttpResponse:
    """Predictions to read with their texts, a stretch of the file at a time; with `wrong=1` only the wrong ones."""
    found = get_object_or_404(TrainingRun.objects.newest_first(), pk=pk)
    start = request.GET.get("from", "0")
    only_wrong = request.GET.get("wrong") == "1"
    context: dict[str, Any] = {"run": found, "partition": partition, "only_wrong": only_wrong}
    try:
        place = int(start) if start.isascii() and start.isdigit() and len(start) < 19 else 0
        context["predictions"] = run_files.predictions(
            found, partition, place, PREDICTIONS_A_PAGE, only_wrong=only_wrong
        )
        context["rows"] = _with_texts(found, context["predictions"].rows)
        context["direction"] = direction_of(found.snapshot.corpus.language)
    except run_files.PredictionsMissing as error:
        context["error"] = str(error)
    return render(request, "modeling/predictions.html", context, status=404 if "error" in context else 200)


def _with_texts(found: TrainingRun, rows: Sequence[Mapping[str, Any]]) -> list[tuple[Any, Pair | None]]:
    """Each prediction with its pair; None where the snapshot has no such id."""
    pairs = Pair.objects.filter(
        corpus=found.snapshot.corpus_id, public_id__in=[row["pairID"] for row in rows]
    ).select_related("premise")
    texts = {pair.public_id: pair for pair in pairs}
    return [(row, texts.get(row["pairID"])) for row in rows]


def _queue() -> dict[str, Any]:
    return {"workers": queues.working(tasks.QUEUE), "last_worker": queues.last_seen(tasks.QUEUE)}


def _shown(found: TrainingRun) -> dict[str, Any]:
    lines = found.lines.curve()
    by_size = sizes(found) if found.is_sweep else []
    is_under_way = found.standing in (TrainingRun.Status.QUEUED, TrainingRun.Status.RUNNING)
    return {
        "run": found,
        "is_under_way": is_under_way,
        "settings": ", ".join(
            filter(None, (regime_text(found.regime, found.most), settings_text(found.config)))
        ),
        "sizes": by_size,
        "distributions": distributions(by_size),
        "lines": lines,
        "newest": lines[-1] if lines else None,
        # A folded table would fold again with every look while the run goes on.
        "shown_lines": lines[-NEWEST_LINES:] if is_under_way else lines,
        "curve": curve(lines),
        "log": run_files.log_tail(found),
        "warnings": found.warnings.splitlines(),
        "evaluations": evaluations(found),
        "held_out": [name for name in PARTITIONS if name != "train"],
        **_queue(),
    }


def _form_page(request: HttpRequest, snapshot: Snapshot, form: NewRunForm, status: int = 200) -> HttpResponse:
    context = {"snapshot": snapshot, "form": form, "baselines": catalogue.baselines().values(), **_queue()}
    context["has_train"] = training_pairs(snapshot).exists()
    context["for_english"] = catalogue.tools_for_english(snapshot.corpus.language)
    return render(request, "modeling/new.html", context, status=status)
