"""REST about snapshots: the list, one of them, its files, rows and statistics; freezing, publishing, retracting."""

from collections.abc import Iterable
from typing import Any, cast

from django.http import HttpResponseBase
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import generics, status
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import User
from accounts.rest.paging import KeyPages, NewestFirst
from accounts.rest.permissions import IsResearcher
from accounts.rest.problems import Problem, of_status
from jobs.tasks import enqueue
from nli.labels import NO_GOLD, SCHEMES
from snapshots.actions import (
    DatasheetHasBlanks,
    EmptyCorpus,
    FreezeInProgress,
    NotPublishable,
    publish,
    request_freeze,
    retract,
)
from snapshots.downloads import CONTENT_TYPES, FileUnavailable, of_snapshot, send
from snapshots.export import COLUMNS, lines_of
from snapshots.manifest import read_manifest
from snapshots.measuring import EDITIONS, kinds_for, request_statistics
from snapshots.models import Snapshot, SnapshotFile, SnapshotPair, SnapshotStatistics
from snapshots.planning import HoldOutRefused, NotParsable
from snapshots.serializers import (
    FreezeRequestSerializer,
    RetractionSerializer,
    RowPageSerializer,
    RowsQuery,
    SnapshotDetailSerializer,
    SnapshotSerializer,
    StatisticsSerializer,
)
from validation.questions.lookup import main_question

GONE = (
    "There is no such snapshot. A freeze that finds nothing new takes no number and leaves the earlier one."
)


def file_answers(*suffixes: str) -> dict[Any, Any]:
    """What a file's address can answer: all of it, a part, nothing new, or an error."""
    types = [CONTENT_TYPES.get(suffix, "application/octet-stream").partition(";")[0] for suffix in suffixes]
    whole = {
        (status, type_): OpenApiTypes.OBJECT if type_ == "application/json" else OpenApiTypes.BINARY
        for status in (200, 206)
        for type_ in types
    }
    unchanged = OpenApiResponse(description="The file is the one that the request has.")
    return {**whole, 304: unchanged, **of_status(412, 416)}


class AnyAccept(BaseContentNegotiation):
    """A file has one form: `Accept: text/csv` is no reason to refuse it."""

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        first = next(iter(renderers))
        return first, first.media_type or ""

    def select_parser(self, request: Request, parsers: Iterable[BaseParser]) -> BaseParser | None:
        return next(iter(parsers), None)


class SnapshotListView(generics.ListAPIView):
    permission_classes = [IsResearcher]
    pagination_class = NewestFirst
    serializer_class = SnapshotSerializer
    queryset = Snapshot.objects.select_related("corpus")

    @extend_schema(
        summary="Ask for a freeze",
        description="Answers at once; poll `url` until `status` is frozen or failed.",
        request=FreezeRequestSerializer,
        responses={202: SnapshotSerializer, **of_status(409)},
    )
    def post(self, request: Request) -> Response:
        asked = FreezeRequestSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        try:
            snapshot = request_freeze(**asked.validated_data, by=cast(User, request.user))
        except (EmptyCorpus, FreezeInProgress) as error:
            raise Problem(status=409, detail=str(error)) from error
        except HoldOutRefused as error:
            raise Problem(status=422, detail=str(error), errors={"dev_from_train": str(error)}) from error
        except NotParsable as error:
            raise Problem(status=422, detail=str(error), errors={"derived_parses": str(error)}) from error
        enqueue(snapshot)
        told = SnapshotSerializer(snapshot, context={"request": request}).data
        return Response(told, status=status.HTTP_202_ACCEPTED, headers={"Location": told["url"]})


class SnapshotView(APIView):
    permission_classes = [IsResearcher]

    @extend_schema(summary="One snapshot: its files and its manifest", responses=SnapshotDetailSerializer)
    def get(self, request: Request, pk: int) -> Response:
        found = _known(pk)
        context = {"request": request, "manifest": read_manifest(found)}
        return Response(SnapshotDetailSerializer(found, context=context).data)


class PublishView(APIView):
    permission_classes = [IsResearcher]

    @extend_schema(
        summary="Publish a frozen snapshot",
        description="The answers of its datasheet stay as they are now. 422 names the questions that are blank.",
        request=None,
        responses={200: SnapshotSerializer, **of_status(409, 422)},
    )
    def post(self, request: Request, pk: int) -> Response:
        try:
            published = publish(snapshot=_known(pk), by=cast(User, request.user))
        except DatasheetHasBlanks as error:
            raise Problem(status=422, detail=str(error), errors=error.blanks) from error
        except NotPublishable as error:
            raise Problem(status=409, detail=str(error)) from error
        return Response(SnapshotSerializer(published, context={"request": request}).data)


class RetractView(APIView):
    permission_classes = [IsResearcher]

    @extend_schema(
        summary="Retract a published snapshot",
        description="Puts a notice on it, for good; retracting again keeps the first notice. No file changes.",
        request=RetractionSerializer,
        responses={200: SnapshotSerializer, **of_status(409)},
    )
    def post(self, request: Request, pk: int) -> Response:
        asked = RetractionSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        try:
            retracted = retract(snapshot=_known(pk), by=cast(User, request.user), **asked.validated_data)
        except NotPublishable as error:
            raise Problem(status=409, detail=str(error)) from error
        return Response(SnapshotSerializer(retracted, context={"request": request}).data)


class RowListView(generics.ListAPIView):
    """Keyset paging over the copied rows: page 4,000 costs what page 1 costs."""

    permission_classes = [IsResearcher]
    pagination_class = KeyPages
    queryset = SnapshotPair.objects.none()

    @extend_schema(
        summary="The pairs of a snapshot",
        description="The lines of its files, in their order, each with its `partition`.",
        parameters=[RowsQuery],
        responses=RowPageSerializer,
    )
    def get(self, request: Request, pk: int) -> Response:
        snapshot = frozen_snapshot(pk)
        asked = {"partition": "", "genre": "", "label": "", **RowsQuery.read(request)}
        known = {
            "genre": snapshot.corpus.genres.order_by("slug").values_list("slug", flat=True),
            "label": (*SCHEMES[snapshot.corpus.scheme], NO_GOLD),
        }
        for name in known:
            value = asked[name]
            if value and value not in known[name]:
                told = f"There is no {name} {value!r} here. Known: {', '.join(known[name])}."
                raise Problem(status=422, detail=told, errors={name: told})
        rows = SnapshotPair.objects.filter(snapshot=snapshot).chosen(**asked)
        # The page is cut first: a database that has not analysed a new snapshot joins all of it otherwise.
        keys = [row.pk for row in self.paginate_queryset(rows.only("pk")) or []]
        page = SnapshotPair.objects.filter(pk__in=keys).order_by("pk").values_list(*COLUMNS, named=True)
        return self.get_paginated_response(lines_of(list(page), main_question(snapshot.corpus).scheme))


class SnapshotFileView(APIView):
    permission_classes = [IsResearcher]
    content_negotiation_class = AnyAccept

    @extend_schema(
        operation_id="snapshots_file",
        summary="A file of a snapshot",
        description="The ETag is the file's sha256. One range at a time; If-Range and If-None-Match hold.",
        parameters=[OpenApiParameter("Range", str, OpenApiParameter.HEADER)],
        responses=file_answers(".jsonl", ".json"),
    )
    def get(self, request: Request, pk: int, name: str) -> HttpResponseBase:
        rows = SnapshotFile.objects.select_related("snapshot__corpus").filter(snapshot__status="frozen")
        file = get_object_or_404(rows, snapshot=pk, name=name)
        try:
            return send(request._request, of_snapshot(file))
        except FileUnavailable as error:
            raise Problem(status=503, title="The file is not whole", detail=str(error)) from error


class StatisticsListView(APIView):
    permission_classes = [IsResearcher]

    @extend_schema(
        summary="The statistics of a snapshot by today's definitions",
        responses=StatisticsSerializer(many=True),
    )
    def get(self, request: Request, pk: int) -> Response:
        snapshot = frozen_snapshot(pk)
        rows = snapshot.statistics.current(EDITIONS).select_related("snapshot__corpus").order_by("kind")
        return Response(StatisticsSerializer(rows, many=True, context={"request": request}).data)

    @extend_schema(
        summary="Ask for all statistics of a snapshot",
        description="Answers at once; look again until each `status` is done or failed.",
        request=None,
        responses={202: StatisticsSerializer(many=True)},
    )
    def post(self, request: Request, pk: int) -> Response:
        snapshot = frozen_snapshot(pk)
        rows = [request_statistics(snapshot=snapshot, kind=kind) for kind in kinds_for(snapshot)]
        for row in rows:
            if row.status == SnapshotStatistics.Status.REQUESTED:
                enqueue(row)
        told = StatisticsSerializer(rows, many=True, context={"request": request}).data
        return Response(told, status=status.HTTP_202_ACCEPTED)


class StatisticsView(APIView):
    permission_classes = [IsResearcher]

    @extend_schema(
        summary="The figures of one kind",
        description="`kind` is corpus, artifacts or tags. 404 until they are worked out.",
        responses=OpenApiTypes.OBJECT,
    )
    def get(self, request: Request, pk: int, kind: str) -> Response:
        done = frozen_snapshot(pk).statistics.current(EDITIONS).filter(data__isnull=False)
        return Response(get_object_or_404(done, kind=kind).data)


def _known(pk: int) -> Snapshot:
    found = Snapshot.objects.select_related("corpus").filter(pk=pk).first()
    if found is None:
        raise Problem(status=404, detail=GONE)
    return found


def frozen_snapshot(pk: int) -> Snapshot:
    """Raises Problem (404)."""
    found = Snapshot.objects.frozen().select_related("corpus").filter(pk=pk).first()
    if found is None:
        raise Problem(status=404, detail="There is no such snapshot, or it is not frozen yet.")
    return found
