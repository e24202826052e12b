"""REST: the pairs of a corpus with their gold labels, for researchers."""

from typing import Any, cast

from django.db.models import QuerySet
from django.http import StreamingHttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.generics import ListAPIView
from rest_framework.request import Request

from accounts.models import User
from accounts.rest.openapi import QuerySerializer, one_of
from accounts.rest.paging import KeyPages
from accounts.rest.permissions import IsResearcher
from accounts.rest.problems import Problem
from collection.models import Corpus, Pair
from validation.models import Label
from validation.pairs.listing import lines_of, rows_of
from validation.questions.lookup import question_or_404

JSON_LINES = "application/x-ndjson"


class PairsQuery(QuerySerializer):
    genre = serializers.SlugField(required=False, help_text="a genre's slug")
    as_ = one_of(
        "form",
        ["jsonl"],
        required=False,
        help_text="jsonl: all pairs in one response, one per line, without pages",
    )


class PairLabelSerializer(serializers.ModelSerializer[Label]):
    annotator = serializers.SlugRelatedField[User](slug_field="code", read_only=True)

    class Meta:
        model = Label
        fields = ["position", "label", "origin", "annotator"]


class PairSerializer(serializers.ModelSerializer[Pair]):
    """Describes rows of pairs.listing.rows_of: a pair with its gold label and the source of that."""

    id = serializers.CharField(source="public_id")
    genre = serializers.CharField(source="premise.genre.slug")
    premise_id = serializers.CharField(source="premise.public_id")
    premise = serializers.ListField(child=serializers.CharField(), source="premise.sentences")
    author = serializers.SlugRelatedField[User](slug_field="code", read_only=True)
    gold_label = serializers.CharField(allow_null=True)
    gold_source = serializers.CharField()
    gold_note = serializers.CharField(help_text="how a published label differs from the votes")
    labels = PairLabelSerializer(many=True, source="counted_labels")

    class Meta:
        model = Pair
        fields = [
            *("id", "genre", "premise_id", "premise", "hypothesis", "author", "author_label"),
            *("published_label", "published_partition", "gold_label", "gold_source", "gold_note", "labels"),
        ]


@extend_schema(
    summary="Pairs of a corpus, with gold labels",
    description="In pages. With `as=jsonl`: all pairs in one response, one per line; each portion of a thousand pairs is"
    " read when its turn comes.",
    parameters=[PairsQuery],
    responses={(200, "application/json"): PairSerializer(many=True), (200, JSON_LINES): PairSerializer},
    tags=["corpora"],
)
class PairList(ListAPIView[Pair]):
    """Uses keyset paging: page 4,000 costs as much as page 1."""

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
                detail=f"There is no genre {genre!r} in this corpus. Known: {known}.",
                errors={"genre": "unknown"},
            )
        return pairs.by_genre(genre)

    def list(self, request: Request, *args: Any, **kwargs: Any) -> Any:
        """Selects the pairs of the page first, so that votes are counted for these alone, not for the corpus."""
        pairs, question = self.get_queryset(), question_or_404(self.kwargs["slug"])
        if PairsQuery.read(request).get("as"):
            return StreamingHttpResponse(lines_of(question, pairs), content_type=JSON_LINES)
        page = cast(list[dict[str, int]], self.paginate_queryset(cast(Any, pairs.values("pk"))))
        return self.get_paginated_response(rows_of(question, [row["pk"] for row in page]))
