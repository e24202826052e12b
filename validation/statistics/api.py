"""REST: statistics of agreement and of annotators, for researchers."""

from typing import Any

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.rest.openapi import QuerySerializer, one_of
from accounts.rest.permissions import ResearcherView
from accounts.rest.problems import Problem
from jobs.tasks import enqueue
from shared.csv_files import csv_file
from validation.models import CachedStatistics, Question
from validation.questions.lookup import question_or_404
from validation.statistics.agreement import report_from
from validation.statistics.annotator_table import annotator_table, as_csv
from validation.statistics.cached import Kind, current, request_statistics
from validation.statistics.cross_table import cross_csv
from validation.statistics.vote_patterns import DIMENSIONS, PAIR_KEYS

RETRY_AFTER = 10  # seconds


class QuestionQuery(QuerySerializer):
    question = serializers.SlugField(required=False, help_text="slug of another question than the main one")


class StatisticsQuery(QuestionQuery):
    by = one_of("dimension", DIMENSIONS, required=False, help_text="groups of pairs or of people")
    pairwise = serializers.BooleanField(default=False, help_text="Cohen's kappa of every two annotators")


class AgreementQuery(StatisticsQuery):
    as_ = one_of("form", ["csv"], required=False)


class AnnotatorsQuery(QuestionQuery):
    as_ = one_of("form", ["csv"], required=False)


class CountingSerializer(serializers.Serializer):
    """A worker computes the statistics; ask again."""

    corpus = serializers.CharField()
    why = serializers.CharField()
    retry_after = serializers.IntegerField(help_text="seconds")


class CrossTableRequestQuery(QuerySerializer):
    question = serializers.SlugField(help_text="a question beside the main one")
    by = one_of("group of pairs", PAIR_KEYS, required=False, help_text="a table of each group")


class CrossTableQuery(CrossTableRequestQuery):
    as_ = one_of("form", ["csv"], required=False)


# The statistics as JSON or as a table, or a 202 while a worker computes them.
STATISTICS = {
    (200, "application/json"): OpenApiTypes.OBJECT,
    (200, "text/csv"): OpenApiTypes.STR,
    202: CountingSerializer,
}


class AgreementView(ResearcherView):
    @extend_schema(
        summary="Agreement between annotators",
        description="Shares from 0 to 1 over the pairs with all labels, with 95% intervals. `by` adds groups,"
        " `pairwise=true` Cohen's kappa of each two annotators. `as=csv` returns a table with a row for each statistic."
        " For a large corpus a worker computes the statistics: `made_at` is their date. If there are none yet, the"
        " response is a 404 until a POST to this address requests them, then a 202 with `retry_after` (seconds).",
        parameters=[AgreementQuery],
        responses=STATISTICS,
        tags=["corpora"],
    )
    def get(self, request: Request, slug: str) -> HttpResponse:
        asked = AgreementQuery.read(request)
        question, wanted = self.wanted(slug, asked)
        counted = [current(question, kind, each) for kind, each in wanted]
        missing = [row for content, row in counted if content is None]
        if missing:
            return _not_yet(question, *missing)
        found = report_from(counted[0][0])
        if asked.get("as"):
            pairwise = counted[1][0] if len(counted) > 1 else ()
            return HttpResponse(found.as_csv(pairwise), content_type="text/csv; charset=utf-8")
        answer = {"corpus": slug, **found.as_json()}
        dates = [row.made_at for _, row in counted if row and row.made_at]
        if dates:
            answer["made_at"] = min(dates)
        if len(counted) > 1:
            answer["pairwise_kappa"] = counted[1][0]
        return Response(answer)

    @extend_schema(
        summary="Request new statistics of agreement",
        description="For corpora that are too large to be counted during a request. They are ready when GET returns a newer"
        " `made_at`.",
        parameters=[StatisticsQuery],
        request=None,
        responses={202: CountingSerializer},
        tags=["corpora"],
    )
    def post(self, request: Request, slug: str) -> HttpResponse:
        return _request(*self.wanted(slug, StatisticsQuery.read(request)))

    def wanted(self, slug: str, asked: dict[str, Any]) -> tuple[Question, list[tuple[Kind, str]]]:
        """Returns the question, and (kind, by) of each of the statistics that the request asks for."""
        pairwise = [(Kind.PAIRWISE, "")] if asked["pairwise"] else []
        figures = [(Kind.AGREEMENT, asked.get("by", "")), *pairwise]
        return question_or_404(slug, asked.get("question")), figures


class AnnotatorsView(ResearcherView):
    @extend_schema(
        summary="Statistics and flags of annotators",
        description="For each annotator of the main question, or of the one that `question` names: agreement with the"
        " others (leave-one-out), control and calibration items, label shares, speed, flags, and the results of the two"
        " models of reliability if they were fitted; with the rules of the flags and the meaning of each column. For a"
        " large corpus a worker computes the statistics: `made_at` is their date. If there are none yet, the response"
        " is a 404 until a POST to this address requests them, then a 202 with `retry_after` (seconds). `as=csv` returns"
        " a table with a row for each annotator.",
        parameters=[AnnotatorsQuery],
        responses=STATISTICS,
        tags=["corpora"],
    )
    def get(self, request: Request, slug: str) -> HttpResponse:
        asked = AnnotatorsQuery.read(request)
        question = question_or_404(slug, asked.get("question"))
        table, row = annotator_table(question)
        if table is None:
            return _not_yet(question, row)
        if asked.get("as"):
            return csv_file(as_csv(table, question.labels), f"{slug}-annotators")
        return Response({**table, **_date(row)})

    @extend_schema(
        summary="Request new statistics of annotators",
        description="For corpora that are too large to be counted during a request.",
        parameters=[QuestionQuery],
        request=None,
        responses={202: CountingSerializer},
        tags=["corpora"],
    )
    def post(self, request: Request, slug: str) -> HttpResponse:
        question = question_or_404(slug, QuestionQuery.read(request).get("question"))
        return _request(question, [(Kind.ANNOTATORS, "")])


class CrossTableView(ResearcherView):
    @extend_schema(
        summary="The answers to a question beside the gold labels",
        description="Pairs that have an answer to the question, by that answer (rows) and their gold label (columns), for"
        " each group; `-` is no answer, or no gold label. `withdrawn` holds pairs that were vetted out. Large corpora are"
        " counted by a worker. If there is no table yet, the response is a 404 until a POST to this address requests"
        " it, then a 202 with `retry_after` (seconds). `as=csv`: a row a cell.",
        parameters=[CrossTableQuery],
        responses=STATISTICS,
        tags=["corpora"],
    )
    def get(self, request: Request, slug: str) -> HttpResponse:
        asked = CrossTableQuery.read(request)
        question, by = question_or_404(slug, asked["question"]), asked.get("by", "")
        table, row = current(question, Kind.CROSS_TABLE, by)
        if table is None:
            return _not_yet(question, row)
        if asked.get("as"):
            return HttpResponse(cross_csv(table), content_type="text/csv; charset=utf-8")
        return Response({"corpus": slug, **table, **_date(row)})

    @extend_schema(
        summary="Request a new table of answers beside the gold labels",
        description="For corpora that are too large to be counted during a request.",
        parameters=[CrossTableRequestQuery],
        request=None,
        responses={202: CountingSerializer},
        tags=["corpora"],
    )
    def post(self, request: Request, slug: str) -> HttpResponse:
        asked = CrossTableRequestQuery.read(request)
        return _request(question_or_404(slug, asked["question"]), [(Kind.CROSS_TABLE, asked.get("by", ""))])


def _date(row: CachedStatistics | None) -> dict[str, Any]:
    """Returns when a worker computed the statistics; nothing if this request did."""
    return {"made_at": row.made_at} if row and row.made_at else {}


def _request(question: Question, wanted: list[tuple[Kind, str]]) -> Response:
    """Requests these statistics from a worker, and returns a 202."""
    for kind, by in wanted:
        enqueue(request_statistics(question=question, kind=kind, by=by))
    return _counting(question)


def _not_yet(question: Question, *missing: CachedStatistics | None) -> Response:
    """Returns a 202 if a worker computes all these statistics or will. Raises Problem, a 404, if it does not."""
    rows = [row for row in missing if row]
    errors = [row.error for row in rows if row.status == row.Status.FAILED]
    if errors:
        detail = f"The last computation failed: {errors[0]} POST to this address to request it again."
        raise Problem(status=404, title="There are no statistics", detail=detail)
    if not all(row.is_under_way for row in rows):
        detail = "Nobody has requested these statistics yet. POST to this address, then ask again until they are there."
        raise Problem(status=404, title="There are no statistics yet", detail=detail)
    return _counting(question)


def _counting(question: Question) -> Response:
    answer = {
        "corpus": question.corpus.slug,
        "why": "A worker computes these statistics. Ask again.",
        "retry_after": RETRY_AFTER,
    }
    return Response(answer, status=202, headers={"Retry-After": str(RETRY_AFTER)})
