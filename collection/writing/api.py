"""REST: claims a premise to write for, and accepts the texts."""

from datetime import datetime
from typing import Any, cast

from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import User
from accounts.rest.openapi import checked
from accounts.rest.permissions import ResearcherView
from accounts.rest.problems import Problem, of_status
from collection.corpus_schema import CONTRAST
from collection.errors import InvalidWriting, NoWork, TaskOver, UnknownAssignment
from collection.models import Corpus, PromptField, WritingAssignment
from collection.writing import claiming, submitting
from collection.writing.arms import arms_of
from collection.writing.starts import avoided, starts_of


class CorpusNameSerializer(serializers.Serializer):
    """A request for work."""

    corpus = serializers.SlugField(help_text="the corpus's slug")


class FieldSerializer(serializers.ModelSerializer):
    class Meta:
        model = PromptField
        fields = ["label", "wording", "reminder"]


class WritingTaskSerializer(serializers.Serializer):
    """A premise to write for; without one, `assignment` is null, and `why` and `retry_after` say more."""

    assignment = serializers.CharField(allow_null=True, help_text="send it back with the texts")
    leased_until = serializers.DateTimeField(required=False)
    premise = serializers.ListField(child=serializers.CharField(), help_text="its sentences, usually one")
    genre = serializers.CharField(required=False)
    prompt_version = serializers.IntegerField(
        required=False, help_text="the version that the pairs will name"
    )
    instructions = serializers.CharField(required=False, help_text="Markdown")
    care = serializers.CharField(required=False, help_text="Markdown; to be read before an upsetting text")
    fields_ = FieldSerializer(
        many=True,
        help_text="a text for each label, in this order; under `contrast`, the first is changed for the others",
    )
    mode = serializers.CharField(required=False, help_text="`write`, `edit`, `contrast` or `explain`")
    starts = serializers.DictField(
        child=serializers.CharField(),
        required=False,
        help_text="under `edit`: label -> the sentence to change",
    )
    avoid = serializers.ListField(
        child=serializers.CharField(), required=False, help_text="words that no text may have"
    )
    min_chars = serializers.IntegerField(required=False)
    max_chars = serializers.IntegerField(required=False)
    pay_cents = serializers.IntegerField(required=False)
    why = serializers.CharField(required=False)
    retry_after = serializers.IntegerField(required=False, help_text="seconds")

    def get_fields(self) -> dict[str, Any]:
        """Renames `fields_`, because the class itself has an attribute `fields`."""
        fields = super().get_fields()
        return {name.rstrip("_"): field for name, field in fields.items()}


def writing_task(assignment: WritingAssignment) -> dict[str, Any]:
    """Returns the content of WritingTaskSerializer for an assignment."""
    seat, version = assignment.seat, assignment.prompt_version
    fields = list(version.fields.all())
    until: datetime | None = seat.leased_until
    return {
        "assignment": assignment.token,
        "leased_until": until,
        "premise": seat.premise.sentences,
        "genre": seat.genre.slug,
        "prompt_version": version.number,
        "instructions": version.instructions,
        "care": version.care,
        "fields": assignment.corpus.in_order(fields) if version.mode == CONTRAST else fields,
        "mode": version.mode,
        "starts": {label: text for label, text in starts_of(assignment, {}).items() if text},
        "avoid": avoided(version),
        "min_chars": assignment.corpus.min_hypothesis_chars,
        "max_chars": assignment.corpus.max_hypothesis_chars,
        "pay_cents": assignment.pay_cents,
    }


class WritingSerializer(serializers.Serializer):
    """A submission of texts."""

    assignment = serializers.CharField(max_length=22)
    texts = serializers.DictField(
        child=serializers.CharField(allow_blank=True, trim_whitespace=False, max_length=100_000),
        help_text="label -> hypothesis; under `explain` also `why-LABEL` -> why it fits",
    )
    problem = serializers.CharField(required=False, default="", allow_blank=True, max_length=2000)
    model_helped = serializers.BooleanField(
        required=False, default=False, help_text="whether a language model helped with these texts"
    )
    idempotency_key = serializers.CharField(max_length=100, help_text="a random UUID is a good one")


class WritingResultSerializer(serializers.Serializer):
    pairs = serializers.ListField(child=serializers.CharField(), help_text="public ids of the pairs")
    surplus = serializers.BooleanField(help_text="somebody else was first; stored and paid all the same")
    cents = serializers.IntegerField()
    repeated = serializers.BooleanField(help_text="this was saved before; nothing was done again")


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


class ArmSerializer(serializers.Serializer):
    """An arm of a prompt with its tasks."""

    prompt = serializers.CharField(source="arm.root.slug", help_text="the prompt whose arm it is")
    arm = serializers.CharField(source="arm.slug")
    mode = serializers.CharField(help_text="`write`, `edit`, `contrast` or `explain`")
    status = serializers.CharField(source="arm.status")
    share = serializers.IntegerField(source="arm.share")
    drawn_by = serializers.CharField(source="arm.root.drawn_by", help_text="`writer` or `premise`")
    belong = serializers.IntegerField(help_text="writers, or premises, that were drawn into it")
    recent = serializers.IntegerField(help_text="tasks by which arms are drawn")
    sent = serializers.IntegerField()
    in_hand = serializers.IntegerField()
    skipped = serializers.IntegerField()
    left = serializers.IntegerField(help_text="begun, and neither sent nor skipped in time")


class Arms(ResearcherView):
    @extend_schema(
        summary="Arms of prompts",
        description="`corpora/SLUG/figures/arms` has the same as a table, and for files.",
        responses=ArmSerializer(many=True),
        tags=["corpora"],
    )
    def get(self, request: Request, slug: str) -> Response:
        corpus = get_object_or_404(Corpus, slug=slug)
        return Response(ArmSerializer(arms_of(corpus, timezone.now()), many=True).data)


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
