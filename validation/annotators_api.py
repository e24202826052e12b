"""REST: the figures of annotators, for researchers."""

from typing import Any

from django.http import Http404, HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.rest.permissions import IsResearcher
from jobs.tasks import enqueue
from validation.annotator_table import annotator_table, as_csv
from validation.measuring import Kind, request_figures
from validation.models import Question
from validation.seats import question_of
from validation.serializers import AnnotatorsQuery, CountingSerializer, QuestionQuery

RETRY_AFTER = 10  # seconds, until it is worth while to ask again


class AnnotatorsView(APIView):
    permission_classes = [IsResearcher]

    @extend_schema(
        summary="Figures and flags of annotators",
        description="For each annotator of the main question, or of the one that `question` names: agreement with the"
        " others (leave-one-out), control and calibration items, label shares, speed, flags, and what the two models of"
        " reliability say where they were fitted; with the rules of the flags and the meaning of each figure. Large"
        " corpora are counted by a worker: `made_at` tells from when the figures are, and the answer is a 202 with"
        " `retry_after` (seconds) where there are none yet. `as=csv` answers a table, a row an annotator.",
        parameters=[AnnotatorsQuery],
        responses={
            (200, "application/json"): OpenApiTypes.OBJECT,
            (200, "text/csv"): OpenApiTypes.STR,
            202: CountingSerializer,
        },
        tags=["corpora"],
    )
    def get(self, request: Request, slug: str) -> HttpResponse:
        asked = AnnotatorsQuery.read(request)
        question = _question(asked, slug)
        table, row = annotator_table(question)
        if table is None:
            return _counting(question)
        if asked.get("as"):
            answer = HttpResponse(as_csv(table, question.labels), content_type="text/csv; charset=utf-8")
            answer["Content-Disposition"] = f'attachment; filename="{slug}-annotators.csv"'
            return answer
        made: dict[str, Any] = {"made_at": row.made_at} if row and row.made_at else {}
        return Response({**table, **made})

    @extend_schema(
        summary="Ask for the figures of annotators to be counted anew",
        description="For corpora that are too large to be counted while you wait.",
        parameters=[QuestionQuery],
        request=None,
        responses={202: CountingSerializer},
        tags=["corpora"],
    )
    def post(self, request: Request, slug: str) -> HttpResponse:
        return _counting(_question(QuestionQuery.read(request), slug))


def _counting(question: Question) -> Response:
    enqueue(request_figures(question=question, kind=Kind.ANNOTATORS))
    answer = {
        "corpus": question.corpus.slug,
        "why": "A worker counts. Ask again.",
        "retry_after": RETRY_AFTER,
    }
    return Response(answer, status=202, headers={"Retry-After": str(RETRY_AFTER)})


def _question(asked: dict[str, Any], slug: str) -> Question:
    question = question_of(slug, asked.get("question"))
    if question is None:
        raise Http404
    return question
