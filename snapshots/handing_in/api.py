"""REST: hands predictions for a withheld partition in. The leaderboard is the figure of that name."""

from typing import Any, cast

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import User
from accounts.rest.openapi import checked
from accounts.rest.permissions import ResearcherView
from accounts.rest.problems import of_status, problems
from collection.models import PARTITION_CHOICES
from snapshots.api import frozen_snapshot
from snapshots.handing_in.actions import Refused, TooMany, hand_in
from snapshots.models import HandIn


class NewHandInSerializer(serializers.Serializer):
    partition = serializers.ChoiceField(
        choices=PARTITION_CHOICES, required=False, help_text="may be left out if one alone is withheld"
    )
    team = serializers.CharField(max_length=60)
    name = serializers.CharField(max_length=100, help_text="of the system; a team uses a name once")
    description = serializers.CharField(max_length=2000, required=False, default="", allow_blank=True)
    is_baseline = serializers.BooleanField(default=False)
    predictions = serializers.DictField(
        child=serializers.CharField(), help_text="pair id -> label, every pair"
    )


class HandInSerializer(serializers.ModelSerializer):
    scores = serializers.DictField(
        child=serializers.ListField(child=serializers.IntegerField()),
        help_text="genre -> pairs with a gold label, and how many of them are right",
    )

    class Meta:
        model = HandIn
        fields = ["id", "partition", "team", "name", "description", "is_baseline", "scores", "at"]


class HandInView(ResearcherView):
    @extend_schema(
        summary="Hand in predictions for a withheld partition",
        description="They are scored at once. 422 counts unknown and missing ids; 409 where the team has handed in as often"
        " as the site allows in 24 hours.",
        request=NewHandInSerializer,
        responses={201: HandInSerializer, **of_status(409, 422)},
    )
    def post(self, request: Request, pk: int) -> Response:
        given: dict[str, Any] = checked(NewHandInSerializer, request.data)
        predictions = list(given.pop("predictions").items())
        with problems({Refused: 422, TooMany: 409}):
            row = hand_in(
                snapshot=frozen_snapshot(pk), predictions=predictions, by=cast(User, request.user), **given
            )
        return Response(HandInSerializer(row).data, status=status.HTTP_201_CREATED)
