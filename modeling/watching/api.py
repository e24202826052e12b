"""REST: one run."""

from dataclasses import asdict

from django.http import FileResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.rest.permissions import ResearcherView
from accounts.rest.problems import problems
from modeling.models import TrainingRun
from modeling.results.run_scores import evaluations
from modeling.watching.model_file import ModelMissing, model_file, name_of
from modeling.watching.serializers import RunDetailSerializer
from modeling.watching.sweeps import sizes
from snapshots.exports.downloads import AnyAccept


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


class RunModelView(ResearcherView):
    content_negotiation_class = AnyAccept

    @extend_schema(
        summary="The weights of a finished run, for others",
        description="A zip archive: weights (safetensors), vocabulary, labels, settings, and how to load them.",
        responses={(200, "application/zip"): OpenApiTypes.BINARY},
    )
    def get(self, request: Request, pk: int) -> FileResponse:
        run = get_object_or_404(TrainingRun.objects.newest_first(), pk=pk)
        with problems({ModelMissing: 404}):
            archive = model_file(run)
        return FileResponse(
            archive, as_attachment=True, filename=f"{name_of(run)}.zip", content_type="application/zip"
        )
