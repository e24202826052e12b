"""The first pages of the workspace: all corpora, and the overview of one."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from django.core.paginator import Paginator
from django.db.models import Exists, OuterRef, Subquery
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode

from accounts.pages.access import polled, researcher_page
from accounts.people.gates import viewer
from annotation_site.middleware import STRICT
from annotation_site.researchers.wages import summary
from annotation_site.researchers.wages_charts import counted_wages
from annotation_site.workspace.next_step import State, next_step
from annotation_site.workspace.overview_charts import SPANS, glances, overview_charts
from annotation_site.workspace.pipeline import Counts, counts_of, counts_to_sort_by
from annotation_site.workspace.waiting import waiting_for, waiting_in, waiting_jobs
from collection.models import Corpus, Prompt
from modeling.watching.baseline_figures import BASELINES, compared_on
from shared.csv_files import csv_file
from shared.figures import of_page, shown
from shared.sorted_lists import list_as_csv, sorted_list
from shared.tables import Column
from snapshots.models import Snapshot
from validation.models import Question
from validation.questions.addresses import address_in
from validation.statistics.cached import CORPORA_A_PAGE

OF_CORPORA = [
    Column("corpus", "Name", value=lambda row: row["corpus"].name),
    Column(
        "last_work",
        "Last work",
        value=lambda row: row["counts"] and row["counts"].last_active(),
        largest_first=True,
    ),
    Column("pairs", "Pairs", "number", value=lambda row: row["counts"] and row["counts"].pairs),
    Column("gold", "Gold labels", "number", value=lambda row: row["counts"] and row["counts"].gold),
    Column("agreement", "Agreement", "number", value=lambda row: row["counts"] and row["counts"].agreement),
    Column("waiting", "What waits", "number", value=lambda row: len(row["waiting"])),
]
LONGEST_FORECAST = 3650  # days


@dataclass(frozen=True)
class Asked:
    question: str
    link: str


def questions_of(
    corpus: Corpus, main: Question | None, newest: Snapshot | None, *, has_prompt: bool
) -> list[Asked]:
    """Returns the questions whose parts the corpus has. main: its main question. newest: its newest frozen snapshot."""
    return [Asked(question, link) for question, link in _asked(corpus, main, newest, has_prompt)]


def _asked(
    corpus: Corpus, main: Question | None, newest: Snapshot | None, has_prompt: bool
) -> Iterator[tuple[str, str]]:
    of_corpus = f"?{urlencode({'corpus': corpus.slug})}"
    if main:
        yield "Which genre lags?", address_in("finished", main)
        yield "Who guesses?", address_in("annotators", main)
    yield "What does it cost until it is done?", f"{reverse('corpus-overview', args=[corpus.slug])}#money"
    if main:
        yield "Which prompt gives labels away?", address_in("bias", main, by="version")
        yield "Why did agreement fall this week?", address_in("agreement-why", main)
    if has_prompt:
        yield (
            "What did the newest version of a prompt change?",
            reverse("compare-prompts", args=[corpus.slug]),
        )
    if main:
        yield "Which pairs for the paper?", address_in("paper-pairs", main)
    if newest:
        yield (
            "Does the hypothesis alone tell the label?",
            f"{reverse('corpus-overview', args=[corpus.slug])}#newest",
        )
        yield "Which run is best, and why?", f"{reverse('runs')}{of_corpus}"
        yield "What changed since the last snapshot?", reverse("snapshot-changes", args=[newest.pk])
    yield "Whom do we owe what?", reverse("pay", args=[corpus.slug])
    if newest:
        yield "Is it ready to be released?", reverse("snapshot", args=[newest.pk])


@dataclass(frozen=True)
class Stage:
    """One stage on the way of the data: its number, its list, and how full its bar is beside the largest (percent).

    note_link: the list of what the note counts, if there is one.
    """

    name: str
    number: int
    note: str
    link: str
    note_link: str
    share: int


@dataclass(frozen=True)
class Forecast:
    """The remaining time at the pace of the last seven days, or since the first day.

    `day` is None if nothing was done in them, or it is early.
    """

    what: str
    left: int
    pace: float
    day: date | None
    is_early: bool


@polled
@researcher_page
def home(request: HttpRequest) -> HttpResponseBase:
    """Shows what needs attention, and the corpora, those with the latest work first.

    `as=csv`: all of them as CSV. `archived`: the archived ones in place of the others.
    """
    newest = Snapshot.objects.frozen().filter(corpus=OuterRef("pk")).order_by("-pk")
    is_archive = bool(request.GET.get("archived"))
    corpora = (
        Corpus.objects.of(viewer())
        .order_by("-pk")
        .annotate(frozen_pairs=Subquery(newest.values("pair_count")[:1]))
    )
    everything, items = list(corpora), waiting_for(viewer())
    found = [corpus for corpus in everything if (corpus.archived_at is not None) == is_archive]
    is_one_page = len(found) <= CORPORA_A_PAGE
    counts = counts_of(found) if is_one_page else counts_to_sort_by(found)
    rows: list[dict[str, Any]] = [
        {
            "corpus": corpus,
            "counts": counts[corpus.pk],
            "waiting": [each for each in items if each.slug == corpus.slug],
        }
        for corpus in found
    ]
    table = sorted_list(request, rows, OF_CORPORA, "-last_work")
    if request.GET.get("as") == "csv":
        return csv_file(list_as_csv(table.rows, OF_CORPORA), "corpora")
    page = Paginator(table.rows, CORPORA_A_PAGE).get_page(request.GET.get("page"))
    if not is_one_page:
        counts = counts_of([row["corpus"] for row in page])
    for row in page:
        corpus = row["corpus"]
        now = counts[corpus.pk]
        row |= {
            "counts": now,
            "stages": stages(corpus, now, corpus.frozen_pairs or 0),
            "charts": glances(corpus, now),
        }
    others = len(everything) - len(found)
    context = {"table": table, "page": page, "waiting": items, "is_archive": is_archive, "others": others}
    answer = render(request, "workspace/home.html", context)
    # Other addresses below /admin/ are the admin theme's, which needs a weaker policy.
    answer["Content-Security-Policy"] = STRICT
    return answer


@polled
@researcher_page
def overview(request: HttpRequest, slug: str) -> HttpResponse:
    """Shows the state of one corpus, what waits, and the next step.

    `days`: over how many days the pace is drawn.
    """
    has_prompt = Exists(Prompt.objects.filter(corpus=OuterRef("pk")))
    corpora: Any = Corpus.objects.select_related("consent_form").annotate(has_prompt=has_prompt)
    corpus = get_object_or_404(corpora, slug=slug)
    question = Question.objects.filter(corpus=corpus, is_main=True).select_related("corpus").first()
    newest = Snapshot.objects.frozen().filter(corpus=corpus).newest_first().first()
    counts, items = counts_of([corpus])[corpus.pk], waiting_in(slug, viewer())
    days = request.GET.get("days", "")
    days = days if days in SPANS else next(iter(SPANS))
    tables = overview_charts(question, counts, SPANS[days]) if counts else []
    charts = of_page("overview", corpus, tables, days=days)
    context: dict[str, Any] = {
        "corpus": corpus,
        "question": question,
        "charts": {each.table.key.replace("-", "_"): each for each in charts},
        "counts": counts,
        "spans": [(each, "all days" if each == "all" else f"{each} days") for each in SPANS],
        "days": days,
        "waiting": items,
        "jobs": waiting_jobs(),
        "newest": newest,
        "questions": questions_of(corpus, question, newest, has_prompt=corpus.has_prompt),
        "stages": stages(corpus, counts, newest.pair_count if newest else 0),
        "accuracy": shown((BASELINES,), newest, compared_on(newest)) if newest else (),
    }
    if counts is not None:
        context["step"] = next_step(State(corpus, question, counts, items, newest))
        context["forecasts"] = forecasts(counts, timezone.now().date())
        context["due"] = counts.until_done(corpus.platform_fee_percent)
        context["due_cents"] = sum(context["due"].values())
        context["hourly"] = summary(counted_wages(corpus)[0] or (), corpus.hourly_floor_cents)
    return render(request, "workspace/overview.html", context)


@polled
@researcher_page
def attention(request: HttpRequest) -> HttpResponse:
    """Renders the link with the number of things that wait for a researcher. Every page of the workspace loads it."""
    return render(request, "workspace/_attention.html", {"things_waiting": len(waiting_for(viewer()))})


def stages(corpus: Corpus, counts: Counts | None, frozen: int) -> list[Stage]:
    """Returns the stages of the data, from premises to the newest snapshot; empty if no worker has counted yet."""
    if counts is None:
        return []
    slug = corpus.slug
    pairs = reverse("pairs", args=[slug])
    written = f"{counts.written:,} of {counts.tasks:,} writing tasks sent" if counts.tasks else "imported"
    progress = reverse("labelling-progress", args=[slug])
    found = [
        ("premises", counts.premises, "not dropped", reverse("premises", args=[slug]), ""),
        ("pairs", counts.pairs, written, pairs, reverse("texts", args=[slug]) if counts.tasks else ""),
        (
            "opened",
            counts.opened,
            f"{counts.open_seats:,} label{'' if counts.open_seats == 1 else 's'} still wanted",
            reverse("open-pairs", args=[slug]),
            f"{pairs}?votes=open" if counts.open_seats else "",
        ),
        (
            "with all labels",
            counts.complete,
            f"{counts.labels:,} label{'' if counts.labels == 1 else 's'} cast here",
            f"{pairs}?votes=complete",
            progress if counts.labels else "",
        ),
        (
            "gold",
            counts.gold,
            f"{counts.disputed:,} disputed",
            reverse("agreement", args=[slug]),
            f"{pairs}?votes=disputed" if counts.disputed else "",
        ),
        ("frozen", frozen, "in the newest snapshot", f"{reverse('snapshots')}?corpus={slug}", ""),
    ]
    most = max(number for _, number, *_ in found) or 1
    return [Stage(*stage, share=round(100 * stage[1] / most)) for stage in found]


def forecasts(counts: Counts, today: date) -> list[Forecast]:
    """Returns the forecasts for the texts and the labels that are still needed, at the present pace."""
    found = []
    for what, left, column in (
        ("texts", counts.tasks - counts.written, 1),
        ("labels", counts.open_seats, 2),
    ):
        if left > 0:
            pace, early = counts.pace(column), counts.is_early(column)
            days = left / pace if pace else LONGEST_FORECAST + 1
            day = today + timedelta(days=round(days)) if days <= LONGEST_FORECAST and not early else None
            found.append(Forecast(what, left, pace, day, early))
    return found
