"""REST: the pairs of a corpus with their gold labels, for researchers; sentences that were returned, for their writers."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

from django.db.models import QuerySet
from django.http import StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import User
from accounts.rest.openapi import QuerySerializer, checked, one_of
from accounts.rest.paging import KeyPages
from accounts.rest.permissions import AnnotatorView, IsAnnotator, ResearcherView
from accounts.rest.problems import Problem, of_status
from collection.errors import InvalidWriting
from collection.models import Corpus, Pair, ReturnedText
from collection.writing.who_may_write import texts_to_mend
from nli.lines import LONGEST_SET_NAME
from validation.errors import AlreadyDecided
from validation.models import Label
from validation.pairs.listing import lines_of, rows_of
from validation.pairs.pair_sets import sets_of
from validation.pairs.returning import decline_text, mend_text
from validation.questions.lookup import question_or_404

JSON_LINES = "application/x-ndjson"


class PairsQuery(QuerySerializer):
    genre = serializers.SlugField(required=False, help_text="a genre's slug")
    set = serializers.CharField(
        required=False, max_length=LONGEST_SET_NAME, help_text="the name of a set of pairs"
    )
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
class PairList(ResearcherView, ListAPIView[Pair]):
    """Uses keyset paging: page 4,000 costs as much as page 1."""

    serializer_class = PairSerializer
    pagination_class = KeyPages
    queryset = Pair.objects.none()

    def get_queryset(self) -> QuerySet[Pair]:
        corpus = get_object_or_404(Corpus, slug=self.kwargs["slug"])
        pairs, asked = Pair.objects.standing().filter(corpus=corpus), PairsQuery.read(self.request)
        if "set" in asked:
            _known("set", asked["set"], list(sets_of(corpus)))
            pairs = pairs.filter(sets__pair_set__name=asked["set"], sets__pair_set__corpus=corpus)
        if "genre" in asked:
            _known(
                "genre", asked["genre"], list(corpus.genres.order_by("slug").values_list("slug", flat=True))
            )
            pairs = pairs.by_genre(asked["genre"])
        return pairs

    def list(self, request: Request, *args: Any, **kwargs: Any) -> Any:
        """Selects the pairs of the page first, so that votes are counted for these alone, not for the corpus."""
        pairs, question = self.get_queryset(), question_or_404(self.kwargs["slug"])
        if PairsQuery.read(request).get("as"):
            return StreamingHttpResponse(lines_of(question, pairs), content_type=JSON_LINES)
        page = cast(list[dict[str, int]], self.paginate_queryset(cast(Any, pairs.values("pk"))))
        return self.get_paginated_response(rows_of(question, [row["pk"] for row in page]))


def _known(what: str, name: str, names: list[str]) -> None:
    """Raises Problem if there is none of this name."""
    if name not in names:
        known = ", ".join(names) or "none yet"
        detail = f"There is no {what} {name!r} in this corpus. Known: {known}."
        raise Problem(status=422, detail=detail, errors={what: "unknown"})


class PairSetSerializer(serializers.Serializer):
    name = serializers.CharField()
    pairs = serializers.IntegerField(help_text="pairs in it that are not withdrawn")


@extend_schema(
    summary="Named sets of pairs",
    description="`corpora/SLUG/pairs/?set=NAME` has the pairs of one.",
    responses=PairSetSerializer(many=True),
    tags=["corpora"],
)
class PairSets(ResearcherView):
    def get(self, request: Request, slug: str) -> Response:
        corpus = get_object_or_404(Corpus, slug=slug)
        return Response([{"name": name, "pairs": number} for name, number in sets_of(corpus).items()])


class ReturnedTextSerializer(serializers.ModelSerializer[ReturnedText]):
    returned = serializers.IntegerField(source="pk", help_text="send it with what is mended or declined")
    corpus = serializers.CharField(source="pair.corpus.slug")
    label = serializers.CharField(  # type: ignore[assignment]
        source="pair.author_label", help_text="what the sentence was written for"
    )
    premise = serializers.ListField(child=serializers.CharField(), source="pair.premise.sentences")
    hypothesis = serializers.CharField(source="pair.hypothesis", help_text="the sentence as it was")

    class Meta:
        model = ReturnedText
        fields = ["returned", "corpus", "label", "premise", "hypothesis", "remark", "until"]


class DeclineSerializer(serializers.Serializer):
    returned = serializers.IntegerField(min_value=1, max_value=2**63 - 1)


class MendSerializer(DeclineSerializer):
    text = serializers.CharField(allow_blank=True, trim_whitespace=False, max_length=100_000)


class MendedSerializer(serializers.Serializer):
    pair = serializers.CharField(help_text="public id of the pair that takes the place of the old one")


@extend_schema(
    summary="Sentences that came back to you",
    description="Those that a researcher returned with a `remark`, and that can still be mended or declined.",
    tags=["work"],
)
class ReturnedTexts(ListAPIView):
    permission_classes = [IsAnnotator]
    serializer_class = ReturnedTextSerializer
    pagination_class = KeyPages
    queryset = ReturnedText.objects.none()  # for the description

    def get_queryset(self) -> QuerySet[ReturnedText]:
        waiting = texts_to_mend(cast(User, self.request.user), timezone.now())
        return waiting.select_related("pair__corpus", "pair__premise")


class MendView(AnnotatorView):
    @extend_schema(
        summary="Mend a returned sentence",
        description="Once, and without more pay. Idempotent: the same text again is answered with the same pair.",
        request=MendSerializer,
        responses={200: MendedSerializer, **of_status(404, 409)},
        tags=["work"],
    )
    def post(self, request: Request) -> Response:
        returned, writer, sent = _returned(request, MendSerializer)
        with _as_problems():
            pair = mend_text(returned=returned, writer=writer, text=sent["text"])
        return Response({"pair": pair.public_id})


class DeclineView(AnnotatorView):
    @extend_schema(
        summary="Decline to mend a returned sentence",
        description="It stays as it was, and is not used. Declining again changes nothing.",
        request=DeclineSerializer,
        responses={204: None, **of_status(404, 409)},
        tags=["work"],
    )
    def post(self, request: Request) -> Response:
        returned, writer, _ = _returned(request, DeclineSerializer)
        with _as_problems():
            decline_text(returned=returned, writer=writer)
        return Response(status=204)


def _returned(
    request: Request, serializer: type[serializers.Serializer]
) -> tuple[ReturnedText, User, dict[str, Any]]:
    """Returns what came back to the sender, over or not, the sender, and the data. Raises ValidationError, Http404."""
    sent = checked(serializer, request.data)
    writer = cast(User, request.user)
    returned = get_object_or_404(ReturnedText.objects.of(writer), pk=sent["returned"])
    return returned, writer, sent


@contextmanager
def _as_problems() -> Iterator[None]:
    try:
        yield
    except AlreadyDecided as over:
        raise Problem(status=409, title="This sentence does not wait any more", detail=str(over)) from None
    except InvalidWriting as invalid:
        message = " ".join(invalid.errors.values())
        raise Problem(status=422, detail=str(invalid), errors={"text": message}) from None
