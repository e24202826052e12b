"""REST: one run with its scores."""

from dataclasses import asdict
from typing import Any

from django.http import FileResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from accounts.rest.permissions import ResearcherView
from accounts.rest.problems import problems
from modeling import workers
from modeling.launching.api import RunSerializer
from modeling.models import TrainingRun
from modeling.results.api import BreakdownSerializer, EvaluationSerializer, evaluation_rows
from modeling.results.run_scores import evaluations
from modeling.results.trials import trials
from modeling.watching.model_file import ModelMissing, model_file, name_of
from modeling.watching.sweeps import sizes
from snapshots.exports.downloads import AnyAccept


class SpreadSerializer(serializers.Serializer):
    mean = serializers.FloatField()
    spread = serializers.FloatField(allow_null=True, help_text="sample standard deviation; null for one run")
    lowest = serializers.FloatField()
    highest = serializers.FloatField()


class ScoreSerializer(SpreadSerializer):
    bar = serializers.FloatField(allow_null=True, help_text="share of the commonest label")
    distribution = serializers.DictField(
        child=SpreadSerializer(),
        help_text="kl, jsd (nats), entropy_correlation; empty where no pair has two annotator labels",
    )


class ChildSerializer(serializers.Serializer):
    run = serializers.IntegerField()
    seed = serializers.IntegerField()
    status = serializers.CharField()
    error = serializers.CharField(allow_blank=True)


class SizeSerializer(serializers.Serializer):
    most = serializers.IntegerField(allow_null=True, help_text="training pairs; null: all")
    runs = ChildSerializer(many=True)
    scores = serializers.DictField(child=ScoreSerializer(), help_text="partition -> mean and spread")


class TrialSerializer(serializers.Serializer):
    settings = serializers.CharField(allow_blank=True, help_text="what differs from the sweep's own settings")
    runs = ChildSerializer(many=True)
    dev = serializers.FloatField(allow_null=True, help_text="mean accuracy over the seeds that are done")
    spread = serializers.FloatField(allow_null=True)
    test = serializers.FloatField(allow_null=True)
    chosen = serializers.BooleanField()


class ProgressSerializer(serializers.Serializer):
    step = serializers.IntegerField()
    steps = serializers.IntegerField(allow_null=True)
    epoch = serializers.IntegerField(allow_null=True)
    loss = serializers.FloatField(allow_null=True)
    dev_accuracy = serializers.FloatField(allow_null=True)
    pairs_per_second = serializers.FloatField(allow_null=True)


class RunDetailSerializer(RunSerializer):
    evaluations = serializers.SerializerMethodField()
    breakdowns = serializers.SerializerMethodField(help_text="the same predictions by each dimension")
    warnings = serializers.SerializerMethodField()
    progress = serializers.SerializerMethodField(help_text="the newest line; null before the first")
    queue_is_worked = serializers.SerializerMethodField(help_text="whether the queue has a worker")
    sweep = serializers.SerializerMethodField(
        help_text="of a sweep: its runs and their mean scores, by training size"
    )
    trials = serializers.SerializerMethodField(
        help_text="of a search over settings: the best on dev first; `test` of the chosen one alone"
    )
    predictions = serializers.SerializerMethodField(help_text="partition -> address; empty until done")

    class Meta(RunSerializer.Meta):
        fields = [
            *RunSerializer.Meta.fields,
            "evaluations", "breakdowns", "warnings", "progress", "queue_is_worked", "predictions", "sweep", "trials",
        ]  # fmt: skip

    @extend_schema_field(EvaluationSerializer(many=True))
    def get_evaluations(self, run: TrainingRun) -> list[dict[str, Any]]:
        return list(EvaluationSerializer(list(evaluation_rows(self.context["evaluated"])), many=True).data)

    @extend_schema_field(BreakdownSerializer(many=True))
    def get_breakdowns(self, run: TrainingRun) -> list[dict[str, Any]]:
        rows = [breakdown for one in self.context["evaluated"] for breakdown in one.breakdowns]
        return list(BreakdownSerializer(rows, many=True).data)

    def get_warnings(self, run: TrainingRun) -> list[str]:
        return run.warnings.splitlines()

    def get_progress(self, run: TrainingRun) -> dict[str, Any] | None:
        newest = run.lines.last()
        return None if newest is None else dict(ProgressSerializer(newest).data)

    def get_queue_is_worked(self, run: TrainingRun) -> bool:
        return bool(workers.working("training"))

    @extend_schema_field(SizeSerializer(many=True))
    def get_sweep(self, run: TrainingRun) -> list[dict[str, Any]]:
        return list(SizeSerializer(self.context["sweep"], many=True).data)

    @extend_schema_field(TrialSerializer(many=True))
    def get_trials(self, run: TrainingRun) -> list[dict[str, Any]]:
        return list(TrialSerializer(trials(run), many=True).data)

    def get_predictions(self, run: TrainingRun) -> dict[str, str]:
        address = reverse("api-run-predictions", kwargs={"pk": run.pk}, request=self.context["request"])
        evaluated = self.context["evaluated"]
        parts = {one.partition for one in evaluated if one.snapshot.pk == run.snapshot_id}
        return {part: f"{address}?partition={part}" for part in sorted(parts - {"train"})}


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
