"""REST: the charts of a corpus's labelling."""

from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.rest.charts import ChartsSerializer, charts_answer
from accounts.rest.permissions import IsResearcher
from annotation_site.workspace.labelling_page import progress_charts, progress_of
from validation.models import Question
from validation.statistics import cached
from validation.statistics.stock_charts import stock_charts


class LabellingChartsView(APIView):
    permission_classes = [IsResearcher]

    @extend_schema(
        summary="The charts of labelling: seats by state, day by day; pairs by genre and state",
        description="`charts` is empty until a worker has counted a large corpus.",
        responses=ChartsSerializer,
        tags=["corpora"],
    )
    def get(self, request: Request, slug: str) -> Response:
        main = cached.with_size(Question.objects.filter(corpus__slug=slug, is_main=True))
        question = get_object_or_404(main.select_related("corpus"))
        found = progress_of(question, timezone.now())
        charts = progress_charts(found[1], found[0]) if found else []
        return charts_answer([*charts, *stock_charts(question)])
