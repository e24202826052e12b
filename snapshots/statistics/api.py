"""REST for the statistics of a snapshot: requesting them, their state, their data."""

from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from accounts.rest.openapi import QuerySerializer, one_of
from accounts.rest.permissions import ResearcherView
from jobs.tasks import enqueue
from snapshots.api import frozen_snapshot
from snapshots.models import SnapshotStatistics
from snapshots.statistics.charts import charts_of
from snapshots.statistics.job import EDITIONS, kinds_for, request_statistics
from validation.questions.lookup import names_in


class StatisticsQuery(QuerySerializer):
    as_ = one_of("form of statistics", ["charts"], required=False)


class StatisticsSerializer(serializers.ModelSerializer):
    url = serializers.SerializerMethodField(help_text="the statistics; 404 until they are done")

    class Meta:
        model = SnapshotStatistics
        fields = ["kind", "edition", "status", "progress", "error", "requested_at", "url"]

    def get_url(self, row: SnapshotStatistics) -> str:
        path = {"pk": row.snapshot_id, "kind": row.kind}
        return reverse("api-snapshot-statistics-kind", kwargs=path, request=self.context["request"])


class StatisticsListView(ResearcherView):
    @extend_schema(
        summary="The statistics of a snapshot by the current definitions",
        responses=StatisticsSerializer(many=True),
    )
    def get(self, request: Request, pk: int) -> Response:
        snapshot = frozen_snapshot(pk)
        rows = snapshot.statistics.current(EDITIONS).select_related("snapshot__corpus").order_by("kind")
        return Response(StatisticsSerializer(rows, many=True, context={"request": request}).data)

    @extend_schema(
        summary="Request all statistics of a snapshot",
        description="Answers at once; poll until each `status` is done or failed.",
        request=None,
        responses={202: StatisticsSerializer(many=True)},
    )
    def post(self, request: Request, pk: int) -> Response:
        snapshot = frozen_snapshot(pk)
        rows = [request_statistics(snapshot=snapshot, kind=kind) for kind in kinds_for(snapshot)]
        for row in rows:
            if row.status == SnapshotStatistics.Status.REQUESTED:
                enqueue(row)
        data = StatisticsSerializer(rows, many=True, context={"request": request}).data
        return Response(data, status=status.HTTP_202_ACCEPTED)


class StatisticsView(ResearcherView):
    @extend_schema(
        summary="The statistics of one kind",
        description="`kind` is corpus, artifacts or tags. 404 until they are computed. `as=charts` returns the charts"
        " of the page instead, as `charts`: their finding (`title`), columns with definitions, rows with raw values, and"
        " what is drawn.",
        parameters=[StatisticsQuery],
        responses=OpenApiTypes.OBJECT,
    )
    def get(self, request: Request, pk: int, kind: str) -> Response:
        found = frozen_snapshot(pk)
        done = found.statistics.current(EDITIONS).filter(data__isnull=False)
        wants_charts = StatisticsQuery.read(request).get("as")
        row = get_object_or_404(done, kind=kind)
        if wants_charts:
            charts = charts_of(kind, row.data or {}, names_in(found.corpus))
            return Response({"charts": [chart.as_json() for chart in charts]})
        return Response(row.data)
