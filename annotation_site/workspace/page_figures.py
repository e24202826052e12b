"""The figures of a corpus's pages whose tables are made together, as these pages draw them."""

from collections.abc import Iterable
from typing import Annotated, Any

from django.shortcuts import get_object_or_404
from django.utils import timezone
from pydantic import Field

from accounts.rest.problems import problems
from annotation_site.researchers.funnel import funnels
from annotation_site.researchers.wages_charts import counted_wages, wage_charts
from annotation_site.workspace.labelling_page import progress_charts, progress_of
from annotation_site.workspace.overview_charts import SPANS, charts_of_overview
from annotation_site.workspace.premises_charts import STOCK as PREMISES
from annotation_site.workspace.prompts_charts import prompts_charts
from annotation_site.workspace.prompts_page import chosen_versions
from annotation_site.workspace.texts_charts import texts_charts
from annotation_site.workspace.texts_days import days_charts
from annotation_site.workspace.texts_page import written
from collection.models import Corpus, EntryLink
from collection.writing.versions import statistics_of
from schemas.base import OneOf
from shared.figures import Parameters, page
from shared.tables import Table
from shared.whole_numbers import LARGEST_SEED
from snapshots.errors import SnapshotError
from snapshots.freezing.partition_table import plan_charts
from snapshots.freezing.plan import plan_freeze
from validation.models import Question
from validation.pairs.listing import Wanted, charts_of, doubts_of, numbers_of, tenths_of
from validation.questions.addresses import address_in
from validation.questions.lookup import names_in
from validation.statistics import cached
from validation.statistics.scope import CORPUS, QUESTION

Key = Annotated[int, Field(ge=0, le=2**31 - 1)]


class Days(Parameters):
    days: Annotated[str, OneOf(tuple(SPANS))] = next(iter(SPANS))


class Versions(Parameters):
    first: Key = 0
    second: Key = 0


class Run(Parameters):
    run: Key = 0


class Link(Parameters):
    link: Key


class Floor(Parameters):
    floor_cents: Annotated[int, Field(ge=0, le=100_000)] | None = None


class Plan(Parameters):
    seed: Annotated[int, Field(ge=0, le=LARGEST_SEED)] = 0
    dev_from_train: Key = 0
    author_disjoint: bool = False
    derived_parses: bool = False


def _prompts(corpus: Corpus, first: int, second: int) -> Iterable[Table]:
    _, two = chosen_versions(corpus, str(first or ""), str(second or ""))
    return prompts_charts(corpus, [(version, statistics_of(version)) for version in two])


def _labelling(question: Question) -> Iterable[Table]:
    sized = cached.with_size(Question.objects.filter(pk=question.pk)).select_related("corpus").get()
    found = progress_of(sized, timezone.now())
    return progress_charts(found[1], found[0]) if found else []


def _plan(corpus: Corpus, **choices: Any) -> Iterable[Table]:
    with problems({SnapshotError: 422}):
        planned = plan_freeze(corpus, **choices)
    return plan_charts(planned, names_in(corpus)["genre"])


def _pairs(question: Question, run: int) -> Iterable[Table]:
    wanted = Wanted()
    doubts = doubts_of(run, question.corpus_id) if run else None
    of_run: dict[str, str | int] = {"run": run} if run else {}

    def address(values: dict[str, Any]) -> str:
        return address_in("pairs", question, **of_run, **{key: each for key, each in values.items() if each})

    return charts_of(numbers_of(question, wanted), wanted, tenths_of(question, wanted, doubts), 0, address)


def _link(corpus: Corpus, link: int) -> Iterable[Table]:
    return funnels([get_object_or_404(EntryLink, corpus=corpus, pk=link)])[link].charts()


def _pay(corpus: Corpus, floor_cents: int | None) -> Iterable[Table]:
    found, days, _ = counted_wages(corpus)
    return wage_charts(found or (), days, corpus.hourly_floor_cents if floor_cents is None else floor_cents)


FIGURES = (
    *page(
        "overview",
        CORPUS,
        {
            "pace-texts": "Texts a day",
            "pace-labels": "Labels a day",
            "agreement": "Single labels that equal the gold label",
            "weeks": "The same, by week",
            "seats-now": "Seats by state",
        },
        lambda corpus, days: charts_of_overview(corpus, SPANS[days]),
        Days,
    ),
    PREMISES,
    *page(
        "prompts",
        CORPUS,
        {"gold": "Gold labels that are the author’s, by version", "skipped": "Skipped tasks, by version"},
        _prompts,
        Versions,
    ),
    *page(
        "texts",
        CORPUS,
        {
            "days": "Texts by day and genre",
            "lengths": "Lengths of the newest texts, by label",
            "giveaways": "Words that give labels away",
            "negation": "Negation, by label",
        },
        lambda corpus: [*days_charts(corpus, timezone.now()), *texts_charts(corpus, written(corpus))],
    ),
    *page("labelling", QUESTION, {"seats": "Seats by state, day by day"}, _labelling),
    *page("plan", CORPUS, {"contents": "A freeze now: pairs by genre and partition"}, _plan, Plan),
    *page(
        "pairs",
        QUESTION,
        {"length": "Lengths of hypotheses", "agreement": "Agreement of pairs", "doubt": "Doubts of a run"},
        _pairs,
        Run,
    ),
    *page("link", CORPUS, {"funnel": "How many people reached each step behind an entry link"}, _link, Link),
    *page("pay", CORPUS, {"hourly": "Hourly pay of people", "by-day": "Money by day and task"}, _pay, Floor),
)
