"""Fields of scores and predictions."""

from collections.abc import Iterable, Iterator
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from accounts.rest.openapi import QuerySerializer
from collection.models import PARTITION_CHOICES
from modeling.models import Evaluation
from modeling.querysets import DISTRIBUTION
from modeling.results.predictions import MOST_PREDICTIONS
from modeling.results.tables import Evaluated


class DistributionSerializer(serializers.ModelSerializer):
    pairs = serializers.IntegerField(source="voted_pairs", help_text="with two annotator labels or more")

    class Meta:
        model = Evaluation
        fields = ["pairs", *DISTRIBUTION]


class EvaluationSerializer(serializers.Serializer):
    snapshot = serializers.CharField()
    partition = serializers.CharField()
    genre = serializers.CharField(help_text="empty: all genres")
    gold_label = serializers.CharField(help_text="empty: all labels")
    pairs = serializers.IntegerField()
    accuracy = serializers.FloatField()
    majority = serializers.FloatField(allow_null=True, help_text="share of the commonest gold label")
    distribution = serializers.SerializerMethodField(
        help_text="how near the probabilities are to the annotators' shares, in nats; null if no pair has two"
    )

    @extend_schema_field(DistributionSerializer(allow_null=True))
    def get_distribution(self, row: dict[str, Any]) -> dict[str, Any] | None:
        whole = row.get("whole")
        return (
            None if whole is None or whole.voted_pairs is None else dict(DistributionSerializer(whole).data)
        )


class PartSerializer(serializers.Serializer):
    value = serializers.CharField()
    pairs = serializers.IntegerField()
    accuracy = serializers.FloatField(allow_null=True)
    majority = serializers.FloatField(help_text="share of the commonest gold label")
    gold = serializers.DictField(child=serializers.IntegerField(), help_text="pairs by gold label")


class BreakdownSerializer(serializers.Serializer):
    snapshot = serializers.CharField()
    partition = serializers.CharField()
    dimension = serializers.CharField()
    definition = serializers.CharField()
    parts = PartSerializer(many=True)


def evaluation_rows(evaluated: Iterable[Evaluated]) -> Iterator[dict[str, Any]]:
    """Yields each partition, then its genres and gold labels, for EvaluationSerializer."""
    for one in evaluated:
        where = {"snapshot": str(one.snapshot), "partition": one.partition, "genre": "", "gold_label": ""}
        whole = one.whole
        yield {
            **where, "pairs": whole.pairs, "accuracy": whole.accuracy, "majority": whole.majority, "whole": whole,
        }  # fmt: skip
        for field, dimension in (("gold_label", "label"), ("genre", "genre")):
            for part in (
                part for each in one.breakdowns if each.dimension == dimension for part in each.parts
            ):
                yield {**where, field: part.value, **vars(part)}


class PredictionsQuery(QuerySerializer):
    partition = serializers.ChoiceField(choices=PARTITION_CHOICES, default="test")
    cursor = serializers.IntegerField(default=0, min_value=0, max_value=2**62)
    page_size = serializers.IntegerField(default=100, min_value=1, max_value=MOST_PREDICTIONS)


class PredictionSerializer(serializers.Serializer):
    pairID = serializers.CharField()
    gold = serializers.CharField()
    predicted = serializers.CharField()
    probabilities = serializers.DictField(child=serializers.FloatField())
    genre = serializers.CharField()


class PredictionsSerializer(serializers.Serializer):
    next = serializers.URLField(allow_null=True)
    results = PredictionSerializer(many=True)
