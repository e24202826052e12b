"""REST: reviews of a corpus for researchers, and what writers have to read of theirs."""

from typing import cast

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import User
from accounts.rest.openapi import checked
from accounts.rest.paging import KeyPages
from accounts.rest.permissions import AnnotatorView, IsAnnotator, ResearcherView
from collection.models import Corpus, Review
from collection.writing.reviews import read_reviews

MOST_READ = 1000


class ReviewSerializer(serializers.ModelSerializer):
    """A sentence that was drawn for review."""

    review = serializers.IntegerField(source="pk")
    pair = serializers.CharField(source="pair.public_id")
    arm = serializers.CharField(
        source="pair.prompt_version.prompt.slug", default="", help_text="the prompt or its arm"
    )
    writer = serializers.CharField(source="writer.code")
    verdict = serializers.CharField(
        help_text="empty: not judged; `fine`, `label`, `giveaway`, `copied`, `unrelated`, `language`, `other`"
    )
    judged_by = serializers.CharField(source="judged_by.code", default=None, allow_null=True)

    class Meta:
        model = Review
        fields = [
            *(
                "review",
                "pair",
                "arm",
                "writer",
                "percent",
                "is_sample",
                "is_feedback",
                "drawn_at",
                "verdict",
            ),
            *("remark", "judged_by", "judged_at", "read_at"),
        ]


@extend_schema(
    summary="Sentences drawn for review",
    description="All of them, judged or not. `corpora/SLUG/figures/reviews` has what they say of each arm.",
    tags=["corpora"],
)
class Reviews(ResearcherView, ListAPIView):
    serializer_class = ReviewSerializer
    pagination_class = KeyPages
    queryset = Review.objects.none()  # for the description

    def get_queryset(self) -> QuerySet[Review]:
        corpus = get_object_or_404(Corpus, slug=self.kwargs["slug"])
        related = ("pair__prompt_version__prompt", "writer", "judged_by")
        return Review.objects.filter(corpus=corpus).select_related(*related)


class RemarkSerializer(serializers.ModelSerializer):
    """What a researcher says of a sentence of yours."""

    review = serializers.IntegerField(source="pk")
    corpus = serializers.CharField(source="corpus.slug")
    label = serializers.CharField(source="pair.author_label")  # type: ignore[assignment]
    premise = serializers.ListField(child=serializers.CharField(), source="pair.premise.sentences")
    hypothesis = serializers.CharField(source="pair.hypothesis")
    verdict = serializers.CharField(help_text="`fine`, or what is wrong")

    class Meta:
        model = Review
        fields = ["review", "corpus", "label", "premise", "hypothesis", "verdict", "remark", "judged_at"]


@extend_schema(
    summary="What researchers say of your sentences",
    description="What you have not read. You get no new text before you have noted it as read at `work/writing/read`.",
    tags=["work"],
)
class Remarks(ListAPIView):
    permission_classes = [IsAnnotator]
    serializer_class = RemarkSerializer
    pagination_class = KeyPages
    queryset = Review.objects.none()  # for the description

    def get_queryset(self) -> QuerySet[Review]:
        return Review.objects.said_to(cast(User, self.request.user)).filter(read_at=None)


class ReadSerializer(serializers.Serializer):
    reviews = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=2**63 - 1), max_length=MOST_READ
    )


class HaveReadSerializer(serializers.Serializer):
    read = serializers.IntegerField(help_text="how many of them were not noted before")


class ReadRemarks(AnnotatorView):
    @extend_schema(
        summary="Note what researchers say as read",
        description="Idempotent. Reviews of other people’s sentences are passed over.",
        request=ReadSerializer,
        responses={200: HaveReadSerializer},
        tags=["work"],
    )
    def post(self, request: Request) -> Response:
        sent = checked(ReadSerializer, request.data)
        return Response({"read": read_reviews(writer=cast(User, request.user), reviews=sent["reviews"])})
