"""REST for exports of a snapshot: requesting them, their state, their files."""

from django.http import HttpResponseBase
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from accounts.rest.permissions import ResearcherView
from accounts.rest.problems import Problem, problems
from jobs.tasks import enqueue
from snapshots.api import frozen_snapshot
from snapshots.exports.downloads import AnyAccept, FileUnavailable, file_answers, of_export, send
from snapshots.exports.job import MADE, OWN, current_exports, request_export
from snapshots.models import ExportedFile, SnapshotExport


class ExportedFileSerializer(serializers.ModelSerializer):
    bytes = serializers.IntegerField(source="size")
    url = serializers.SerializerMethodField()

    class Meta:
        model = ExportedFile
        fields = ["name", "sha256", "bytes", "url"]

    def get_url(self, file: ExportedFile) -> str:
        path = {"pk": file.export.snapshot_id, "format_name": file.export.format, "name": file.name}
        return reverse("api-snapshot-export-file", kwargs=path, request=self.context["request"])


class ExportSerializer(serializers.ModelSerializer):
    files = ExportedFileSerializer(many=True, help_text="empty until it is done")
    url = serializers.SerializerMethodField()

    class Meta:
        model = SnapshotExport
        fields = ["format", "status", "progress", "error", "requested_at", "files", "url"]

    def get_url(self, row: SnapshotExport) -> str:
        path = {"pk": row.snapshot_id, "format_name": row.format}
        return reverse("api-snapshot-export", kwargs=path, request=self.context["request"])


class ExportListView(ResearcherView):
    @extend_schema(summary="The requested exports of a snapshot", responses=ExportSerializer(many=True))
    def get(self, request: Request, pk: int) -> Response:
        rows = sorted(current_exports(frozen_snapshot(pk)).values(), key=lambda row: row.format)
        return Response(ExportSerializer(rows, many=True, context={"request": request}).data)


class ExportView(ResearcherView):
    @extend_schema(
        summary="An export and its files",
        description="404 until it is requested. The export contains the datasheet, so while a snapshot is not published, "
        "new answers to the datasheet need a new export.",
        responses=ExportSerializer,
    )
    def get(self, request: Request, pk: int, format_name: str) -> Response:
        return Response(ExportSerializer(_known(pk, format_name), context={"request": request}).data)

    @extend_schema(
        summary="Request a snapshot in a format",
        description="Answers at once; poll until `status` is done or failed. A finished export is not written again.",
        request=None,
        responses={200: ExportSerializer, 202: ExportSerializer},
    )
    def post(self, request: Request, pk: int, format_name: str) -> Response:
        _check(format_name)
        row = request_export(snapshot=frozen_snapshot(pk), format_name=format_name)
        if row.status == SnapshotExport.Status.REQUESTED:
            enqueue(row)
        is_done = row.status == SnapshotExport.Status.DONE
        data = ExportSerializer(row, context={"request": request}).data
        return Response(data, status=status.HTTP_200_OK if is_done else status.HTTP_202_ACCEPTED)


class ExportFileView(ResearcherView):
    content_negotiation_class = AnyAccept

    @extend_schema(
        operation_id="snapshots_exports_file",
        summary="A file of an export",
        description="The ETag is the file's sha256. One range at a time; If-Range and If-None-Match hold.",
        parameters=[OpenApiParameter("Range", str, OpenApiParameter.HEADER)],
        responses=file_answers(".jsonl", ".json", ".txt", ".md", ".parquet", ".other"),
    )
    def get(self, request: Request, pk: int, format_name: str, name: str) -> HttpResponseBase:
        rows = ExportedFile.objects.select_related("export__snapshot__corpus")
        done = rows.filter(export__status=SnapshotExport.Status.DONE)
        file = get_object_or_404(done, export=_known(pk, format_name), name=name)
        with problems({FileUnavailable: 503}, "The file is unavailable"):
            return send(request._request, of_export(file))


def _check(format_name: str) -> None:
    if format_name == OWN:
        raise Problem(status=404, detail=f"{OWN} is the snapshot's own format: get its own files.")
    if format_name not in MADE:
        raise Problem(
            status=404, detail=f"There is no format {format_name!r}. Known formats: {', '.join(MADE)}."
        )


def _known(pk: int, format_name: str) -> SnapshotExport:
    _check(format_name)
    row = current_exports(frozen_snapshot(pk)).get(format_name)
    if row is None:
        raise Problem(
            status=404, detail=f"The export {format_name} was not requested yet: POST to this address."
        )
    return row
