"""Writing: seats, tasks, drafts, advice, signals, problem reports."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy

from accounts.models import new_token
from collection.corpus_schema import EXPLAIN
from collection.models.corpora import Corpus, Genre, Prompt, PromptVersion
from collection.models.premises import Premise
from collection.models.querysets import ProblemReportQuerySet, SeatQuerySet, WritingAssignmentQuerySet
from shared.constraints import check, unique


class WritingSeat(models.Model):
    """A seat for one writer at one premise.

    It is empty, or leased to an annotator until `leased_until`, and submitted once. The last lease stays as history.
    """

    premise = models.ForeignKey(Premise, on_delete=models.PROTECT, related_name="seats")
    position = models.PositiveSmallIntegerField()
    is_pilot = models.BooleanField(
        default=False, help_text="for the pilots of a prompt, beside the real seats"
    )
    may_enter_train = models.BooleanField(
        default=False, db_default=False, help_text="pilots read that their sentences may become training data"
    )
    genre = models.ForeignKey(Genre, on_delete=models.PROTECT)
    turn = models.PositiveIntegerField(help_text="the order in which seats are handed out")
    annotator = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True)
    leased_until = models.DateTimeField(null=True, blank=True)
    submitted_at = models.DateTimeField(null=True, blank=True)

    objects = SeatQuerySet.as_manager()

    class Meta:
        constraints = [
            unique("one_seat_a_premise_and_position", "premise", "position", "is_pilot"),
            unique(
                "one_seat_a_premise_and_annotator", "premise", "annotator", where=Q(annotator__isnull=False)
            ),
            check(
                "writing_lease_has_annotator_and_end",
                Q(annotator=None, leased_until=None) | Q(annotator__isnull=False, leased_until__isnull=False),
            ),
            check("written_by_somebody", Q(submitted_at=None) | Q(annotator__isnull=False)),
            check("only_pilots_enter_train_later", Q(may_enter_train=False) | Q(is_pilot=True)),
        ]
        indexes = [
            models.Index(
                fields=["genre", "turn"], condition=Q(submitted_at=None), name="unwritten_seats_in_turn"
            )
        ]


WHY = "why-"  # before a label: the field in which a writer says why the sentence fits


class WritingAssignment(models.Model):
    """One premise that one annotator claimed. Never deleted."""

    class Outcome(models.TextChoices):
        SUBMITTED = "submitted"
        SURPLUS = "surplus", "surplus: somebody else finished the premise first"
        SKIPPED = "skipped"
        REPORTED = "reported", "reported as a problem"
        EXPIRED = "expired"

    SENT = (Outcome.SUBMITTED, Outcome.SURPLUS)  # tasks whose texts were sent: all of them are paid

    class SkipReason(models.TextChoices):
        UPSETTING = "upsetting", gettext_lazy("It upsets me")
        UNCLEAR = "unclear", gettext_lazy("I do not understand the text")
        HARD = "hard", gettext_lazy("I cannot think of sentences for it")
        OTHER = "other", gettext_lazy("Another reason")

    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT)
    annotator = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    seat = models.ForeignKey(WritingSeat, on_delete=models.PROTECT, related_name="assignments")
    prompt_version = models.ForeignKey(PromptVersion, on_delete=models.PROTECT)
    token = models.CharField(max_length=22, unique=True, default=new_token, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    closed_at = models.DateTimeField(null=True, blank=True)
    outcome = models.CharField(max_length=9, choices=Outcome.choices, blank=True)
    model_helped = models.BooleanField(
        default=False, help_text="the writer said that a language model helped"
    )
    skip_reason = models.CharField(max_length=9, choices=SkipReason.choices, blank=True)
    level_pay_cents = models.PositiveIntegerField(
        default=0,
        db_default=0,
        help_text="what the writer's level adds to the pay, as promised when it began",
    )

    objects = WritingAssignmentQuerySet.as_manager()

    class Meta:
        constraints = [
            unique(
                "one_open_writing_assignment_an_annotator", "annotator", "corpus", where=Q(closed_at=None)
            ),
            check(
                "closed_writing_assignment_has_an_outcome",
                Q(closed_at=None, outcome="") | (Q(closed_at__isnull=False) & ~Q(outcome="")),
            ),
            check(
                "only_skipped_writing_has_a_skip_reason",
                Q(skip_reason="")
                | Q(outcome="skipped", skip_reason__in=["upsetting", "unclear", "hard", "other"]),
            ),
        ]

    @property
    def pay_cents(self) -> int:
        """Returns what the task pays: by its prompt, and by the level that its writer had when it began."""
        return self.prompt_version.pay_cents + self.level_pay_cents

    @property
    def may_be_sent(self) -> bool:
        """Returns whether texts can still be submitted: the task is open or expired, neither skipped nor submitted."""
        return self.closed_at is None or self.outcome == self.Outcome.EXPIRED

    @property
    def labels(self) -> list[str]:
        """Returns the labels to write for, in the order of the fields."""
        return [entry.label for entry in self.prompt_version.fields.all()]

    @property
    def reasons(self) -> list[str]:
        """Returns the names of the fields for reasons; none under prompts that ask for none."""
        asks = self.prompt_version.mode == EXPLAIN
        return [f"{WHY}{label}" for label in self.labels] if asks else []

    @property
    def labels_on_page(self) -> list[str]:
        """Returns the labels in the order in which the page has their fields."""
        return [entry.label for entry in self.corpus.in_order(self.prompt_version.fields.all())]


class DraftText(models.Model):
    """The draft of one field of an unsent task, to be continued on any device; of a skipped one, to be read."""

    PROBLEM = "problem"  # the field for problem reports
    LONGEST_REASON = 1000  # characters of a reason that can be sent
    LONGEST = 10_000  # characters stored of one field; far beyond what can be sent

    assignment = models.ForeignKey(WritingAssignment, on_delete=models.CASCADE, related_name="drafts")
    label = models.CharField(max_length=20)
    text = models.TextField()
    saved_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [unique("one_draft_a_field", "assignment", "label")]


class AdviceGiven(models.Model):
    """One kind of advice on a submitted text; `refused`: the writer had to change the text."""

    assignment = models.ForeignKey(WritingAssignment, on_delete=models.PROTECT, related_name="advice")
    label = models.CharField(max_length=20)
    advice = models.CharField(max_length=30)
    refused = models.BooleanField()
    given_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [models.Index(fields=["advice", "refused"], name="advice_by_kind")]


class WritingSignals(models.Model):
    """Signals of how a task was typed. Researchers read them; no rule uses them."""

    assignment = models.OneToOneField(WritingAssignment, on_delete=models.PROTECT, related_name="signals")
    active_ms = models.PositiveIntegerField(
        default=0, help_text="time with the page in front, idle time left out"
    )
    keystrokes = models.PositiveIntegerField(default=0)
    pastes = models.PositiveIntegerField(default=0)
    pasted_chars = models.PositiveIntegerField(default=0)
    bursts = models.PositiveIntegerField(
        default=0, db_default=0, help_text="runs of changes without a pause of two seconds; 0: not measured"
    )
    inserted_chars = models.PositiveIntegerField(
        default=0, db_default=0, help_text="that came at once, more than 25, and were not pasted"
    )


class PromptReading(models.Model):
    """One person's reading of a prompt version, and the result of its short check."""

    annotator = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    version = models.ForeignKey(PromptVersion, on_delete=models.PROTECT, related_name="readings")
    tries = models.PositiveSmallIntegerField(default=0)
    passed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [unique("one_reading_a_person_and_version", "annotator", "version")]


class PilotWriter(models.Model):
    """Somebody who may write under a prompt while it is piloted."""

    prompt = models.ForeignKey(Prompt, on_delete=models.CASCADE, related_name="pilots")
    annotator = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    chosen_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [unique("pilot_chosen_once", "prompt", "annotator")]


class ArmDraw(models.Model):
    """The arm of a prompt to which a writer belongs, for good, or a premise, until the arm is closed."""

    root = models.ForeignKey(Prompt, on_delete=models.CASCADE, related_name="draws", db_index=False)
    arm = models.ForeignKey(Prompt, on_delete=models.PROTECT, related_name="drawn")
    annotator = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True)
    premise = models.ForeignKey(Premise, on_delete=models.PROTECT, null=True, blank=True)
    drawn_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            check(
                "arm_is_of_a_writer_or_a_premise",
                Q(annotator=None, premise__isnull=False) | Q(annotator__isnull=False, premise=None),
            ),
            unique("one_arm_a_writer", "root", "annotator", where=Q(annotator__isnull=False)),
            unique("one_arm_a_premise", "root", "premise", where=Q(premise__isnull=False)),
        ]


class ProblemReport(models.Model):
    """An annotator's report of a problem with a premise or a task."""

    assignment = models.ForeignKey(WritingAssignment, on_delete=models.PROTECT, related_name="reports")
    text = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True)
    answer = models.TextField(blank=True)
    answered_at = models.DateTimeField(null=True, blank=True)
    answered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )

    objects = ProblemReportQuerySet.as_manager()

    class Meta:
        constraints = [check("problem_report_not_empty", ~Q(text=""))]

    def __str__(self) -> str:
        return f"report {self.pk}"
