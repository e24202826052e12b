"""REST: claims a premise to write for, and accepts the texts."""

from typing import cast

from django.shortcuts import get_object_or_404
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import User
from accounts.rest.openapi import checked
from accounts.rest.problems import Problem, of_status
from collection.errors import InvalidWriting, NoWork, TaskOver, UnknownAssignment
from collection.models import Corpus, WritingAssignment
from collection.writing import claiming, submitting
from collection.writing.serializers import (
    CorpusNameSerializer,
    WritingResultSerializer,
    WritingSerializer,
    WritingTaskSerializer,
    writing_task,
)


class NextWriting(APIView):
    @extend_schema(
        summary="Get a premise to write for",
        description="Returns the same premise until its texts are submitted; each request renews the lease.",
        request=CorpusNameSerializer,
        responses={200: WritingTaskSerializer, **of_status(404)},
        tags=["work"],
    )
    def post(self, request: Request) -> Response:
        corpus = get_object_or_404(Corpus, slug=checked(CorpusNameSerializer, request.data)["corpus"])
        annotator = _writer(request)
        try:
            assignment = claiming.claim_writing(corpus=corpus, annotator=annotator)
            _check_is_passed(request, assignment, annotator)
            task = writing_task(assignment)
        except NoWork as nothing:
            task = {
                "assignment": None,
                "premise": [],
                "fields": [],
                "why": nothing.why,
                "retry_after": nothing.retry_after,
            }
        return Response(WritingTaskSerializer(task).data)


class SubmitWriting(APIView):
    @extend_schema(
        summary="Submit texts",
        description="Idempotent: the same key with the same texts is the same submission; with other texts it returns 409.",
        request=WritingSerializer,
        responses={200: WritingResultSerializer, **of_status(404, 409)},
        tags=["work"],
    )
    def post(self, request: Request) -> Response:
        sent = checked(WritingSerializer, request.data)
        try:
            result = submitting.submit_writing(
                annotator=cast(User, request.user),
                token=sent["assignment"],
                texts=sent["texts"],
                key=sent["idempotency_key"],
                problem=sent["problem"],
                model_helped=sent["model_helped"],
            )
        except UnknownAssignment as unknown:
            raise Problem(status=404, detail=str(unknown)) from None
        except TaskOver as over:
            raise Problem(status=409, title="This task is over", detail=str(over)) from None
        except InvalidWriting as invalid:
            errors = {f"texts.{label}": message for label, message in invalid.errors.items()}
            raise Problem(status=422, detail=str(invalid), errors=errors) from None
        answer = {
            "pairs": [pair.public_id for pair in result.pairs],
            "surplus": result.surplus,
            "cents": result.cents,
            "repeated": result.repeated,
        }
        return Response(WritingResultSerializer(answer).data)


def _check_is_passed(request: Request, assignment: WritingAssignment, annotator: User) -> None:
    """Raises a 403 with the address of the check if the person must pass it in the browser first."""
    version = assignment.prompt_version
    if version.check_questions.exists() and not claiming.has_passed(annotator=annotator, version=version):
        page = request.build_absolute_uri(reverse("prompt", args=[assignment.corpus.slug, version.pk]))
        raise Problem(
            status=403, detail=f"Before the first task, please read this and answer its short check: {page}"
        )


def _writer(request: Request) -> User:
    """Returns the annotator of the request. Raises a 403 for researchers."""
    user = cast(User, request.user)
    if user.role != User.Role.ANNOTATOR:
        raise Problem(status=403, detail="Writing is for annotators; this token is a researcher's.")
    return user
