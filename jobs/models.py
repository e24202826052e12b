"""The columns that every background job has, and the heartbeat of the clock."""

from datetime import timedelta

from django.db import models
from django.db.models import Q
from django.utils import timezone

from shared.constraints import check

WAITING_FOR_A_WORKER = "waiting for a worker"
# Longer than a sweep needs to send a lost message again.
PATIENCE = timedelta(minutes=1)


class Job(models.Model):
    """A row that is a job: it waits, one worker claims it, and it ends done or failed.

    Each kind of job is a table with these columns, a JobQuerySet as manager, and a `status` in its own words. The class
    names those words in WAITING, WORKING, DONE and FAILED (docs/decisions/0008-a-job-is-a-row.md).
    """

    QUEUE = "general"
    PRIORITY = 0  # the lowest is claimed first: what a person asked for goes before what the site counts again by itself
    # Dotted names of functions in other apps: `work(pk, row=...)` carries out the job that was claimed as `row`,
    # `after_failure(row)` runs in the transaction that fails it.
    WORK = ""
    AFTER_FAILURE = ""
    WAITING, WORKING, DONE, FAILED = "requested", "working", "done", "failed"
    # A kind without a word of its own for stopped jobs calls them failed, with a sentence that says who stopped them.
    STOPPED = "failed"
    STOPS_ITSELF = False  # whether its worker finishes a checkpoint or a portion first (claims.stop)
    AGAIN = "ask again"  # what a person does after a failure

    claimed_by = models.CharField(max_length=32, blank=True, editable=False, help_text="token of the claim")
    worker = models.CharField(max_length=200, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0, help_text="claims since it was asked for")
    progress = models.CharField(max_length=200, blank=True)
    share = models.FloatField(default=0, help_text="how much of it is done, from 0 to 1")
    stop_requested = models.BooleanField(default=False)
    error = models.TextField(blank=True, help_text="why it failed, for a person")
    # The first time is its place in the queue and stays when a worker gives it back, or when a training is resumed; the
    # second begins anew. `started_at` is empty until it is claimed after a request.
    requested_at = models.DateTimeField(default=timezone.now)
    queued_at = models.DateTimeField(default=timezone.now, editable=False, help_text="since when it waits")
    started_at = models.DateTimeField(null=True, blank=True, help_text="when it was last claimed")
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True

    @classmethod
    def are_under_way(cls) -> tuple[str, str]:
        """Returns the states of a job that waits for a worker or has one."""
        return cls.WAITING, cls.WORKING

    @property
    def is_under_way(self) -> bool:
        return self.status in self.are_under_way()  # type: ignore[attr-defined]

    @property
    def waits_in_vain(self) -> bool:
        """Whether it has waited longer than a sweep needs to find it."""
        waiting = self.status == self.WAITING  # type: ignore[attr-defined]
        return waiting and timezone.now() - self.queued_at > PATIENCE

    def advice(self) -> str:
        """Returns what to try when the job kills each worker that claims it."""
        return ""


def job_constraints(name: str, working: str = "working") -> list[models.CheckConstraint]:
    """Returns the constraints of one kind of job. Their names begin with `name`.

    A claimed job needs a heartbeat: without one it would never become stale, and nobody could claim it again.
    """
    claimed = ~Q(claimed_by="") & Q(heartbeat_at__isnull=False, started_at__isnull=False)
    return [
        check(
            f"{name}_is_claimed_while_worked_on",
            (Q(status=working) & claimed) | (~Q(status=working) & Q(claimed_by="")),
        ),
        check(f"failed_{name}_says_why", ~Q(status="failed") | ~Q(error="")),
        check(f"{name}_share_is_one", Q(share__gte=0, share__lte=1)),
    ]


class Clock(models.Model):
    """When Celery beat last sent a sweep. The table has one row."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    seen_at = models.DateTimeField()

    class Meta:
        constraints = [check("one_clock", Q(id=1))]
