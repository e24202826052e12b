"""What REST takes and gives."""

from typing import Any

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers
from rest_framework.reverse import reverse

from accounts.rest.openapi import QuerySerializer, one_of
from collection.models import Corpus
from snapshots.models import ExportedFile, Snapshot, SnapshotExport, SnapshotFile, SnapshotStatistics
from snapshots.partition import PARTITIONS


class FreezeRequestSerializer(serializers.Serializer):
    corpus = serializers.SlugRelatedField(
        slug_field="slug",
        queryset=Corpus.objects.all(),
        error_messages={"does_not_exist": "There is no corpus {value}."},
        help_text="slug",
    )
    seed = serializers.IntegerField(default=0, min_value=-(2**31), max_value=2**31 - 1)
    dev_from_train = serializers.IntegerField(
        default=0,
        min_value=0,
        max_value=2**31 - 1,
        help_text="hold out so many premises of a published train partition as dev",
    )
    author_disjoint = serializers.BooleanField(
        default=False, help_text="leave out of train what authors of test pairs wrote"
    )
    derived_parses = serializers.BooleanField(
        default=False, help_text="derive parse trees for sentences that came without; English only"
    )


class RowsQuery(QuerySerializer):
    partition = one_of("partition", PARTITIONS, required=False)
    genre = serializers.SlugField(required=False, help_text="a genre's slug")
    label_ = serializers.CharField(required=False, help_text="a gold label; `-` for pairs without one")


@extend_schema_serializer(many=False)  # it is the page; else the description makes a list of pages
class RowPageSerializer(serializers.Serializer):
    """A page of lines as they stand in the snapshot's files, each with its `partition`."""

    next = serializers.URLField(allow_null=True)
    previous = serializers.URLField(allow_null=True)
    results = serializers.ListField(child=serializers.DictField())


class RetractionSerializer(serializers.Serializer):
    because = serializers.CharField(max_length=2000, help_text="what is wrong; every reader sees it")


class SnapshotFileSerializer(serializers.ModelSerializer):
    bytes = serializers.IntegerField(source="size")
    url = serializers.SerializerMethodField()

    class Meta:
        model = SnapshotFile
        fields = ["name", "sha256", "bytes", "lines", "url"]

    def get_url(self, file: SnapshotFile) -> str:
        path = {"pk": file.snapshot_id, "name": file.name}
        return reverse("api-snapshot-file", kwargs=path, request=self.context["request"])


class SnapshotSerializer(serializers.ModelSerializer):
    name = serializers.CharField(source="__str__")
    corpus = serializers.CharField(source="corpus.slug")
    pairs = serializers.IntegerField(source="pair_count")
    retraction = serializers.SerializerMethodField(help_text="null, or when and why it was retracted")
    url = serializers.HyperlinkedIdentityField(view_name="api-snapshot")

    class Meta:
        model = Snapshot
        fields = [
            "id",
            "name",
            "corpus",
            "version",
            "status",
            "sha256",
            "pairs",
            "seed",
            "dev_from_train",
            "author_disjoint",
            "progress",
            "error",
            "requested_at",
            "frozen_at",
            "published_at",
            "retraction",
            "url",
        ]

    def get_retraction(self, snapshot: Snapshot) -> dict[str, str] | None:
        if snapshot.retracted_at is None:
            return None
        return {"at": snapshot.retracted_at.isoformat(), "because": snapshot.retracted_because}


class SnapshotDetailSerializer(SnapshotSerializer):
    files = SnapshotFileSerializer(many=True)
    manifest = serializers.SerializerMethodField(help_text="what manifest.json says; null until frozen")

    class Meta(SnapshotSerializer.Meta):
        fields = [*SnapshotSerializer.Meta.fields, "files", "manifest"]

    def get_manifest(self, snapshot: Snapshot) -> dict[str, Any] | None:
        manifest: dict[str, Any] | None = self.context["manifest"]
        return manifest


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


class StatisticsSerializer(serializers.ModelSerializer):
    url = serializers.SerializerMethodField(help_text="the figures; 404 until they are done")

    class Meta:
        model = SnapshotStatistics
        fields = ["kind", "edition", "status", "progress", "error", "requested_at", "url"]

    def get_url(self, row: SnapshotStatistics) -> str:
        path = {"pk": row.snapshot_id, "kind": row.kind}
        return reverse("api-snapshot-statistics-kind", kwargs=path, request=self.context["request"])
