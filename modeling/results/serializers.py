"""Fields of scores and predictions."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from accounts.rest.openapi import QuerySerializer
from collection.models import PARTITION_CHOICES
from modeling.models import Evaluation
from modeling.querysets import DISTRIBUTION
from modeling.results.predictions import MOST_PREDICTIONS


class DistributionSerializer(serializers.ModelSerializer):
    pairs = serializers.IntegerField(source="voted_pairs", help_text="with two annotator labels or more")

    class Meta:
        model = Evaluation
        fields = ["pairs", *DISTRIBUTION]


class EvaluationSerializer(serializers.ModelSerializer):
    snapshot = serializers.CharField(source="snapshot.__str__")
    distribution = serializers.SerializerMethodField(
        help_text="how near the probabilities are to the annotators' shares, in nats; null where no pair has two"
    )

    class Meta:
        model = Evaluation
        fields = [
            "snapshot", "partition", "genre", "gold_label", "pairs", "accuracy", "majority", "distribution",
        ]  # fmt: skip

    @extend_schema_field(DistributionSerializer(allow_null=True))
    def get_distribution(self, evaluation: Evaluation) -> dict[str, Any] | None:
        return None if evaluation.voted_pairs is None else dict(DistributionSerializer(evaluation).data)


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
