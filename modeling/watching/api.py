"""REST: one run, its charts, and the curves of several."""

from dataclasses import asdict
from itertools import chain

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.rest.charts import ChartsSerializer, charts_answer
from accounts.rest.openapi import QuerySerializer
from accounts.rest.permissions import ResearcherView
from modeling.models import TrainingRun
from modeling.results.run_scores import evaluations, results
from modeling.watching.charts import MOST_RUNS, chosen_charts, comparison_charts
from modeling.watching.comparing import chosen_runs, run_charts
from modeling.watching.serializers import RunDetailSerializer
from modeling.watching.sweeps import sizes
from snapshots.models import Snapshot


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


class RunChartsView(ResearcherView):
    @extend_schema(
        summary="The charts of a run",
        description="Curves, confusion and calibration on each partition, the data map: what its pages draw.",
        responses=ChartsSerializer,
    )
    def get(self, request: Request, pk: int) -> Response:
        run = get_object_or_404(TrainingRun.objects.newest_first(), pk=pk)
        return charts_answer(run_charts(run))


class BaselineChartsView(ResearcherView):
    @extend_schema(
        summary="The charts of the baselines on a snapshot",
        description="Accuracy beside majority class and hypothesis only, and by genre and label, as on the page.",
        responses=ChartsSerializer,
    )
    def get(self, request: Request, pk: int) -> Response:
        snapshot = get_object_or_404(Snapshot.objects.frozen().select_related("corpus"), pk=pk)
        return charts_answer(chain.from_iterable(comparison_charts(results([snapshot])).values()))


class RunCurvesQuery(QuerySerializer):
    runs = serializers.RegexField(
        r"^\d{1,9}(,\d{1,9})*$",
        help_text=f"numbers of runs or sweeps with commas between them; the first {MOST_RUNS} runs are drawn",
    )


class RunCurvesView(ResearcherView):
    @extend_schema(
        summary="The curves of several runs",
        parameters=[RunCurvesQuery],
        responses=ChartsSerializer,
    )
    def get(self, request: Request) -> Response:
        asked = RunCurvesQuery.read(request)
        return charts_answer(chosen_charts(chosen_runs(asked["runs"].split(","))))
