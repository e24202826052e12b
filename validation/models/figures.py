"""Figures that a worker counts, with their date."""

from datetime import timedelta

from django.db import models
from django.db.models import Q
from django.utils import timezone

from validation.models.questions import Question

PATIENCE = timedelta(minutes=2)


class Figures(models.Model):
    """Figures about a question that take too long for a page: asked for, counted by a worker, shown with their date.

    Nothing but a cache: what is counted anew takes the place of what was here.
    """

    class Kind(models.TextChoices):
        AGREEMENT = "agreement", "agreement"
        PAIRWISE = "pairwise", "kappa of every two annotators"
        ANNOTATORS = "annotators", "figures and flags of annotators"
        MODELS = "models", "models of reliability"

    question = models.ForeignKey(Question, on_delete=models.CASCADE, related_name="figures")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    by = models.CharField(max_length=20, blank=True, help_text="the dimension of agreement, if one")
    requested_at = models.DateTimeField(null=True, blank=True, help_text="empty: nobody waits for them")
    started_at = models.DateTimeField(null=True, blank=True, help_text="when a worker took the request up")
    percent_done = models.PositiveSmallIntegerField(default=0, help_text="of the count that is going on")
    made_at = models.DateTimeField(null=True, blank=True)
    content = models.TextField(
        blank=True, help_text="JSON, as text: PostgreSQL's own type loses the order of keys"
    )
    error = models.TextField(blank=True, help_text="why the last request came to nothing")

    class Meta:
        verbose_name_plural = "figures"
        constraints = [
            models.UniqueConstraint(fields=["question", "kind", "by"], name="one_row_of_figures_a_kind"),
            models.CheckConstraint(
                condition=Q(kind__in=["agreement", "pairwise", "annotators", "models"]),
                name="kind_of_figures_is_known",
            ),
            models.CheckConstraint(
                condition=Q(by="") | Q(kind="agreement"), name="only_agreement_goes_by_something"
            ),
            models.CheckConstraint(
                condition=Q(content="", made_at=None) | ~Q(content="") & Q(made_at__isnull=False),
                name="figures_have_their_date",
            ),
            models.CheckConstraint(
                condition=Q(started_at=None) | Q(requested_at__isnull=False),
                name="only_what_is_asked_for_is_started",
            ),
            models.CheckConstraint(
                condition=Q(percent_done=0) | Q(started_at__isnull=False) & Q(percent_done__lte=100),
                name="only_what_is_started_is_partly_done",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.question} {self.kind}"

    @property
    def waits_in_vain(self) -> bool:
        """Has nobody taken the request up for longer than the sweep needs?"""
        asked = self.requested_at
        return asked is not None and self.started_at is None and timezone.now() - asked > PATIENCE
