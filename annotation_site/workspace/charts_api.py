"""REST: the charts of a corpus's pages, as these draw them."""

from collections.abc import Iterable
from typing import Any

from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import User
from accounts.rest.charts import ChartsSerializer, charts_answer
from accounts.rest.openapi import QuerySerializer, one_of
from accounts.rest.permissions import ResearcherView
from accounts.rest.problems import problems
from annotation_site.researchers.bias_page import bias_charts
from annotation_site.researchers.corpus_bias import LONGEST_KEY, stored_by
from annotation_site.researchers.funnel import funnels
from annotation_site.workspace.labelling_page import progress_charts, progress_of
from annotation_site.workspace.overview_charts import SPANS, charts_of_overview
from annotation_site.workspace.premises_charts import stock_charts as premises_charts
from annotation_site.workspace.prompts_charts import prompts_charts
from annotation_site.workspace.prompts_page import chosen_versions
from annotation_site.workspace.texts_charts import texts_charts
from annotation_site.workspace.texts_days import days_charts
from annotation_site.workspace.texts_page import written
from collection.models import Corpus, EntryLink
from collection.writing.versions import statistics_of
from shared.charts import Chart
from snapshots.browsing.api import FreezeChoices
from snapshots.errors import SnapshotError
from snapshots.freezing.partition_table import plan_charts
from snapshots.freezing.plan import plan_freeze
from validation.models import Question
from validation.pairs.doubts import doubts_of
from validation.pairs.histograms import histograms, tenths_of
from validation.pairs.listing import Wanted, numbers_of
from validation.questions.addresses import address_in
from validation.questions.lookup import names_in, question_or_404
from validation.statistics import cached
from validation.statistics.annotator_charts import charts_of_person
from validation.statistics.api import QuestionQuery
from validation.statistics.stock_charts import stock_charts

UNCOUNTED = "`charts` is empty until a worker has counted a large corpus."


class BiasQuery(QuestionQuery):
    by = serializers.CharField(
        required=False, max_length=LONGEST_KEY, help_text="groups of pairs; if empty, genres"
    )


class OverviewQuery(QuerySerializer):
    days = one_of(
        "number of days", SPANS, default=next(iter(SPANS)), help_text="of the texts and labels a day"
    )


class PairsChartsQuery(QuestionQuery):
    run = serializers.IntegerField(
        required=False, min_value=1, max_value=2**31, help_text="a training run, for its doubts"
    )


class PlanQuery(FreezeChoices, QuerySerializer):
    pass


class PromptsQuery(QuerySerializer):
    first = serializers.IntegerField(required=False, min_value=1, help_text="id of a version of a prompt")
    second = serializers.IntegerField(required=False, min_value=1, help_text="id of another version")


def _described(summary: str, description: str = "", **more: Any) -> Any:
    return extend_schema(
        summary=f"The charts of {summary}",
        description=description,
        responses=ChartsSerializer,
        tags=["corpora"],
        **more,
    )


class ChartsView(ResearcherView):
    """The charts of one page."""

    def charts(self, *asked: Any, **rest: Any) -> Iterable[Chart]:
        """Returns them, for a request and the values in its address. Raises Http404 if there is no such page."""
        raise NotImplementedError

    def get(self, request: Request, slug: str, **rest: Any) -> Response:
        return charts_answer(self.charts(request, slug, **rest))


@_described(
    "a corpus's overview: texts and labels a day, agreement, agreement by week, seats by state",
    UNCOUNTED,
    parameters=[OverviewQuery],
)
class OverviewChartsView(ChartsView):
    def charts(self, request: Request, slug: str) -> Iterable[Chart]:
        asked = OverviewQuery.read(request)
        return charts_of_overview(get_object_or_404(Corpus, slug=slug), SPANS[asked["days"]])


@_described("premises: how many of each genre are without pairs, with pairs, or used up", UNCOUNTED)
class PremisesChartsView(ChartsView):
    def charts(self, request: Request, slug: str) -> Iterable[Chart]:
        return premises_charts(get_object_or_404(Corpus, slug=slug))[0]


@_described(
    "two versions of prompts: gold labels that are the author's, tasks that were skipped",
    "The two newest versions of one prompt, if the request names none.",
    parameters=[PromptsQuery],
)
class PromptsChartsView(ChartsView):
    def charts(self, request: Request, slug: str) -> Iterable[Chart]:
        corpus, asked = get_object_or_404(Corpus, slug=slug), PromptsQuery.read(request)
        _, two = chosen_versions(corpus, str(asked.get("first", "")), str(asked.get("second", "")))
        return prompts_charts(corpus, [(version, statistics_of(version)) for version in two])


@_described(
    "writers' texts: by day and genre; lengths by label, words that give labels away, negation",
    "Those of labels are of the newest texts, and absent for fewer than thirty.",
)
class TextsChartsView(ChartsView):
    def charts(self, request: Request, slug: str) -> Iterable[Chart]:
        corpus = get_object_or_404(Corpus, slug=slug)
        return [*days_charts(corpus, timezone.now()), *texts_charts(corpus, written(corpus))]


@_described("labelling: seats by state, day by day; pairs by genre and state", UNCOUNTED)
class LabellingChartsView(ChartsView):
    def charts(self, request: Request, slug: str) -> Iterable[Chart]:
        main = cached.with_size(Question.objects.filter(corpus__slug=slug, is_main=True))
        question = get_object_or_404(main.select_related("corpus"))
        found = progress_of(question, timezone.now())
        return [*(progress_charts(found[1], found[0]) if found else []), *stock_charts(question)]


@_described(
    "the plan of a freeze: pairs by genre and partition",
    "The parameters are those that request a freeze.",
    parameters=[PlanQuery],
)
class PlanChartsView(ChartsView):
    def charts(self, request: Request, slug: str) -> Iterable[Chart]:
        corpus = get_object_or_404(Corpus, slug=slug)
        with problems({SnapshotError: 422}):
            planned = plan_freeze(corpus, **PlanQuery.read(request))
        return plan_charts(planned, names_in(corpus)["genre"])


@_described(
    "the list of pairs: lengths of hypotheses, agreement, doubts of a run",
    "A row leads to the list of its pairs. Agreement and lengths are absent until a worker has counted a large corpus.",
    parameters=[PairsChartsQuery],
)
class PairsChartsView(ChartsView):
    def charts(self, request: Request, slug: str) -> Iterable[Chart]:
        asked, wanted = PairsChartsQuery.read(request), Wanted()
        question = question_or_404(slug, asked.get("question"))
        run = {"run": asked["run"]} if "run" in asked else {}
        doubts = doubts_of(asked["run"], question.corpus_id) if run else None

        def address(values: dict[str, Any]) -> str:
            return address_in("pairs", question, **run, **values)

        tenths = tenths_of(question, wanted, doubts)
        return histograms(numbers_of(question, wanted), wanted, tenths, 0, address)


@_described(
    "what hypotheses give away: labels that a classifier finds without the premise",
    "`charts` is empty until a worker has counted, which the page asks for.",
    parameters=[BiasQuery],
)
class BiasChartsView(ChartsView):
    def charts(self, request: Request, slug: str) -> Iterable[Chart]:
        asked = BiasQuery.read(request)
        question = question_or_404(slug, asked.get("question"))
        found, _ = cached.current(question, cached.Kind.BIAS, stored_by(asked.get("by", "")))
        return bias_charts(found, names_in(question.corpus), question)


@_described("an entry link: how many people reached each step", "`charts` is empty while nobody came.")
class LinkChartsView(ChartsView):
    def charts(self, request: Request, slug: str, number: int) -> Iterable[Chart]:
        link = get_object_or_404(EntryLink, corpus__slug=slug, pk=number)
        return funnels([link])[link.pk].charts()


@_described(
    "an annotator: beside everybody, over time, seconds, shares of labels", parameters=[QuestionQuery]
)
class AnnotatorChartsView(ChartsView):
    def charts(self, request: Request, slug: str, code: str) -> Iterable[Chart]:
        question = question_or_404(slug, QuestionQuery.read(request).get("question"))
        found, _ = cached.current_annotators(question)
        return charts_of_person(get_object_or_404(User, code=code), found or (), question)
