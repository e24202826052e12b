"""Pages: the list of runs, and one run or sweep."""

from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.pages.access import researcher_required
from collection.models import PARTITIONS
from modeling import workers
from modeling.folders import log_tail
from modeling.launching.regimes import regime_text
from modeling.models import TrainingRun
from modeling.results.tables import evaluations, results, settings_text
from modeling.watching.curves import curve
from modeling.watching.sweeps import distributions, sizes
from snapshots.models import Snapshot

RUNS_A_PAGE = 50
SNAPSHOTS_SHOWN = 20
NEWEST_LINES = 10


@never_cache
@require_safe
@researcher_required
def runs(request: HttpRequest) -> HttpResponse:
    """The scores of baselines by snapshot, the newest first, then all runs."""
    frozen = Snapshot.objects.frozen().newest_first()
    context = {
        "tables": results(list(frozen.filter(runs__status="done").distinct()[:SNAPSHOTS_SHOWN])),
        "page": Paginator(TrainingRun.objects.newest_first(), RUNS_A_PAGE).get_page(request.GET.get("page")),
        "snapshots": frozen[:SNAPSHOTS_SHOWN],
        **workers.of_training(),
    }
    return render(request, "modeling/runs.html", context)


@never_cache
@require_safe
@researcher_required
def run(request: HttpRequest, pk: int) -> HttpResponse:
    """One run. While it is under way, htmx asks every two seconds for the part that changes."""
    found = get_object_or_404(TrainingRun.objects.newest_first(), pk=pk)
    template = "modeling/_state.html" if request.htmx else "modeling/run.html"  # type: ignore[attr-defined]
    return render(request, template, _shown(found))


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
        # While the run is under way, each refresh would fold a folded table again.
        "shown_lines": lines[-NEWEST_LINES:] if is_under_way else lines,
        "curve": curve(lines),
        "log": log_tail(found),
        "warnings": found.warnings.splitlines(),
        "evaluations": evaluations(found),
        "held_out": [name for name in PARTITIONS if name != "train"],
        **workers.of_training(),
    }
