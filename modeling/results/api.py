"""REST: the scores of a run by its partitions and dimensions, and its predictions."""

from collections.abc import Iterable, Iterator
from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import replace_query_param

from accounts.rest.openapi import QuerySerializer
from accounts.rest.permissions import ResearcherView
from accounts.rest.problems import Problem, problems
from collection.models import PARTITION_CHOICES
from modeling.models import Evaluation, TrainingRun
from modeling.querysets import DISTRIBUTION
from modeling.results.dimensions import DIMENSIONS
from modeling.results.predictions import (
    GAP,
    IN_FILE,
    LEAST_PVI,
    MOST_PREDICTIONS,
    OUTCOMES,
    OUTCOMES_OF_TWO,
    SORTS,
    BadChoice,
    BadPlace,
    PredictionsMissing,
    asked_choice,
    asked_predictions,
    flat,
)
from modeling.results.run_scores import Evaluated


class DistributionSerializer(serializers.ModelSerializer):
    labels = serializers.CharField(source="voted_labels", help_text="seats, extra or all")
    pairs = serializers.IntegerField(source="voted_pairs", help_text="with two annotator labels or more")

    class Meta:
        model = Evaluation
        fields = ["labels", "pairs", *DISTRIBUTION]


class BinSerializer(serializers.Serializer):
    lower = serializers.FloatField()
    upper = serializers.FloatField()
    pairs = serializers.IntegerField()
    probability = serializers.FloatField(help_text="mean probability of the predicted label")
    accuracy = serializers.FloatField()


class CalibrationSerializer(serializers.Serializer):
    error = serializers.FloatField(source="calibration_error", help_text="expected calibration error")
    bins = BinSerializer(many=True)


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
    calibration = serializers.SerializerMethodField(
        help_text="whether probabilities are as high as the accuracy; of all pairs of a partition, else null"
    )

    @extend_schema_field(DistributionSerializer(allow_null=True))
    def get_distribution(self, row: dict[str, Any]) -> dict[str, Any] | None:
        whole = row.get("whole")
        return (
            None if whole is None or whole.voted_pairs is None else dict(DistributionSerializer(whole).data)
        )

    @extend_schema_field(CalibrationSerializer(allow_null=True))
    def get_calibration(self, row: dict[str, Any]) -> dict[str, Any] | None:
        whole = row.get("whole")
        return None if whole is None or not whole.calibration else dict(CalibrationSerializer(whole).data)


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
    on = serializers.CharField(
        required=False, help_text="CORPUS@VERSION that the run was evaluated on; else its own"
    )
    with_ = serializers.IntegerField(required=False, min_value=1, help_text="the number of a second run")
    outcome = serializers.CharField(
        required=False,
        help_text=", ".join([*OUTCOMES, *(f"{name} (with a second run)" for name in OUTCOMES_OF_TWO)]),
    )
    sort = serializers.CharField(
        required=False,
        help_text=f"{', '.join(SORTS)}, {GAP} with a second run, {LEAST_PVI} with the twin; default {IN_FILE}",
    )
    cursor = serializers.CharField(required=False, max_length=400)
    page_size = serializers.IntegerField(default=100, min_value=1, max_value=MOST_PREDICTIONS)

    def get_fields(self) -> dict[str, Any]:
        of_dimensions = {
            name: serializers.CharField(required=False, help_text=definition)
            for name, definition in DIMENSIONS.items()
        }
        return super().get_fields() | of_dimensions


class AnswerSerializer(serializers.Serializer):
    predicted = serializers.CharField()
    probabilities = serializers.DictField(child=serializers.FloatField())


class PredictionSerializer(AnswerSerializer):
    pairID = serializers.CharField()
    gold = serializers.CharField()
    genre = serializers.CharField(help_text="empty where the snapshot's files are not on this machine")
    premise = serializers.CharField(allow_null=True)
    hypothesis = serializers.CharField(allow_null=True)
    annotator_labels = serializers.ListField(
        child=serializers.CharField(), help_text="the labels that decided the gold label"
    )
    votes = serializers.DictField(
        child=serializers.IntegerField(),
        help_text="how many people gave each label, those beyond the seats included",
    )
    second = AnswerSerializer(required=False, help_text="what the second run answered")
    pvi = serializers.FloatField(
        required=False, help_text="bits; where the second run is the hypothesis-only twin"
    )


class PredictionsSerializer(serializers.Serializer):
    next = serializers.URLField(allow_null=True)
    pairs = serializers.IntegerField(help_text="all that fit")
    results = PredictionSerializer(many=True)


class RunPredictionsView(ResearcherView):
    @extend_schema(
        summary="A run's predictions with the texts of the pairs",
        description="Those that fit, in the order of the snapshot's file unless `sort` says otherwise. Each dimension of "
        "`evaluate --by` is a parameter, too; one of your own is `file:NAME`.",
        parameters=[PredictionsQuery],
        responses=PredictionsSerializer,
    )
    def get(self, request: Request, pk: int) -> Response:
        run = get_object_or_404(TrainingRun.objects.newest_first(), pk=pk)
        checked = PredictionsQuery.read(request)
        given = request.query_params
        try:
            with problems({BadPlace: "cursor", PredictionsMissing: 404}):
                predictions = asked_predictions(run, checked["partition"], given.dict())
                page = predictions.page(
                    asked_choice(given, IN_FILE), checked.get("cursor", ""), checked["page_size"]
                )
        except BadChoice as error:
            raise Problem(status=422, detail=str(error), errors={error.key: str(error)}) from error
        address = request.build_absolute_uri()
        following = replace_query_param(address, "cursor", page.next) if page.next else None
        return Response({"next": following, "pairs": page.pairs, "results": [flat(row) for row in page.rows]})
