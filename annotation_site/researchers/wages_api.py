"""REST: the charts of a corpus's pay."""

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.rest.charts import ChartsSerializer, charts_answer
from accounts.rest.openapi import QuerySerializer
from accounts.rest.permissions import ResearcherView
from annotation_site.researchers.wages_charts import wage_charts
from annotation_site.researchers.wages_counted import counted_wages
from collection.models import Corpus


class PayQuery(QuerySerializer):
    floor_cents = serializers.IntegerField(
        required=False,
        min_value=0,
        max_value=100_000,
        help_text="lowest hourly pay, drawn as a line; 0: none; if absent, that of the corpus file",
    )


class PayChartsView(ResearcherView):
    @extend_schema(
        summary="The charts of pay: hourly pay of people, money by day and task",
        parameters=[PayQuery],
        responses=ChartsSerializer,
        tags=["corpora"],
    )
    def get(self, request: Request, slug: str) -> Response:
        corpus = get_object_or_404(Corpus, slug=slug)
        floor = PayQuery.read(request).get("floor_cents", corpus.hourly_floor_cents)
        found, days, _ = counted_wages(corpus)
        return charts_answer(wage_charts(found or (), days, floor))
