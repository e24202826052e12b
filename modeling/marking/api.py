"""REST: the phenomena that people marked in the pairs of a snapshot."""

from dataclasses import asdict

from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.rest.openapi import QuerySerializer
from accounts.rest.permissions import ResearcherView
from accounts.rest.problems import Problem
from collection.models import PARTITION_CHOICES
from modeling.marking.agreement import progress_of
from modeling.models import Mark, Marking
from snapshots.api import frozen_snapshot


class MarksQuery(QuerySerializer):
    partition = serializers.ChoiceField(choices=PARTITION_CHOICES, default="dev")


class MarkSerializer(serializers.ModelSerializer):
    pairID = serializers.CharField(source="pair.row.pair.public_id")
    by = serializers.CharField(source="by.code")
    premises = serializers.DictField(
        child=serializers.ListField(child=serializers.IntegerField()),
        help_text="phenomenon: the numbers of the premises that show it, where they are named",
    )

    class Meta:
        model = Mark
        fields = ["pairID", "by", "phenomena", "premises", "marked_at"]


class AgreementSerializer(serializers.Serializer):
    phenomenon = serializers.CharField()
    one = serializers.IntegerField(help_text="pairs in which the one sees it")
    other = serializers.IntegerField()
    both = serializers.IntegerField()
    same = serializers.FloatField(help_text="share of pairs with the same answer")
    kappa = serializers.FloatField(
        allow_null=True, help_text="Cohen's; null where both always answered the same"
    )


class MarksSerializer(serializers.Serializer):
    pairs = serializers.IntegerField(help_text="in the sample")
    phenomena = serializers.ListField(child=serializers.CharField())
    common = serializers.IntegerField(
        help_text="pairs that the two people with the most in common both marked"
    )
    agreement = AgreementSerializer(many=True)
    marks = MarkSerializer(many=True)


class MarksView(ResearcherView):
    @extend_schema(
        summary="Phenomena that people marked in a sample of a partition",
        parameters=[MarksQuery],
        responses=MarksSerializer,
    )
    def get(self, request: Request, pk: int) -> Response:
        asked = MarksQuery.read(request)
        marking = Marking.objects.filter(snapshot=pk, partition=asked["partition"]).first()
        if marking is None:
            sample, page = f"{asked['partition']} of {frozen_snapshot(pk)}", reverse("markings", args=[pk])
            raise Problem(
                status=404, detail=f"No pairs of {sample} were drawn for marking: begin a marking on {page}."
            )
        marks = Mark.objects.filter(pair__marking=marking).select_related("pair__row__pair", "by")
        progress = asdict(progress_of(marking))
        rows = marks.order_by("pair__place", "by")
        return Response(MarksSerializer({**progress, "phenomena": marking.phenomena, "marks": rows}).data)
