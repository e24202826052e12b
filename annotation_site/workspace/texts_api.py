"""REST: the charts of writers' texts."""

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.rest.charts import ChartsSerializer, charts_answer
from accounts.rest.permissions import IsResearcher
from annotation_site.workspace.texts_charts import texts_charts
from annotation_site.workspace.texts_page import written
from collection.models import Corpus


class TextsChartsView(APIView):
    permission_classes = [IsResearcher]

    @extend_schema(
        summary="The charts of the newest texts of writers: lengths by label, words that give labels away, negation",
        description="`charts` is empty for fewer than thirty texts.",
        responses=ChartsSerializer,
        tags=["corpora"],
    )
    def get(self, request: Request, slug: str) -> Response:
        corpus = get_object_or_404(Corpus, slug=slug)
        return charts_answer(texts_charts(corpus, written(corpus)))
