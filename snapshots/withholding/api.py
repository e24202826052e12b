"""REST: what a corpus withholds; withholds a partition, names who reads it, releases it."""

from typing import cast

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import User
from accounts.rest.openapi import checked
from accounts.rest.permissions import ResearcherView
from accounts.rest.problems import of_status, problems
from collection.models import Corpus, Withholding
from nli.lines import HELD_OUT
from snapshots.errors import SnapshotError
from snapshots.withholding.actions import (
    NotNamed,
    lift,
    name_reader,
    remove_reader,
    researcher_called,
    standing_of,
    withhold,
)

WRONG: dict[type[Exception], int | str] = {NotNamed: 403, SnapshotError: 409}


class NewWithholdingSerializer(serializers.Serializer):
    partition = serializers.ChoiceField(choices=HELD_OUT)
    frozen = serializers.BooleanField(
        default=False, help_text="also take the labels out of frozen snapshots, whose hashes change"
    )


class ReaderSerializer(serializers.Serializer):
    who = serializers.CharField(max_length=150, help_text="user name or code of a researcher")


class WithholdingSerializer(serializers.ModelSerializer):
    by = serializers.CharField(source="by.username", default=None, allow_null=True)
    lifted_by = serializers.CharField(source="lifted_by.username", default=None, allow_null=True)
    readers = serializers.SerializerMethodField(help_text="user names of who may read the labels")

    class Meta:
        model = Withholding
        fields = ["partition", "since", "by", "readers", "lifted_at", "lifted_by"]

    def get_readers(self, row: Withholding) -> list[str]:
        return sorted(reader.username for reader in row.readers.all())


class _View(ResearcherView):
    def shown(self, row: Withholding, code: int = status.HTTP_200_OK) -> Response:
        return Response(WithholdingSerializer(row).data, status=code)


class WithheldView(_View):
    @extend_schema(summary="What a corpus withholds or withheld", responses=WithholdingSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        rows = get_object_or_404(Corpus, slug=slug).withholdings.select_related("by", "lifted_by")
        return Response(
            WithholdingSerializer(rows.prefetch_related("readers").order_by("pk"), many=True).data
        )

    @extend_schema(
        summary="Withhold the labels of a partition",
        description="409 where a snapshot has them and `frozen` is not set, or a published one has them.",
        request=NewWithholdingSerializer,
        responses={201: WithholdingSerializer, **of_status(409)},
    )
    def post(self, request: Request, slug: str) -> Response:
        corpus, asked = get_object_or_404(Corpus, slug=slug), checked(NewWithholdingSerializer, request.data)
        with problems(WRONG):
            row = withhold(corpus=corpus, by=cast(User, request.user), **asked)
        return self.shown(row, status.HTTP_201_CREATED)


class ReadersView(_View):
    @extend_schema(
        summary="Let a researcher read withheld labels",
        request=ReaderSerializer,
        responses={200: WithholdingSerializer, **of_status(403, 409)},
    )
    def post(self, request: Request, slug: str, partition: str) -> Response:
        corpus, asked = get_object_or_404(Corpus, slug=slug), checked(ReaderSerializer, request.data)
        with problems(WRONG):
            row = standing_of(corpus, partition)
            name_reader(
                withholding=row, reader=researcher_called(asked["who"], corpus), by=cast(User, request.user)
            )
        return self.shown(row)


class ReaderView(_View):
    @extend_schema(
        summary="Take a researcher's right to read withheld labels away",
        responses={200: WithholdingSerializer, **of_status(403, 409)},
    )
    def delete(self, request: Request, slug: str, partition: str, code: str) -> Response:
        corpus = get_object_or_404(Corpus, slug=slug)
        with problems(WRONG):
            row = standing_of(corpus, partition)
            remove_reader(withholding=row, reader=researcher_called(code), by=cast(User, request.user))
        return self.shown(row)


class ReleaseView(_View):
    @extend_schema(
        summary="Release withheld labels for good",
        request=None,
        responses={200: WithholdingSerializer, **of_status(403, 409)},
    )
    def post(self, request: Request, slug: str, partition: str) -> Response:
        corpus = get_object_or_404(Corpus, slug=slug)
        with problems(WRONG):
            row = standing_of(corpus, partition)
            lift(withholding=row, by=cast(User, request.user))
        row.refresh_from_db()
        return self.shown(row)
