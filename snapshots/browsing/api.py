"""Serve snapshots over REST: their list, one of them, its rows and its files. POST to the list requests a freeze."""

from typing import Any, cast

from django.http import HttpResponseBase
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_serializer
from rest_framework import generics, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from accounts.models import User
from accounts.people.gates import viewer
from accounts.rest.openapi import QuerySerializer, checked, one_of
from accounts.rest.paging import KeyPages, NewestFirst
from accounts.rest.permissions import ResearcherView
from accounts.rest.problems import Problem, of_status, problems
from collection.models import Corpus
from collection.models.querysets import CHANGES
from jobs.tasks import enqueue
from nli.labels import NO_GOLD, SCHEMES
from nli.lines import PARTITIONS
from shared.whole_numbers import LARGEST_SEED
from snapshots.api import SnapshotSerializer, frozen_snapshot, known_snapshot
from snapshots.exports.downloads import AnyAccept, FileUnavailable, file_answers, of_snapshot, send
from snapshots.freezing.job import EmptyCorpus, FreezeInProgress, request_freeze
from snapshots.freezing.lines import COLUMNS, lines_of
from snapshots.freezing.plan import HoldOutRefused, NotParsable
from snapshots.models import Snapshot, SnapshotFile, SnapshotPair
from snapshots.parses.attached_trees import NoSuchTrees
from validation.models import Question
from validation.questions.lookup import main_question


class FreezeChoices(serializers.Serializer):
    seed = serializers.IntegerField(default=0, min_value=0, max_value=LARGEST_SEED)
    dev_from_train = serializers.IntegerField(
        default=0,
        min_value=0,
        max_value=2**31 - 1,
        help_text="the number of premises of a published train partition to hold out as dev",
    )
    author_disjoint = serializers.BooleanField(
        default=False, help_text="leave pairs by authors of test out of train"
    )
    derived_parses = serializers.BooleanField(
        default=False, help_text="derive parse trees for sentences without one; English only"
    )
    trees = serializers.CharField(
        default="", allow_blank=True, help_text="use the trees of this file, which `attach_trees` read"
    )


class CorpusToChange(serializers.SlugRelatedField):
    def get_queryset(self) -> Any:
        return Corpus.objects.of(viewer(), CHANGES)


class FreezeRequestSerializer(FreezeChoices):
    corpus = CorpusToChange(
        slug_field="slug",
        queryset=Corpus.objects.all(),
        error_messages={"does_not_exist": "There is no corpus {value}."},
        help_text="slug",
    )


class RowsQuery(QuerySerializer):
    partition = one_of("partition", PARTITIONS, required=False)
    genre = serializers.SlugField(required=False, help_text="a genre's slug")
    label_ = serializers.CharField(required=False, help_text="a gold label; `-` for pairs without one")


@extend_schema_serializer(many=False)  # one page; otherwise the description would make it a list of pages
class RowPageSerializer(serializers.Serializer):
    """A page of the lines of the snapshot's files, each with its `partition`."""

    next = serializers.URLField(allow_null=True)
    previous = serializers.URLField(allow_null=True)
    results = serializers.ListField(child=serializers.DictField())


class SnapshotFileSerializer(serializers.ModelSerializer):
    bytes = serializers.IntegerField(source="size")
    url = serializers.SerializerMethodField()

    class Meta:
        model = SnapshotFile
        fields = ["name", "sha256", "bytes", "lines", "url"]

    def get_url(self, file: SnapshotFile) -> str:
        path = {"pk": file.snapshot_id, "name": file.name}
        return reverse("api-snapshot-file", kwargs=path, request=self.context["request"])


class SnapshotDetailSerializer(SnapshotSerializer):
    files = SnapshotFileSerializer(many=True)
    manifest = serializers.SerializerMethodField(help_text="what manifest.json says; null until frozen")

    class Meta(SnapshotSerializer.Meta):
        fields = [*SnapshotSerializer.Meta.fields, "files", "manifest"]

    def get_manifest(self, snapshot: Snapshot) -> dict[str, Any] | None:
        manifest: dict[str, Any] | None = self.context["manifest"]
        return manifest


class SnapshotListView(ResearcherView, generics.ListAPIView):
    pagination_class = NewestFirst
    serializer_class = SnapshotSerializer
    queryset = Snapshot.objects.select_related("corpus")

    def get_queryset(self) -> Any:
        return Snapshot.objects.of(viewer()).select_related("corpus")

    @extend_schema(
        summary="Request a freeze",
        description="Answers at once; poll `url` until `status` is frozen or failed.",
        request=FreezeRequestSerializer,
        responses={202: SnapshotSerializer, **of_status(409)},
    )
    def post(self, request: Request) -> Response:
        asked = checked(FreezeRequestSerializer, request.data)
        wrong: dict[type[Exception], int | str] = {EmptyCorpus: 409, FreezeInProgress: 409}
        wrong |= {HoldOutRefused: "dev_from_train", NotParsable: "derived_parses", NoSuchTrees: "trees"}
        with problems(wrong):
            snapshot = request_freeze(**asked, by=cast(User, request.user))
        enqueue(snapshot)
        data = SnapshotSerializer(snapshot, context={"request": request}).data
        return Response(data, status=status.HTTP_202_ACCEPTED, headers={"Location": data["url"]})


class SnapshotView(ResearcherView):
    @extend_schema(summary="One snapshot: its files and its manifest", responses=SnapshotDetailSerializer)
    def get(self, request: Request, pk: int) -> Response:
        found = known_snapshot(pk)
        context = {"request": request, "manifest": found.read_manifest()}
        return Response(SnapshotDetailSerializer(found, context=context).data)


class RowListView(ResearcherView, generics.ListAPIView):
    """The pairs of a snapshot, paged by key: page 4,000 is as fast as page 1."""

    pagination_class = KeyPages
    queryset = SnapshotPair.objects.none()

    @extend_schema(
        summary="The pairs of a snapshot",
        description="The lines of its files, in their order, each with its `partition`.",
        parameters=[RowsQuery],
        responses=RowPageSerializer,
    )
    def get(self, request: Request, pk: int) -> Response:
        # One query for snapshot, corpus and question. Without such a snapshot, `frozen_snapshot` raises the 404.
        frozen = Question.objects.filter(
            is_main=True, corpus__snapshots=pk, corpus__snapshots__status=Snapshot.Status.FROZEN
        )
        question = frozen.select_related("corpus").first() or main_question(frozen_snapshot(pk).corpus)
        asked = {"partition": "", "genre": "", "label": "", **RowsQuery.read(request)}
        known = {
            "genre": question.corpus.genres.order_by("slug").values_list("slug", flat=True),
            "label": (*SCHEMES[question.corpus.scheme], NO_GOLD),
        }
        for name in known:
            value = asked[name]
            if value and value not in known[name]:
                error = f"There is no {name} {value!r} here. Known: {', '.join(known[name])}."
                raise Problem(status=422, detail=error, errors={name: error})
        rows = SnapshotPair.objects.filter(snapshot=pk).chosen(**asked)
        # First the keys of the page, then their rows: otherwise a database that has not analysed a new snapshot joins
        # all of its rows.
        keys = [row.pk for row in self.paginate_queryset(rows.only("pk")) or []]
        page = SnapshotPair.objects.filter(pk__in=keys).order_by("pk").values_list(*COLUMNS, named=True)
        return self.get_paginated_response(lines_of(list(page), question.scheme))


class SnapshotFileView(ResearcherView):
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
        with problems({FileUnavailable: 503}, "The file is unavailable"):
            return send(request._request, of_snapshot(file))
