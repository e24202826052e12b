"""REST: lists, requests, stops and resumes runs."""

from functools import partial
from typing import Any, cast

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import User
from accounts.people.gates import viewer
from accounts.rest.openapi import checked
from accounts.rest.paging import NewestFirst
from accounts.rest.permissions import ResearcherView
from accounts.rest.problems import Problem, of_status, problems
from collection.models.querysets import CHANGES
from jobs.tasks import enqueue
from modeling import catalogue
from modeling.baselines.config import MOST_PAIRS
from modeling.baselines.settings import PRESETS
from modeling.launching.actions import (
    RunIsOver,
    request_once,
    request_runs,
    resume_run,
    stop_run,
)
from modeling.launching.regimes import RefusedRun
from modeling.launching.searches import MOST_TRIALS
from modeling.models import TrainingRun
from shared.whole_numbers import LARGEST_SEED
from snapshots.models import Snapshot


class NewRunSerializer(serializers.Serializer):
    snapshot = serializers.CharField(max_length=200, help_text="CORPUS@VERSION")
    baseline = serializers.CharField(max_length=40)
    seed = serializers.IntegerField(default=1, min_value=0, max_value=LARGEST_SEED)
    seeds = serializers.ListField(
        child=serializers.IntegerField(min_value=0, max_value=LARGEST_SEED),
        required=False,
        allow_empty=False,
        help_text="a sweep: one run each, instead of `seed`",
    )
    sizes = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=MOST_PAIRS),
        required=False,
        allow_empty=False,
        help_text="a sweep: for each seed one run for each number of training pairs",
    )
    regime = serializers.DictField(
        default=dict, help_text="mixed, genre, most, start, collapse, soft_labels, hypothesis_only"
    )
    vectors = serializers.CharField(default=catalogue.PACKAGED_VECTORS, max_length=500)
    preset = serializers.ChoiceField(
        choices=PRESETS, default=catalogue.DEFAULT, help_text="default, or paper: the settings as published"
    )
    settings = serializers.DictField(
        default=dict, help_text="key -> value; other settings are those of the preset"
    )
    search = serializers.DictField(
        child=serializers.ListField(allow_empty=False, max_length=MOST_TRIALS),
        required=False,
        help_text="a sweep: the values to try of each setting, or ranges such as 0.0001..0.01 with `draws`; dev chooses",
    )
    draws = serializers.IntegerField(
        required=False,
        min_value=1,
        max_value=MOST_TRIALS,
        help_text="trials that are drawn; else all combinations",
    )
    idempotency_key = serializers.CharField(
        required=False,
        default="",
        allow_blank=True,
        max_length=100,
        help_text="such as a random UUID; a request that is sent again with it starts nothing new",
    )

    def validate_snapshot(self, name: str) -> Snapshot:
        snapshot = Snapshot.objects.of(viewer(), CHANGES).named(name).first()
        if snapshot is None:
            raise serializers.ValidationError(f"There is no snapshot {name!r}. GET snapshots/ lists them.")
        return snapshot

    def validate_vectors(self, name: str) -> str:
        known = catalogue.vectors()
        if name not in known:
            raise serializers.ValidationError(
                f"There are no word vectors {name!r} here. Known: {', '.join(known)}."
            )
        return name

    def validate_settings(self, given: dict[str, Any]) -> dict[str, str]:
        """Accepts numbers and booleans, too, and returns them as texts, which the baseline's check reads."""
        texts: dict[str, str] = {}
        for key, value in given.items():
            if isinstance(value, bool):
                texts[key] = str(value).lower()
            elif isinstance(value, str | int | float) and len(str(value)) <= 200:
                texts[key] = str(value)
            else:
                raise serializers.ValidationError(f"{key} must be a text, a number, true or false.")
        refusal = catalogue.refusal_of_files(texts)
        if refusal:
            raise serializers.ValidationError(refusal)
        return texts

    def validate_search(self, given: dict[str, list[Any]]) -> dict[str, list[str]]:
        """Accepts numbers and booleans, too, as `settings` does."""
        places = range(max(map(len, given.values()), default=0))
        for place in places:
            self.validate_settings(
                {key: values[place] for key, values in given.items() if place < len(values)}
            )
        return {key: [str(value).lower() if isinstance(value, bool) else str(value) for value in values]
                for key, values in given.items()}  # fmt: skip


class RunSerializer(serializers.ModelSerializer):
    snapshot = serializers.CharField(source="snapshot.__str__")
    sha256 = serializers.CharField(source="snapshot.sha256")
    settings = serializers.DictField(source="config")
    preset = serializers.SerializerMethodField(help_text="default, paper, or null for other settings")
    status = serializers.CharField(source="standing", help_text="of a sweep, that of its runs together")
    url = serializers.HyperlinkedIdentityField(view_name="api-run")

    class Meta:
        model = TrainingRun
        fields = [
            "id", "snapshot", "sha256", "baseline", "seed", "vectors", "preset", "settings", "regime", "most",
            "parent", "is_sweep",
            "status", "stop_requested",
            "worker", "attempts", "requested_at", "started_at", "heartbeat_at", "finished_at", "train_pairs",
            "train_accuracy", "seconds", "pairs_per_second", "device", "error", "url",
        ]  # fmt: skip

    def get_preset(self, run: TrainingRun) -> str | None:
        return catalogue.preset_of(run.baseline, run.config)


class RunListView(ResearcherView, generics.ListAPIView):
    pagination_class = NewestFirst
    serializer_class = RunSerializer
    queryset = TrainingRun.objects.select_related("snapshot__corpus").with_children()

    def get_queryset(self) -> Any:
        return TrainingRun.objects.of(viewer()).select_related("snapshot__corpus").with_children()

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
