"""REST: one run."""

from dataclasses import asdict

from django.db.models import Prefetch
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.rest.permissions import IsResearcher
from modeling.models import Evaluation, TrainingRun
from modeling.watching.serializers import RunDetailSerializer
from modeling.watching.sweeps import sizes


class RunView(APIView):
    permission_classes = [IsResearcher]

    @extend_schema(summary="One run: its state and its scores", responses=RunDetailSerializer)
    def get(self, request: Request, pk: int) -> Response:
        scores = Evaluation.objects.select_related("snapshot__corpus").order_by(
            "snapshot", "partition", "genre", "gold_label"
        )
        runs = TrainingRun.objects.newest_first().prefetch_related(Prefetch("evaluations", scores))
        run = get_object_or_404(runs, pk=pk)
        table = [asdict(size) for size in sizes(run)] if run.is_sweep else []
        return Response(RunDetailSerializer(run, context={"request": request, "sweep": table}).data)
