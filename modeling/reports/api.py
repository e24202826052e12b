"""REST: the tables over the runs and pairs of a snapshot."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.rest.openapi import QuerySerializer
from accounts.rest.permissions import ResearcherView
from accounts.rest.problems import Problem
from collection.models import PARTITION_CHOICES
from modeling.baselines.settings import PRESETS
from modeling.reports.curves import learning_curves
from modeling.reports.overviews import MOST_ROWS, OVERVIEWS, overview
from modeling.reports.scores import Scores
from snapshots.api import frozen_snapshot
from snapshots.models import Snapshot


class OverviewQuery(QuerySerializer):
    partition = serializers.ChoiceField(choices=PARTITION_CHOICES, default="test")
    with_ = serializers.CharField(
        required=False,
        max_length=2000,
        help_text="further snapshots, CORPUS@VERSION with commas between them",
    )
    most = serializers.IntegerField(default=100, min_value=1, max_value=MOST_ROWS, help_text="rows")


class ColumnSerializer(serializers.Serializer):
    name = serializers.CharField()
    kind = serializers.CharField(
        help_text="text, count, number, share (0 to 1), p, pair (an id), run (a number)"
    )


class OverviewSerializer(serializers.Serializer):
    name = serializers.CharField()
    title = serializers.CharField()
    columns = ColumnSerializer(many=True)
    rows = serializers.ListField(child=serializers.ListField(child=serializers.JSONField()))
    definitions = serializers.ListField(child=serializers.CharField())


class OverviewView(ResearcherView):
    @extend_schema(
        summary="A table over the runs and pairs of a snapshot",
        description=f"The tables: {', '.join(OVERVIEWS)}.",
        parameters=[OverviewQuery],
        responses=OverviewSerializer,
    )
    def get(self, request: Request, pk: int, name: str) -> Response:
        asked: dict[str, Any] = OverviewQuery.read(request)
        if name not in OVERVIEWS:
            raise Problem(
                status=404, detail=f"There is no table {name!r}. There are: {', '.join(OVERVIEWS)}."
            )
        snapshots = [frozen_snapshot(pk)]
        for other in filter(None, asked.get("with", "").split(",")):
            found = Snapshot.objects.frozen().named(other.strip()).first()
            if found is None:
                error = f"There is no frozen snapshot {other.strip()!r}."
                raise Problem(status=422, detail=error, errors={"with": error})
            if found not in snapshots:
                snapshots.append(found)
        table = overview(name, snapshots, asked["partition"], asked["most"])
        return Response(OverviewSerializer(table).data)


class LearningCurvesQuery(QuerySerializer):
    preset = serializers.ChoiceField(choices=PRESETS, required=False, help_text="else any settings")


class CurvePointSerializer(serializers.Serializer):
    pairs = serializers.IntegerField(help_text="training pairs")
    mean = serializers.FloatField(help_text="test accuracy over seeds")
    spread = serializers.FloatField(allow_null=True, help_text="sample standard deviation; null for one run")
    runs = serializers.ListField(child=serializers.IntegerField())


class CurveSerializer(serializers.Serializer):
    system = serializers.CharField()
    points = CurvePointSerializer(many=True)


class LearningCurvesView(ResearcherView):
    @extend_schema(
        summary="Learning curves of the runs on a snapshot (SNLI, Figure 4)",
        parameters=[LearningCurvesQuery],
        responses=CurveSerializer(many=True),
    )
    def get(self, request: Request, pk: int) -> Response:
        asked = LearningCurvesQuery.read(request)
        curves = learning_curves(Scores([frozen_snapshot(pk)], asked.get("preset", "")))
        rows = [{"system": system, "points": points} for system, points in curves.items()]
        return Response(CurveSerializer(rows, many=True).data)
