"""The charts of a page in REST: what the page draws, as JSON."""

from collections.abc import Iterable

from rest_framework import serializers
from rest_framework.response import Response

from shared.charts import KINDS, Chart


class ChartColumnSerializer(serializers.Serializer):
    key = serializers.CharField()
    name = serializers.CharField()
    kind = serializers.CharField(help_text="text, count, share (0 to 1), cents, kappa, number, z, p")
    definition = serializers.CharField()


class ChartSerializer(serializers.Serializer):
    key = serializers.CharField()
    kind = serializers.ChoiceField(choices=KINDS)
    title = serializers.CharField(help_text="the finding")
    note = serializers.CharField()
    columns = ChartColumnSerializer(many=True)
    rows = serializers.ListField(
        child=serializers.DictField(),
        help_text="raw values by the keys of columns; `faint`: few pairs behind it",
    )
    draw = serializers.DictField(help_text="which columns are drawn as what")
    lines = serializers.ListField(child=serializers.DictField(), help_text="reference values")
    colours = serializers.DictField()
    explained = serializers.ListField(child=serializers.ListField(child=serializers.CharField()))


class ChartsSerializer(serializers.Serializer):
    charts = ChartSerializer(many=True)


def charts_answer(charts: Iterable[Chart]) -> Response:
    """Returns the charts as `charts`."""
    return Response({"charts": [chart.as_json() for chart in charts]})
