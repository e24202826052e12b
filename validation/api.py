"""REST of validation: work for annotators; pairs and agreement for researchers. The same actions as the pages'."""

from typing import Any, cast

from django.db.models import QuerySet
from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import User
from accounts.rest.paging import KeyPages
from accounts.rest.permissions import IsAnnotator, IsResearcher
from accounts.rest.problems import Problem, of_status
from collection.models import Corpus, Pair
from jobs.tasks import enqueue
from validation import actions, measuring
from validation.agreement import report_from
from validation.models import Question
from validation.offers import address_of
from validation.pairs import lines_of, rows_of
from validation.seats import question_of
from validation.serializers import (
    AgreementQuery,
    BatchSerializer,
    CountingSerializer,
    FiguresQuery,
    NextSerializer,
    PairSerializer,
    PairsQuery,
    SubmitSerializer,
    SubmittedSerializer,
)

JSON_LINES = "application/x-ndjson"
RETRY_AFTER = 10  # seconds, until it is worth while to ask for figures again
# Figures, as JSON or as a table; or a worker counts them first.
FIGURES = {
    (200, "application/json"): OpenApiTypes.OBJECT,
    (200, "text/csv"): OpenApiTypes.STR,
    202: CountingSerializer,
}
SUBMITTED = ("saved", "surplus", "left", "cents", "repeated", "closed")


class NextBatchView(APIView):
    permission_classes = [IsAnnotator]

    @extend_schema(
        summary="Get a batch of pairs to label",
        description="The batch in hand, with its lease renewed, or a new one. Without work `pairs` is empty and"
        " `why` and `retry_after` (seconds) say more.",
        request=NextSerializer,
        responses={200: BatchSerializer, **of_status(404)},
        tags=["work"],
    )
    def post(self, request: Request) -> Response:
        asked = NextSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        question = _question(asked.validated_data["corpus"], asked.validated_data.get("question"))
        return Response(_next_batch(request, question))


class SubmitBatchView(APIView):
    permission_classes = [IsAnnotator]

    @extend_schema(
        summary="Cast labels for a batch, or a part of it",
        description="The same key with the same content is the same submission; with other content it is a 409."
        " With `next` the answer holds the next batch, as `next/` would give it: one request a batch.",
        request=SubmitSerializer,
        responses={200: SubmittedSerializer, **of_status(404, 409)},
        tags=["work"],
    )
    def post(self, request: Request) -> Response:
        sent = SubmitSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        work = sent.validated_data
        try:
            result, then = self.save(cast(User, request.user), work)
        except actions.UnknownAssignment as error:
            raise Problem(status=404, detail=str(error)) from None
        except actions.UnknownSlot as error:
            errors = {f"labels.{token}": "This batch has no such slot." for token in error.tokens}
            raise Problem(status=422, detail=str(error), errors=errors) from None
        except actions.WrongLabel as error:
            errors = {f"labels.{slot}": why for slot, why in error.errors.items()}
            raise Problem(status=422, detail=str(error), errors=errors) from None
        answer = {field: getattr(result, field) for field in SUBMITTED}
        if then is not None:
            answer["next"] = _as_json(result.question, then)
        return Response(answer)

    def save(
        self, user: User, work: dict[str, Any]
    ) -> tuple[actions.BatchResult, actions.Batch | actions.Refusal | None]:
        names = ("labels", "skips", "active_ms", "reasons")
        sent = {name: work[name] for name in names}
        batch = {"annotator": user, "token": work["assignment"], "key": work["idempotency_key"]}
        if work["next"]:
            return actions.submit_and_claim(**batch, **sent)
        return actions.submit_batch(**batch, **sent), None


@extend_schema(
    summary="The pairs of a corpus, with gold labels",
    description="In pages, or with `as=jsonl` all of them in one answer, a pair a line, in portions as they are when their"
    " turn comes.",
    parameters=[PairsQuery],
    responses={(200, "application/json"): PairSerializer(many=True), (200, JSON_LINES): PairSerializer},
    tags=["corpora"],
)
class PairList(ListAPIView[Pair]):
    """Keyset paging: page 4,000 costs what page 1 costs."""

    permission_classes = [IsResearcher]
    serializer_class = PairSerializer
    pagination_class = KeyPages
    queryset = Pair.objects.none()

    def get_queryset(self) -> QuerySet[Pair]:
        corpus = get_object_or_404(Corpus, slug=self.kwargs["slug"])
        pairs = Pair.objects.standing().filter(corpus=corpus)
        genre = PairsQuery.read(self.request).get("genre")
        if genre is None:
            return pairs
        if not corpus.genres.filter(slug=genre).exists():
            known = ", ".join(corpus.genres.order_by("slug").values_list("slug", flat=True))
            raise Problem(
                status=422,
                detail=f"There is no genre {genre!r} here. Known: {known}.",
                errors={"genre": "unknown"},
            )
        return pairs.by_genre(genre)

    def list(self, request: Request, *args: Any, **kwargs: Any) -> Any:
        """Cuts the page first and counts votes for its pairs alone: never for the whole corpus."""
        pairs, question = self.get_queryset(), _main_question(self.kwargs["slug"])
        if PairsQuery.read(request).get("as"):
            return StreamingHttpResponse(lines_of(question, pairs), content_type=JSON_LINES)
        page = cast(list[Pair], self.paginate_queryset(pairs.only("pk")))
        return self.get_paginated_response(rows_of(question, [pair.pk for pair in page]))


class AgreementView(APIView):
    permission_classes = [IsResearcher]

    @extend_schema(
        summary="Agreement between annotators",
        description="Shares from 0 to 1 over the pairs with all labels, with 95% intervals; `by` adds an object of groups,"
        " `pairwise=true` Cohen's kappa of every two annotators. `as=csv` answers a table, a row a figure."
        " Large corpora are counted by a worker: the answer tells by `made_at` from when its figures are, and is a"
        " 202 with `retry_after` (seconds) where there are none yet.",
        parameters=[AgreementQuery],
        responses=FIGURES,
        tags=["corpora"],
    )
    def get(self, request: Request, slug: str) -> HttpResponse:
        asked = AgreementQuery.read(request)
        question, wanted = self.wanted(slug, asked)
        counted = [measuring.shown(question, kind, each) for kind, each in wanted]
        missing = [key for key, (content, _) in zip(wanted, counted, strict=True) if content is None]
        if missing:
            return self.counting(question, missing)
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
        summary="Ask for agreement to be counted anew",
        description="For corpora that are too large to be counted while you wait. The figures are there when GET"
        " shows a newer `made_at`.",
        parameters=[FiguresQuery],
        request=None,
        responses={202: CountingSerializer},
        tags=["corpora"],
    )
    def post(self, request: Request, slug: str) -> HttpResponse:
        return self.counting(*self.wanted(slug, FiguresQuery.read(request)))

    def wanted(self, slug: str, asked: dict[str, Any]) -> tuple[Question, list[tuple[measuring.Kind, str]]]:
        """The question, and the figures about it that were asked for."""
        pairwise = [(measuring.Kind.PAIRWISE, "")] if asked["pairwise"] else []
        figures = [(measuring.Kind.AGREEMENT, asked.get("by", "")), *pairwise]
        return _question(slug, asked.get("question")), figures

    def counting(self, question: Question, wanted: list[tuple[measuring.Kind, str]]) -> Response:
        """Asks a worker for these figures."""
        for kind, by in wanted:
            enqueue(measuring.request_figures(question=question, kind=kind, by=by))
        answer = {
            "corpus": question.corpus.slug,
            "why": "A worker counts. Ask again.",
            "retry_after": RETRY_AFTER,
        }
        return Response(answer, status=202, headers={"Retry-After": str(RETRY_AFTER)})


def _next_batch(request: Request, question: Question) -> dict[str, Any]:
    try:
        batch = actions.claim_batch(question=question, annotator=cast(User, request.user))
    except actions.CheckFirst as refusal:
        page = request.build_absolute_uri(address_of("labelling-instructions", question))
        raise Problem(status=403, detail=f"{refusal.why} {page}") from None
    except actions.NotInPool as refusal:
        raise Problem(status=403, detail=refusal.why) from None
    except actions.NoWork as nothing:
        return _as_json(question, nothing)
    return _as_json(question, batch)


def _as_json(question: Question, batch: actions.Batch | actions.Refusal) -> dict[str, Any]:
    """The JSON of BatchSerializer, by hand: it is the most frequent answer of all."""
    answer: dict[str, Any] = {
        "assignment": None,
        "leased_until": None,
        "pairs": [],
        "labels": question.labels,
    }
    if isinstance(batch, actions.NoWork):
        return answer | {"why": batch.why, "retry_after": batch.retry_after}
    if isinstance(batch, actions.NotInPool):
        return answer | {"why": batch.why}
    return answer | {
        "assignment": batch.assignment.token,
        "leased_until": batch.assignment.leased_until,
        "pairs": [
            {
                "slot": item.seat.token,
                "premise": [] if question.hides_premise else item.seat.pair.premise.sentences,
                "hypothesis": item.seat.pair.hypothesis,
            }
            for item in batch.items
        ],
    }


def _main_question(slug: str) -> Question:
    return _question(slug, None)


def _question(corpus: str, slug: str | None) -> Question:
    """The question of that name, or the main one."""
    question = question_of(corpus, slug)
    if question is None:
        raise Http404
    return question
