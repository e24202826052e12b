"""REST for publishing and retracting a snapshot."""

from typing import cast

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import User
from accounts.rest.openapi import checked
from accounts.rest.permissions import ResearcherView
from accounts.rest.problems import Problem, of_status, problems
from snapshots.api import SnapshotSerializer, known_snapshot
from snapshots.publishing.actions import DatasheetHasBlanks, NotPublishable, publish, retract


class RetractionSerializer(serializers.Serializer):
    because = serializers.CharField(max_length=2000, help_text="what is wrong; everybody sees it")


class PublishView(ResearcherView):
    @extend_schema(
        summary="Publish a frozen snapshot",
        description="Its datasheet keeps the answers of this moment. 422 names the questions without an answer.",
        request=None,
        responses={200: SnapshotSerializer, **of_status(409, 422)},
    )
    def post(self, request: Request, pk: int) -> Response:
        try:
            with problems({NotPublishable: 409}):
                published = publish(snapshot=known_snapshot(pk), by=cast(User, request.user))
        except DatasheetHasBlanks as error:
            raise Problem(status=422, detail=str(error), errors=error.blanks) from error
        return Response(SnapshotSerializer(published, context={"request": request}).data)


class RetractView(ResearcherView):
    @extend_schema(
        summary="Retract a published snapshot",
        description="Puts a permanent notice on it. Retracting again keeps the first notice. No file changes.",
        request=RetractionSerializer,
        responses={200: SnapshotSerializer, **of_status(409)},
    )
    def post(self, request: Request, pk: int) -> Response:
        asked = checked(RetractionSerializer, request.data)
        with problems({NotPublishable: 409}):
            retracted = retract(snapshot=known_snapshot(pk), by=cast(User, request.user), **asked)
        return Response(SnapshotSerializer(retracted, context={"request": request}).data)
