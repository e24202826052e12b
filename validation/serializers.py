"""The JSON of validation: what comes in is checked here, what goes out is described here."""

from rest_framework import serializers

from accounts.models import User
from accounts.rest.openapi import QuerySerializer, one_of
from collection.models import Pair
from validation.models import BatchItem, Label
from validation.patterns import DIMENSIONS


class QuestionQuery(QuerySerializer):
    question = serializers.SlugField(required=False, help_text="another question than the main one")


class FiguresQuery(QuestionQuery):
    by = one_of("figure by", DIMENSIONS, required=False, help_text="groups of pairs or of people")
    pairwise = serializers.BooleanField(default=False, help_text="Cohen's kappa of every two annotators")


class AgreementQuery(FiguresQuery):
    as_ = one_of("form", ["csv"], required=False)


class AnnotatorsQuery(QuestionQuery):
    as_ = one_of("form", ["csv"], required=False)


class PairsQuery(QuerySerializer):
    genre = serializers.SlugField(required=False, help_text="a genre's slug")
    as_ = one_of(
        "form",
        ["jsonl"],
        required=False,
        help_text="jsonl: all of them in one answer, a pair a line, without pages",
    )


class NextSerializer(serializers.Serializer):
    corpus = serializers.SlugField(help_text="the corpus's slug")
    question = serializers.SlugField(required=False, help_text="another question than the main one")


class BatchPairSerializer(serializers.Serializer):
    slot = serializers.CharField()
    premise = serializers.ListField(child=serializers.CharField())
    hypothesis = serializers.CharField()


class BatchSerializer(serializers.Serializer):
    """A batch, or no pairs with `why` and `retry_after` in seconds."""

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
        help_text="slot -> why, in the annotator's words",
    )
    idempotency_key = serializers.CharField(max_length=100)
    next = serializers.BooleanField(default=False, help_text="answer with the next batch as well")


class CountingSerializer(serializers.Serializer):
    """A worker counts; ask again."""

    corpus = serializers.CharField()
    why = serializers.CharField()
    retry_after = serializers.IntegerField(help_text="seconds")


class SubmittedSerializer(serializers.Serializer):
    """saved: labels that count; surplus: kept and paid, but the seat was filled; left: still to answer."""

    saved = serializers.IntegerField()
    surplus = serializers.IntegerField()
    left = serializers.IntegerField()
    cents = serializers.IntegerField()
    repeated = serializers.BooleanField()
    closed = serializers.BooleanField()
    next = BatchSerializer(required=False, help_text="the next batch, where it was asked for")


class PairLabelSerializer(serializers.ModelSerializer[Label]):
    annotator = serializers.SlugRelatedField[User](slug_field="code", read_only=True)

    class Meta:
        model = Label
        fields = ["position", "label", "origin", "annotator"]


class PairSerializer(serializers.ModelSerializer[Pair]):
    """Describes validation.pairs.rows_of: a pair with its gold label and where that is from."""

    id = serializers.CharField(source="public_id")
    genre = serializers.CharField(source="premise.genre.slug")
    premise_id = serializers.CharField(source="premise.public_id")
    premise = serializers.ListField(child=serializers.CharField(), source="premise.sentences")
    author = serializers.SlugRelatedField[User](slug_field="code", read_only=True)
    gold_label = serializers.CharField(allow_null=True)
    gold_source = serializers.CharField()
    gold_note = serializers.CharField(
        help_text="what is said of a published label that its votes do not give"
    )
    labels = PairLabelSerializer(many=True, source="counted_labels")

    class Meta:
        model = Pair
        fields = [
            *("id", "genre", "premise_id", "premise", "hypothesis", "author", "author_label"),
            *("published_label", "published_partition", "gold_label", "gold_source", "gold_note", "labels"),
        ]
