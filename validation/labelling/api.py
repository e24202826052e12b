"""REST for annotators: batches of pairs to label. The pages use the same actions."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import User
from accounts.rest.openapi import checked
from accounts.rest.permissions import AnnotatorView
from accounts.rest.problems import Problem, of_status
from validation.errors import (
    CannotCorrect,
    CheckFirst,
    NotInPool,
    NoWork,
    UnknownAssignment,
    UnknownSlot,
    WrongLabel,
)
from validation.labelling.claiming import Batch, Refusal, claim_batch
from validation.labelling.correcting import correct_batch
from validation.labelling.submitting import BatchResult, submit_and_claim, submit_batch
from validation.models import BatchItem, Question
from validation.questions.addresses import address_of
from validation.questions.lookup import question_or_404

SUBMITTED = ("saved", "surplus", "left", "cents", "repeated", "closed")


class NextSerializer(serializers.Serializer):
    corpus = serializers.SlugField(help_text="the corpus's slug")
    question = serializers.SlugField(required=False, help_text="slug of another question than the main one")


class BatchPairSerializer(serializers.Serializer):
    slot = serializers.CharField()
    premise = serializers.ListField(child=serializers.CharField())
    hypothesis = serializers.CharField()


class BatchSerializer(serializers.Serializer):
    """A batch; or no pairs, with `why` and with `retry_after` in seconds."""

    assignment = serializers.CharField(allow_null=True)
    leased_until = serializers.DateTimeField(allow_null=True)
    pairs = BatchPairSerializer(many=True)
    labels = serializers.ListField(child=serializers.CharField())
    why = serializers.CharField(required=False)
    retry_after = serializers.IntegerField(required=False, help_text="seconds")


class SubmitSerializer(serializers.Serializer):
    assignment = serializers.CharField(max_length=100)
    labels = serializers.DictField(child=serializers.CharField(), default=dict, help_text="slot -> label")
    skips = serializers.DictField(
        child=serializers.CharField(),
        default=dict,
        help_text=f"slot -> {' | '.join(BatchItem.SkipReason.values)}",
    )
    active_ms = serializers.DictField(
        child=serializers.IntegerField(min_value=0, max_value=2**31 - 1),
        default=dict,
        help_text="slot -> milliseconds",
    )
    reasons = serializers.DictField(
        child=serializers.CharField(max_length=2000, allow_blank=True),
        default=dict,
        help_text="slot -> the annotator's reason for the label",
    )
    idempotency_key = serializers.CharField(max_length=100)
    next = serializers.BooleanField(default=False, help_text="return the next batch, too")


class SubmittedSerializer(serializers.Serializer):
    """saved: labels that count; surplus: paid, but somebody else filled the seat first; left: slots without an answer."""

    saved = serializers.IntegerField()
    surplus = serializers.IntegerField()
    left = serializers.IntegerField()
    cents = serializers.IntegerField()
    repeated = serializers.BooleanField()
    closed = serializers.BooleanField()
    next = BatchSerializer(required=False, help_text="the next batch, if the request asked for it")


class CorrectSerializer(serializers.Serializer):
    assignment = serializers.CharField(max_length=100)
    labels = serializers.DictField(child=serializers.CharField(), help_text="slot -> label")
    reasons = serializers.DictField(
        child=serializers.CharField(max_length=2000, allow_blank=True),
        default=dict,
        help_text="slot -> the annotator's reason for the label; a slot without one keeps its own",
    )


class CorrectedSerializer(serializers.Serializer):
    corrected = serializers.IntegerField(help_text="labels that changed")


class NextBatchView(AnnotatorView):
    @extend_schema(
        summary="Get a batch of pairs to label",
        description="Returns the open batch with its lease renewed, or a new batch. If there is no work, `pairs` is empty,"
        " `why` says the reason, and `retry_after` is in seconds.",
        request=NextSerializer,
        responses={200: BatchSerializer, **of_status(404)},
        tags=["work"],
    )
    def post(self, request: Request) -> Response:
        asked = checked(NextSerializer, request.data)
        question = question_or_404(asked["corpus"], asked.get("question"))
        return Response(_next_batch(request, question))


class SubmitBatchView(AnnotatorView):
    @extend_schema(
        summary="Submit labels for a batch, or for a part of it",
        description="Idempotent: the same key with the same content is the same submission; with other content it is a"
        " 409. With `next` the response holds the next batch, as `next/` would return it: one request per batch.",
        request=SubmitSerializer,
        responses={200: SubmittedSerializer, **of_status(404, 409)},
        tags=["work"],
    )
    def post(self, request: Request) -> Response:
        work = checked(SubmitSerializer, request.data)
        with _as_problems():
            result, then = self.save(cast(User, request.user), work)
        answer = {field: getattr(result, field) for field in SUBMITTED}
        if then is not None:
            answer["next"] = _as_json(result.question, then)
        return Response(answer)

    def save(self, user: User, work: dict[str, Any]) -> tuple[BatchResult, Batch | Refusal | None]:
        names = ("labels", "skips", "active_ms", "reasons")
        sent = {name: work[name] for name in names}
        batch = {"annotator": user, "token": work["assignment"], "key": work["idempotency_key"]}
        if work["next"]:
            return submit_and_claim(**batch, **sent)
        return submit_batch(**batch, **sent), None


class CorrectBatchView(AnnotatorView):
    @extend_schema(
        summary="Correct labels of a batch that was submitted",
        description="For as long as the question's `correct_minutes` says. All labels are replaced or none; the old ones"
        " stay as history, and pay stays as it is. Idempotent: labels that are there already change nothing. A 422 names"
        " each slot that can no longer be corrected.",
        request=CorrectSerializer,
        responses={200: CorrectedSerializer, **of_status(404)},
        tags=["work"],
    )
    def post(self, request: Request) -> Response:
        work = checked(CorrectSerializer, request.data)
        with _as_problems():
            corrected = correct_batch(
                annotator=cast(User, request.user),
                token=work["assignment"],
                labels=work["labels"],
                reasons=work["reasons"],
            )
        return Response({"corrected": corrected})


@contextmanager
def _as_problems() -> Iterator[None]:
    """Turns errors about a batch and its slots into problem details that name the fields."""
    try:
        yield
    except UnknownAssignment as error:
        raise Problem(status=404, detail=str(error)) from None
    except UnknownSlot as error:
        errors = {f"labels.{token}": "This batch has no such slot." for token in error.tokens}
        raise Problem(status=422, detail=str(error), errors=errors) from None
    except (WrongLabel, CannotCorrect) as error:
        errors = {f"labels.{slot}": why for slot, why in error.errors.items()}
        raise Problem(status=422, detail=str(error), errors=errors) from None


def _next_batch(request: Request, question: Question) -> dict[str, Any]:
    try:
        batch = claim_batch(question=question, annotator=cast(User, request.user))
    except CheckFirst as refusal:
        page = request.build_absolute_uri(address_of("labelling-instructions", question))
        raise Problem(status=403, detail=f"{refusal.why} {page}") from None
    except NotInPool as refusal:
        raise Problem(status=403, detail=refusal.why) from None
    except NoWork as nothing:
        return _as_json(question, nothing)
    return _as_json(question, batch)


def _as_json(question: Question, batch: Batch | Refusal) -> dict[str, Any]:
    """Makes the JSON of BatchSerializer by hand, because it is the most frequent response."""
    answer: dict[str, Any] = {
        "assignment": None,
        "leased_until": None,
        "pairs": [],
        "labels": question.labels,
    }
    if isinstance(batch, NoWork):
        return answer | {"why": batch.why, "retry_after": batch.retry_after}
    if isinstance(batch, NotInPool):
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
