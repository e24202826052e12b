"""REST: lists, requests, stops and resumes runs."""

from functools import partial
from typing import cast

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import generics, status
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import User
from accounts.rest.openapi import checked
from accounts.rest.paging import NewestFirst
from accounts.rest.permissions import IsResearcher, ResearcherView
from accounts.rest.problems import Problem, of_status, problems
from jobs.tasks import enqueue
from modeling.launching.actions import (
    RunIsOver,
    request_once,
    request_runs,
    resume_run,
    stop_run,
)
from modeling.launching.regimes import RefusedRun
from modeling.launching.serializers import NewRunSerializer, RunSerializer
from modeling.models import TrainingRun


class RunListView(generics.ListAPIView):
    permission_classes = [IsResearcher]
    pagination_class = NewestFirst
    serializer_class = RunSerializer
    queryset = TrainingRun.objects.select_related("snapshot__corpus").with_children()

    @extend_schema(
        summary="Request a training run",
        description="Returns at once. Poll `url` until `status` is done, stopped or failed. The same `idempotency_key` with "
        "the same content is the same request; with other content the response is 409.",
        request=NewRunSerializer,
        responses={202: RunSerializer, **of_status(409)},
    )
    def post(self, request: Request) -> Response:
        given, user = checked(NewRunSerializer, request.data), cast(User, request.user)
        key = given.pop("idempotency_key")
        content = {**given, "snapshot": str(given["snapshot"])}
        given |= {"config": given.pop("settings"), "by": user}
        seed, seeds = given.pop("seed"), given.pop("seeds", None)
        try:
            ask = partial(request_runs, **given, seeds=seeds or [seed], is_sweep=bool(seeds))
            run, _ = request_once(by=user, key=key, content=content, ask=ask)
        except RefusedRun as error:
            raise _problem(error) from error
        enqueue(run)
        return _accepted(request, run)


class StopRunView(ResearcherView):
    @extend_schema(
        summary="Stop a run after a checkpoint",
        request=None,
        responses={202: RunSerializer, **of_status(409)},
    )
    def post(self, request: Request, pk: int) -> Response:
        with problems({RunIsOver: 409}):
            return _accepted(request, stop_run(run=_run(pk)))


class ResumeRunView(ResearcherView):
    @extend_schema(
        summary="Resume a stopped or failed run from its checkpoint",
        request=None,
        responses={202: RunSerializer, **of_status(409)},
    )
    def post(self, request: Request, pk: int) -> Response:
        with problems({RunIsOver: 409}):
            run = resume_run(run=_run(pk))
        enqueue(run)
        return _accepted(request, run)


def _run(pk: int) -> TrainingRun:
    return get_object_or_404(TrainingRun.objects.newest_first(), pk=pk)


def _accepted(request: Request, run: TrainingRun) -> Response:
    body = RunSerializer(run, context={"request": request}).data
    return Response(body, status=status.HTTP_202_ACCEPTED, headers={"Location": body["url"]})


def _problem(error: RefusedRun) -> Problem:
    key = error.key if error.key in NewRunSerializer().fields else "regime"
    return Problem(status=422, detail=str(error), errors={key: str(error)})
