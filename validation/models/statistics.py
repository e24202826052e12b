"""Statistics that a worker computes, with their date."""

from django.db import models
from django.db.models import Q

from jobs.models import Job, job_constraints
from jobs.querysets import JobQuerySet
from shared.constraints import check, unique
from validation.models.questions import Question


class CachedStatistics(Job):
    """Statistics about a question that take too long for a page. A worker computes them, pages show them with their date.

    The row is a cache and nothing else: a new result replaces the old one, which stays until then.
    """

    PRIORITY, WORK = 1, "validation.statistics.cached.carry_out"
    DONE, STOPPED = "idle", "idle"

    class Kind(models.TextChoices):
        AGREEMENT = "agreement", "agreement"
        PAIRWISE = "pairwise", "kappa of every two annotators"
        ANNOTATORS = "annotators", "statistics and flags of annotators"
        MODELS = "models", "models of reliability"
        CELLS = "cells", "agreement by two properties"
        WITHOUT = "without", "agreement of a week without each person and genre"
        FINISHED = "finished", "how far each genre is"
        EXAMPLES = "examples", "typical and disputed pairs"
        CROSS_TABLE = "cross", "answers to a question beside gold labels"
        BIAS = "bias", "what hypotheses give away"
        ALARM = "alarm", "where a word tells the label"
        OVERVIEW = "overview", "the corpus at a glance"
        PAIRS = "pairs", "pairs by genre, labels and votes"
        WAGES = "wages", "hourly pay and money by day"

    class Status(models.TextChoices):
        REQUESTED = "requested"
        WORKING = "working"
        IDLE = "idle", "nobody waits for them"
        FAILED = "failed"

    status = models.CharField(max_length=9, choices=Status.choices, default=Status.IDLE)
    question = models.ForeignKey(Question, on_delete=models.CASCADE, related_name="cached_statistics")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    by = models.CharField(max_length=20, blank=True, help_text="the dimension of its groups, if it has any")
    made_at = models.DateTimeField(null=True, blank=True)
    content = models.TextField(
        blank=True, help_text="JSON, as text: PostgreSQL's own type loses the order of keys"
    )

    # A counter and no time: what changes while a worker computes may be committed before or after the worker reads it.
    changes = models.PositiveIntegerField(
        default=0,
        help_text="changes of labels that no closed batch shows: imports, withdrawals, exclusions, adjudications",
    )
    changes_counted = models.PositiveIntegerField(
        default=0, help_text="`changes` when the last computation began"
    )

    # Set by cached.stored: the content is of another version of the code, so no page shows it.
    is_outdated = False

    objects = JobQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "cached statistics"
        constraints = [
            *job_constraints("figures"),
            unique("one_row_of_figures_a_kind", "question", "kind", "by"),
            check(
                "kind_of_figures_is_known",
                Q(
                    kind__in=[
                        *("agreement", "pairwise", "annotators", "models", "cross", "bias", "overview"),
                        *("pairs", "wages", "cells", "without", "finished", "examples", "alarm"),
                    ]
                ),
            ),
            check(
                "kind_goes_by_something",
                Q(by="") | Q(kind__in=["agreement", "cross", "bias", "cells", "without", "examples"]),
            ),
            check("kind_goes_by_its_parts", ~Q(kind__in=["cells", "without"], by="")),
            check(
                "figures_have_their_date",
                Q(content="", made_at=None) | ~Q(content="") & Q(made_at__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.question} {self.kind}"

    @property
    def is_stale(self) -> bool:
        """Returns whether labels have changed since the computation, other than by closed batches."""
        return self.changes != self.changes_counted

    @property
    def is_being_counted(self) -> bool:
        return self.status == self.WORKING

    @property
    def percent_done(self) -> int:
        return int(100 * self.share)
