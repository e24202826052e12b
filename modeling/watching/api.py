"""REST: one run."""

from dataclasses import asdict

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.rest.permissions import ResearcherView
from modeling.models import TrainingRun
from modeling.results.run_scores import evaluations
from modeling.watching.serializers import RunDetailSerializer
from modeling.watching.sweeps import sizes


class RunView(ResearcherView):
    @extend_schema(summary="One run: its state and its scores", responses=RunDetailSerializer)
    def get(self, request: Request, pk: int) -> Response:
        run = get_object_or_404(TrainingRun.objects.newest_first(), pk=pk)
        evaluated = evaluations(run)
        table = [asdict(size) for size in sizes(run)] if run.is_sweep else []
        return Response(
            RunDetailSerializer(
                run, context={"request": request, "sweep": table, "evaluated": evaluated}
            ).data
        )
