"""REST: the tables over the runs and pairs of a snapshot, and the comparisons of its leak audit."""

from collections.abc import Sequence
from typing import Any, cast

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import User
from accounts.people.gates import viewer
from accounts.rest.openapi import QuerySerializer
from accounts.rest.permissions import ResearcherView
from accounts.rest.problems import Problem, problems
from collection.models import PARTITION_CHOICES
from jobs.tasks import enqueue
from modeling.baselines.settings import PRESETS
from modeling.models import LeakAudit
from modeling.reports.curves import learning_curves
from modeling.reports.leak_audits import NothingToCompare, audits_of, request_audits, stop_audits
from modeling.reports.overviews import MOST_ROWS, OVERVIEWS, overview
from modeling.reports.scores import Scores
from snapshots.api import frozen_snapshot
from snapshots.models import Snapshot


class SnapshotsQuery(QuerySerializer):
    with_ = serializers.CharField(
        required=False,
        max_length=2000,
        help_text="further snapshots, CORPUS@VERSION with commas between them",
    )


class OverviewQuery(SnapshotsQuery):
    partition = serializers.ChoiceField(choices=PARTITION_CHOICES, default="test")
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
        table = overview(name, _snapshots(pk, asked), asked["partition"], asked["most"])
        told = {"name": name, "title": table.caption, "columns": table.columns, "rows": table.cells()}
        return Response(OverviewSerializer({**told, "definitions": table.notes}).data)


def _snapshots(pk: int, asked: dict[str, Any]) -> list[Snapshot]:
    """Returns the snapshot of the address and the others of the query. Raises Problem (404, 422)."""
    snapshots = [frozen_snapshot(pk)]
    for other in filter(None, asked.get("with", "").split(",")):
        found = Snapshot.objects.of(viewer()).frozen().named(other.strip()).first()
        if found is None:
            error = f"There is no frozen snapshot {other.strip()!r}."
            raise Problem(status=422, detail=error, errors={"with": error})
        if found not in snapshots:
            snapshots.append(found)
    return snapshots


class LeakAuditSerializer(serializers.ModelSerializer):
    snapshot = serializers.CharField(source="snapshot.__str__")
    other = serializers.CharField(source="other.__str__", help_text="the snapshot that it is compared with")
    counts = serializers.JSONField(source="data", help_text="null until it is done")

    class Meta:
        model = LeakAudit
        fields = [
            "snapshot",
            "partition",
            "other",
            "other_partition",
            "edition",
            "status",
            "progress",
            "share",
            "error",
            "requested_at",
            "counts",
        ]


class LeaksView(ResearcherView):
    @extend_schema(
        summary="The comparisons of a leak audit that somebody asked for",
        parameters=[SnapshotsQuery],
        responses=LeakAuditSerializer(many=True),
    )
    def get(self, request: Request, pk: int) -> Response:
        return _told(audits_of(_snapshots(pk, SnapshotsQuery.read(request))).rows)

    @extend_schema(
        summary="Request a leak audit",
        description="Asks for each comparison that is not counted yet: of the snapshot's parts, or with those of further"
        " snapshots. Answers at once; poll until each `status` is done or failed.",
        parameters=[SnapshotsQuery],
        request=None,
        responses={202: LeakAuditSerializer(many=True)},
    )
    def post(self, request: Request, pk: int) -> Response:
        with problems({NothingToCompare: "with"}):
            rows = request_audits(_snapshots(pk, SnapshotsQuery.read(request)))
        enqueue(*(row for row in rows if row.status == row.WAITING))
        return _told(rows, status.HTTP_202_ACCEPTED)


class StopLeaksView(ResearcherView):
    @extend_schema(
        summary="Stop the comparisons of a leak audit",
        description="What is counted stays. A comparison that was under way is failed, and can be requested again.",
        parameters=[SnapshotsQuery],
        request=None,
        responses={202: LeakAuditSerializer(many=True)},
    )
    def post(self, request: Request, pk: int) -> Response:
        snapshots = _snapshots(pk, SnapshotsQuery.read(request))
        stop_audits(snapshots, by=cast(User, request.user))
        return _told(audits_of(snapshots).rows, status.HTTP_202_ACCEPTED)


def _told(rows: Sequence[LeakAudit], code: int = status.HTTP_200_OK) -> Response:
    return Response(LeakAuditSerializer(rows, many=True).data, status=code)


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
