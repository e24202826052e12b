"""REST about training runs: the list, one of them, its predictions, and starting, stopping, resuming."""

from dataclasses import asdict
from functools import partial
from typing import cast

from django.db.models import Prefetch
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import generics, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import replace_query_param
from rest_framework.views import APIView

from accounts.models import User
from accounts.rest.paging import NewestFirst
from accounts.rest.permissions import IsResearcher
from accounts.rest.problems import Problem, of_status
from modeling import run_files, tasks
from modeling.actions import (
    BadSetting,
    NothingToLearnFrom,
    RefusedRegime,
    RunIsOver,
    SnapshotNotFrozen,
    UnknownBaseline,
    request_once,
    request_run,
    request_sweep,
    resume_run,
    stop_run,
)
from modeling.models import Evaluation, TrainingRun
from modeling.serializers import (
    NewRunSerializer,
    PredictionsQuery,
    PredictionsSerializer,
    RunDetailSerializer,
    RunSerializer,
)
from modeling.tables import sizes


class RunListView(generics.ListAPIView):
    permission_classes = [IsResearcher]
    pagination_class = NewestFirst
    serializer_class = RunSerializer
    queryset = TrainingRun.objects.select_related("snapshot__corpus").with_children()

    @extend_schema(
        summary="Ask for a training run",
        description="Answers at once; poll `url` until `status` is done, stopped or failed. The same `idempotency_key` "
        "with the same content is the same request; with other content it answers 409.",
        request=NewRunSerializer,
        responses={202: RunSerializer, **of_status(409)},
    )
    def post(self, request: Request) -> Response:
        asked = NewRunSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        given, user = asked.validated_data, cast(User, request.user)
        key = given.pop("idempotency_key")
        content = {**given, "snapshot": str(given["snapshot"])}
        given |= {"config": given.pop("settings"), "by": user}
        seed, seeds, curve = given.pop("seed"), given.pop("seeds", None), given.pop("sizes", [])
        try:
            if seeds or curve:
                ask = partial(request_sweep, **given, seeds=seeds or [seed], sizes=curve)
            else:
                ask = partial(request_run, **given, seed=seed)
            run, _ = request_once(by=user, key=key, content=content, ask=ask)
        except (UnknownBaseline, BadSetting, SnapshotNotFrozen, NothingToLearnFrom, RefusedRegime) as error:
            raise _problem(error) from error
        tasks.enqueue(run.pk)
        return _told(request, run)


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


class RunPredictionsView(APIView):
    permission_classes = [IsResearcher]

    @extend_schema(
        summary="A run's predictions, in the order of the snapshot's file",
        parameters=[PredictionsQuery],
        responses=PredictionsSerializer,
    )
    def get(self, request: Request, pk: int) -> Response:
        run = get_object_or_404(TrainingRun, pk=pk)
        given = PredictionsQuery.read(request)
        try:
            found = run_files.predictions(run, given["partition"], given["cursor"], given["page_size"])
        except run_files.BadPlace as error:
            raise Problem(status=422, detail=str(error), errors={"cursor": str(error)}) from error
        except run_files.PredictionsMissing as error:
            raise Problem(status=404, detail=str(error)) from error
        address = request.build_absolute_uri()
        following = None if found.next is None else replace_query_param(address, "cursor", found.next)
        return Response({"next": following, "results": found.rows})


class StopRunView(APIView):
    permission_classes = [IsResearcher]

    @extend_schema(
        summary="Stop a run after a checkpoint",
        request=None,
        responses={202: RunSerializer, **of_status(409)},
    )
    def post(self, request: Request, pk: int) -> Response:
        try:
            return _told(request, stop_run(run=_run(pk)))
        except RunIsOver as error:
            raise Problem(status=409, detail=str(error)) from error


class ResumeRunView(APIView):
    permission_classes = [IsResearcher]

    @extend_schema(
        summary="Resume a stopped or failed run from its checkpoint",
        request=None,
        responses={202: RunSerializer, **of_status(409)},
    )
    def post(self, request: Request, pk: int) -> Response:
        try:
            run = resume_run(run=_run(pk))
        except RunIsOver as error:
            raise Problem(status=409, detail=str(error)) from error
        tasks.enqueue(run.pk)
        return _told(request, run)


def _run(pk: int) -> TrainingRun:
    return get_object_or_404(TrainingRun.objects.newest_first(), pk=pk)


def _told(request: Request, run: TrainingRun) -> Response:
    told = RunSerializer(run, context={"request": request}).data
    return Response(told, status=status.HTTP_202_ACCEPTED, headers={"Location": told["url"]})


def _problem(
    error: UnknownBaseline | BadSetting | SnapshotNotFrozen | NothingToLearnFrom | RefusedRegime,
) -> Problem:
    if isinstance(error, RefusedRegime):
        key = "sizes" if error.key == "sizes" else "regime"
        return Problem(status=422, detail=str(error), errors={key: str(error)})
    fields = {UnknownBaseline: "baseline", BadSetting: "settings"}
    return Problem(status=422, detail=str(error), errors={fields.get(type(error), "snapshot"): str(error)})
