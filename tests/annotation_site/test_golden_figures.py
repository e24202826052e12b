"""Every chart and table of one corpus and its snapshot says what it said before: a change shows in golden/figures.json.

`GOLDEN=write pytest tests/annotation_site/test_golden_figures.py` writes the file again; a review then reads the difference.
"""

import json
import os
import re
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db.models import F
from django.test import Client

from accounts.models import User
from collection.models import Corpus, EntryLink, Visit
from modeling.folders import folder_of
from modeling.launching.actions import request_sweep
from modeling.models import RunProgress, TrainingRun
from modeling.results.breakdowns import store_breakdowns
from shared.lists import Shown
from snapshots.statistics.job import compute_statistics, request_statistics
from tests.cast import rosa, vera
from tests.charted import charted_corpus, charts_in
from tests.corpora import make_link
from tests.listed import bars_in
from tests.modeling.material import done_run
from tests.modeling.test_data_map import dynamics
from tests.modeling.test_error_browser import FIRST, answers
from tests.snapshots.material import corpus_of, freeze
from validation.statistics import cached

GOLDEN = Path(__file__).parent / "golden" / "figures.json"
# A Wednesday noon, so that weeks and days do not depend on when the tests run.
NOW = datetime(2026, 11, 18, 12, tzinfo=UTC)
MOST_ROWS = 25

pytestmark = pytest.mark.django_db


def figures(client: Client, corpus: Corpus, snapshot: Any) -> dict[str, Any]:
    """Returns the charts of every page and the tables of `report`, by where they stand."""
    link = EntryLink.objects.get(corpus=corpus).pk
    pages = {
        "overview": "/c/charted/?days=30",
        "premises": "/c/charted/premises/",
        "prompts": "/c/charted/prompts/",
        "texts": "/c/charted/texts/",
        "labelling": "/c/charted/labelling/",
        "link": f"/c/charted/links/{link}/",
        "pairs": "/corpora/charted/pairs/?part=charts",
        "bias": "/corpora/charted/bias/",
        "agreement": "/corpora/charted/agreement/",
        "agreement by validator": "/corpora/charted/agreement/?by=validator",
        "agreement by week": "/corpora/charted/agreement/?by=week",
        "annotators": "/corpora/charted/annotators/",
        "annotator": "/corpora/charted/pool/validator1/",
        "pay": "/corpora/charted/pay/",
        "plan": "/snapshots/freeze/charted/plan/?seed=0",
        "snapshot": f"/snapshots/{snapshot.pk}/",
        "snapshot pairs": f"/snapshots/{snapshot.pk}/pairs/?part=charts",
        "statistics": f"/snapshots/{snapshot.pk}/statistics/",
    }
    found = _charts(client, pages)
    found["report"] = {name: _printed(name) for name in _TABLES}
    return found


def _charts(client: Client, pages: dict[str, str]) -> dict[str, Any]:
    """Returns the charts of each of these pages."""
    found = {}
    for place, address in pages.items():
        answer = client.get(address)
        assert answer.status_code == 200, address
        charts = charts_in(answer.content) | (
            bars_in(answer) if isinstance(answer.context.get("list"), Shown) else {}
        )
        found[place] = {key: _lasting(chart) for key, chart in charts.items()}
    return found


_TABLES = (
    *("agreement", "genres", "lengths", "length-distribution", "two-classes", "overlap", "edits", "labels", "votes"),
    *("examples", "giveaways", "words", "answerable", "lengths-by-label"),
)  # fmt: skip


def _printed(name: str) -> list[str]:
    out = StringIO()
    call_command("report", "charted@1", name, format="csv", stdout=out)
    lines = out.getvalue().splitlines()
    return [*lines[:MOST_ROWS], f"{len(lines)} lines"]


def _lasting(value: Any) -> Any:
    """Returns a chart without what differs from run to run: keys of rows in addresses, digits beyond the sixth."""
    if isinstance(value, dict):
        empty = [key for key in ("caption", "notes") if not value.get(key)]
        return {key: _lasting(each) for key, each in value.items() if key not in ("key", *empty)}
    if isinstance(value, list):
        return [_lasting(each) for each in value[:MOST_ROWS]] + [f"{len(value)} in all"] * (
            len(value) > MOST_ROWS
        )
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, str):
        return re.sub(r"/(snapshots|links)/\d+/", r"/\1/N/", value)
    return value


def test_charts_and_tables_say_what_they_said(monkeypatch):
    monkeypatch.setattr("django.utils.timezone.now", lambda: NOW)
    corpus = charted_corpus()
    User.objects.update(code=F("username"))
    link = make_link(corpus, name="first wave")
    Visit.objects.create(link=link, user=vera(), session="s")
    question = corpus.questions.get()
    cached.carry_out(statistics_id=cached.request_statistics(question=question, kind="bias").pk)
    snapshot = freeze(corpus)
    for kind in ("corpus", "artifacts"):
        compute_statistics(statistics_id=request_statistics(snapshot=snapshot, kind=kind).pk)
    client = Client()
    client.force_login(rosa())
    _compare(figures(client, corpus, snapshot), GOLDEN)


def _compare(found: dict[str, Any], golden: Path) -> None:
    """Fails where a chart differs from the file. Writes the file where the environment says so."""
    if os.environ.get("GOLDEN") == "write":
        golden.write_text(
            json.dumps(found, indent=1, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8"
        )
    kept = json.loads(golden.read_text(encoding="utf-8"))
    assert found.keys() == kept.keys()
    for place, charts in kept.items():
        assert found[place].keys() == charts.keys(), place
        for name, chart in charts.items():
            assert found[place][name] == chart, f"{place}: {name}"


@pytest.mark.usefixtures("sent")
def test_charts_of_runs_say_what_they_said():
    snapshot = freeze(corpus_of(6, test=9))
    run = done_run(snapshot, "cbow", accuracy=5 / 9)
    done_run(snapshot, "hypothesis_only", accuracy=0.4)
    other = done_run(snapshot, "cbow", seed=2, config={"hidden": "8"}, accuracy=2 / 3)
    answers(run, FIRST)
    dynamics(run)
    store_breakdowns(run, snapshot, folder_of(run), ["test"])
    sweep = request_sweep(snapshot=snapshot, baseline="cbow", seeds=[3, 4])
    for number, each in enumerate([run, other, *sweep.children.order_by("pk")], start=1):
        for epoch in (1, 2, 3):
            scores = {"epoch": epoch, "dev_accuracy": 0.3 + epoch * number / 50}
            RunProgress.objects.create(run=each, step=10 * epoch, **scores)
            RunProgress.objects.create(run=each, step=10 * epoch - 5, loss=number / epoch)
    RunProgress.objects.create(run=run, step=35, loss=2.5, is_lost=True)
    client = Client()
    client.force_login(rosa())
    pages = {
        "runs": "/runs/",
        "run": f"/runs/{run.pk}/",
        "sweep": f"/runs/{sweep.pk}/",
        "curves": f"/runs/curves/?run={other.pk}&run={run.pk}",
        "data map": f"/runs/{run.pk}/data-map/",
    }
    _compare(_without_numbers(_charts(client, pages), snapshot.pk), GOLDEN.with_name("figures_of_runs.json"))


def _without_numbers(found: dict[str, Any], snapshot: int) -> dict[str, Any]:
    """Returns the charts with the places of runs, oldest first, for their numbers."""
    text = re.sub(rf"(?<!run)-{snapshot}\b", "-N", json.dumps(found))
    for place, pk in enumerate(TrainingRun.objects.order_by("pk").values_list("pk", flat=True), start=1):
        text = re.sub(rf"\b(runs?[-/ ]){pk}\b", rf"\1#{place}", text)
    return json.loads(text)
