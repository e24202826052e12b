"""What REST takes and gives about training runs."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.reverse import reverse

from accounts.rest.openapi import QuerySerializer
from collection.models import PARTITION_CHOICES
from modeling import catalogue, queues
from modeling.actions import LARGEST_SEED
from modeling.baselines.config import MOST_PAIRS
from modeling.models import Evaluation, TrainingRun
from modeling.querysets import DISTRIBUTION
from modeling.run_files import MOST_PREDICTIONS
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
        help_text="a sweep: for each seed one run a number of training pairs",
    )
    regime = serializers.DictField(
        default=dict, help_text="mixed, genre, most, start, collapse, soft_labels, hypothesis_only"
    )
    vectors = serializers.CharField(default=catalogue.PACKAGED_VECTORS, max_length=500)
    settings = serializers.DictField(
        default=dict, help_text="key -> value; what is not named takes its default"
    )
    idempotency_key = serializers.CharField(
        required=False,
        default="",
        allow_blank=True,
        max_length=100,
        help_text="a random UUID is a good one; a request that is sent again under it starts nothing anew",
    )

    def validate_snapshot(self, name: str) -> Snapshot:
        snapshot = Snapshot.objects.named(name).first()
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
        """Numbers and truth values may come as such; the baseline's own check reads text."""
        texts: dict[str, str] = {}
        for key, value in given.items():
            if isinstance(value, bool):
                texts[key] = str(value).lower()
            elif isinstance(value, str | int | float) and len(str(value)) <= 200:
                texts[key] = str(value)
            else:
                raise serializers.ValidationError(f"{key} must be a text, a number, true or false.")
        refusal = catalogue.refusal_of_model(texts)
        if refusal:
            raise serializers.ValidationError(refusal)
        return texts


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


class DistributionSerializer(serializers.ModelSerializer):
    pairs = serializers.IntegerField(source="voted_pairs", help_text="with two annotator labels or more")

    class Meta:
        model = Evaluation
        fields = ["pairs", *DISTRIBUTION]


class EvaluationSerializer(serializers.ModelSerializer):
    snapshot = serializers.CharField(source="snapshot.__str__")
    distribution = serializers.SerializerMethodField(
        help_text="how near the probabilities are to the annotators' shares, in nats; null where no pair has two"
    )

    class Meta:
        model = Evaluation
        fields = [
            "snapshot", "partition", "genre", "gold_label", "pairs", "accuracy", "majority", "distribution",
        ]  # fmt: skip

    @extend_schema_field(DistributionSerializer(allow_null=True))
    def get_distribution(self, evaluation: Evaluation) -> dict[str, Any] | None:
        return None if evaluation.voted_pairs is None else dict(DistributionSerializer(evaluation).data)


class RunSerializer(serializers.ModelSerializer):
    snapshot = serializers.CharField(source="snapshot.__str__")
    sha256 = serializers.CharField(source="snapshot.sha256")
    settings = serializers.DictField(source="config")
    status = serializers.CharField(source="standing", help_text="of a sweep what its runs come to")
    url = serializers.HyperlinkedIdentityField(view_name="api-run")

    class Meta:
        model = TrainingRun
        fields = [
            "id", "snapshot", "sha256", "baseline", "seed", "vectors", "settings", "regime", "most", "parent", "is_sweep",
            "status", "stop_requested",
            "worker", "attempts", "requested_at", "started_at", "heartbeat_at", "finished_at", "train_pairs",
            "train_accuracy", "seconds", "pairs_per_second", "device", "error", "url",
        ]  # fmt: skip


class ProgressSerializer(serializers.Serializer):
    step = serializers.IntegerField()
    steps = serializers.IntegerField(allow_null=True)
    epoch = serializers.IntegerField(allow_null=True)
    loss = serializers.FloatField(allow_null=True)
    dev_accuracy = serializers.FloatField(allow_null=True)
    pairs_per_second = serializers.FloatField(allow_null=True)


class RunDetailSerializer(RunSerializer):
    evaluations = EvaluationSerializer(many=True)
    warnings = serializers.SerializerMethodField()
    progress = serializers.SerializerMethodField(help_text="the newest line; null before the first")
    queue_is_worked = serializers.SerializerMethodField(help_text="was a worker of the queue seen lately")
    sweep = serializers.SerializerMethodField(help_text="of a sweep its runs and their mean scores, by size")
    predictions = serializers.SerializerMethodField(help_text="partition -> address; empty until done")

    class Meta(RunSerializer.Meta):
        fields = [
            *RunSerializer.Meta.fields,
            "evaluations", "warnings", "progress", "queue_is_worked", "predictions", "sweep",
        ]  # fmt: skip

    def get_warnings(self, run: TrainingRun) -> list[str]:
        return run.warnings.splitlines()

    def get_progress(self, run: TrainingRun) -> dict[str, Any] | None:
        newest = run.lines.last()
        return None if newest is None else dict(ProgressSerializer(newest).data)

    def get_queue_is_worked(self, run: TrainingRun) -> bool:
        return bool(queues.working("training"))

    @extend_schema_field(SizeSerializer(many=True))
    def get_sweep(self, run: TrainingRun) -> list[dict[str, Any]]:
        return list(SizeSerializer(self.context["sweep"], many=True).data)

    def get_predictions(self, run: TrainingRun) -> dict[str, str]:
        address = reverse("api-run-predictions", kwargs={"pk": run.pk}, request=self.context["request"])
        parts = {one.partition for one in run.evaluations.all() if one.snapshot_id == run.snapshot_id}
        return {part: f"{address}?partition={part}" for part in sorted(parts - {"train"})}


class PredictionsQuery(QuerySerializer):
    partition = serializers.ChoiceField(choices=PARTITION_CHOICES, default="test")
    cursor = serializers.IntegerField(default=0, min_value=0, max_value=2**62)
    page_size = serializers.IntegerField(default=100, min_value=1, max_value=MOST_PREDICTIONS)


class PredictionSerializer(serializers.Serializer):
    pairID = serializers.CharField()
    gold = serializers.CharField()
    predicted = serializers.CharField()
    probabilities = serializers.DictField(child=serializers.FloatField())
    genre = serializers.CharField()


class PredictionsSerializer(serializers.Serializer):
    next = serializers.URLField(allow_null=True)
    results = PredictionSerializer(many=True)
