"""What is collected: corpora, genres, prompts, premises, writing, pairs."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from accounts.models import ConsentForm, new_token
from collection.labels import SCHEME_CHOICES, SCHEMES, label_fits_scheme
from collection.querysets import (
    PairQuerySet,
    PremiseQuerySet,
    ProblemReportQuerySet,
    SeatQuerySet,
    WritingAssignmentQuerySet,
)

PARTITIONS = ("train", "dev", "test")
PARTITION_CHOICES = [(name, name) for name in PARTITIONS]


class Corpus(models.Model):
    """One corpus, with the settings that its file states."""

    class Protocol(models.TextChoices):
        ELICITED = "elicited", "elicited: a person wrote the hypothesis for a label"
        JUDGED = "judged", "judged: paired by machine, labelled by people"
        RECAST = "recast", "recast: made from another task's annotation"

    slug = models.SlugField(max_length=60, unique=True)
    name = models.CharField(max_length=200)
    description = models.TextField(blank=True, help_text="Markdown")
    scheme = models.CharField(max_length=20, choices=SCHEME_CHOICES, default="nli3")
    protocol = models.CharField(max_length=10, choices=Protocol.choices, default=Protocol.ELICITED)
    language = models.CharField(max_length=35, default="en", help_text="BCP 47, such as en or ar")
    licence = models.CharField(max_length=100, blank=True)
    made_for_demo = models.BooleanField(default=False)
    consent_form = models.ForeignKey(ConsentForm, on_delete=models.PROTECT, null=True, blank=True)
    writers_per_premise = models.PositiveSmallIntegerField(default=1)
    min_hypothesis_chars = models.PositiveSmallIntegerField(default=1)
    max_hypothesis_chars = models.PositiveSmallIntegerField(default=1000)
    dev_pairs_per_genre = models.PositiveIntegerField(default=0)
    test_pairs_per_genre = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "corpora"
        constraints = [
            models.CheckConstraint(condition=Q(scheme__in=list(SCHEMES)), name="scheme_is_known"),
            models.CheckConstraint(
                condition=Q(protocol__in=["elicited", "judged", "recast"]), name="protocol_is_known"
            ),
            models.CheckConstraint(
                condition=Q(min_hypothesis_chars__gte=1)
                & Q(max_hypothesis_chars__gte=F("min_hypothesis_chars")),
                name="hypothesis_limits_make_sense",
            ),
        ]

    def __str__(self) -> str:
        return self.slug

    @property
    def labels(self) -> tuple[str, ...]:
        return SCHEMES[self.scheme]


class Prompt(models.Model):
    """The instructions around a premise, for a group of genres. What it says is in its versions."""

    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="prompts")
    slug = models.SlugField(max_length=60)
    name = models.CharField(max_length=200)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["corpus", "slug"], name="prompt_slug_unique_in_corpus")
        ]

    def __str__(self) -> str:
        return self.name


class PromptVersion(models.Model):
    """The wording at one time. Never edited once somebody wrote under it: a change is a new version."""

    prompt = models.ForeignKey(Prompt, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    instructions = models.TextField(help_text="Markdown")
    pay_cents = models.PositiveIntegerField(default=0, help_text="for the three hypotheses of one premise")
    seconds = models.PositiveIntegerField(default=120, help_text="expected time for one premise")
    digest = models.CharField(max_length=64, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["prompt", "number"], name="prompt_version_unique")]

    def __str__(self) -> str:
        return f"{self.prompt} (version {self.number})"


class PromptField(models.Model):
    """One text field of the writing page: which label, in which words, in which place."""

    version = models.ForeignKey(PromptVersion, on_delete=models.CASCADE, related_name="fields")
    order = models.PositiveSmallIntegerField()
    label = models.CharField(max_length=20)
    wording = models.TextField()
    reminder = models.CharField(max_length=200, blank=True)

    class Meta:
        ordering = ["order"]
        constraints = [
            models.UniqueConstraint(fields=["version", "order"], name="one_field_a_place"),
            models.UniqueConstraint(fields=["version", "label"], name="one_field_a_label"),
        ]


class WorkedExample(models.Model):
    """A premise, a label, and a hypothesis that fits it, shown with the prompt."""

    version = models.ForeignKey(PromptVersion, on_delete=models.CASCADE, related_name="examples")
    order = models.PositiveSmallIntegerField()
    premise = models.TextField()
    label = models.CharField(max_length=20)
    hypothesis = models.TextField()
    comment = models.TextField(blank=True)

    class Meta:
        ordering = ["order"]
        constraints = [models.UniqueConstraint(fields=["version", "order"], name="one_example_a_place")]


class FaqEntry(models.Model):
    version = models.ForeignKey(PromptVersion, on_delete=models.CASCADE, related_name="faq")
    order = models.PositiveSmallIntegerField()
    question = models.TextField()
    answer = models.TextField(help_text="Markdown")

    class Meta:
        ordering = ["order"]
        constraints = [models.UniqueConstraint(fields=["version", "order"], name="one_faq_entry_a_place")]


class Genre(models.Model):
    """A kind of text. Genres outside training make the mismatched parts of dev and test."""

    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="genres")
    slug = models.SlugField(max_length=60)
    name = models.CharField(max_length=200)
    register = models.CharField(max_length=20, blank=True, help_text="written or spoken")
    in_training = models.BooleanField(default=True)
    prompt = models.ForeignKey(Prompt, on_delete=models.PROTECT, null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["corpus", "slug"], name="genre_slug_unique_in_corpus")]

    def __str__(self) -> str:
        return self.name


class Source(models.Model):
    """A file that premises or pairs came from: provenance and licence."""

    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="sources")
    name = models.CharField(max_length=300)
    sha256 = models.CharField(max_length=64)
    licence = models.CharField(max_length=200, blank=True)
    imported_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["corpus", "name", "sha256"], name="source_file_known_once")
        ]

    def __str__(self) -> str:
        return self.name


class Premise(models.Model):
    """What is given: one sentence, or several about one scene (one a line of `text`)."""

    class Status(models.TextChoices):
        OPEN = "open"
        PAUSED = "paused"
        DROPPED = "dropped"

    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="premises")
    genre = models.ForeignKey(Genre, on_delete=models.PROTECT, related_name="premises")
    source = models.ForeignKey(Source, on_delete=models.PROTECT, null=True, blank=True)
    document = models.CharField(max_length=300, blank=True, help_text="the text, image or file it stands in")
    line = models.PositiveIntegerField(null=True, blank=True, help_text="its line in the source file")
    public_id = models.CharField(max_length=200)
    group = models.CharField(max_length=300, help_text="premises of one group share a partition")
    text = models.TextField()
    sentence_count = models.PositiveSmallIntegerField(default=1)
    digest = models.CharField(max_length=64, editable=False)
    status = models.CharField(max_length=7, choices=Status.choices, default=Status.OPEN)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = PremiseQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["genre", "digest"], name="premise_unique_in_genre"),
            models.UniqueConstraint(fields=["corpus", "public_id"], name="premise_id_unique_in_corpus"),
            models.CheckConstraint(condition=~Q(text=""), name="premise_not_empty"),
            models.CheckConstraint(condition=Q(sentence_count__gte=1), name="premise_has_a_sentence"),
            models.CheckConstraint(
                condition=Q(status__in=["open", "paused", "dropped"]), name="premise_status_is_known"
            ),
        ]

    def __str__(self) -> str:
        return self.public_id

    @property
    def sentences(self) -> list[str]:
        """One string a sentence. A single sentence is taken as it is, line breaks and all."""
        return [self.text] if self.sentence_count == 1 else self.text.split("\n")


class WritingSeat(models.Model):
    """A seat for one writer at one premise: what is scarce in collection, one row each.

    Empty, or held by an annotator until a moment; submitted once. The lease stays as history.
    """

    premise = models.ForeignKey(Premise, on_delete=models.PROTECT, related_name="seats")
    position = models.PositiveSmallIntegerField()
    genre = models.ForeignKey(Genre, on_delete=models.PROTECT)
    turn = models.PositiveIntegerField(help_text="the order in which seats are handed out")
    annotator = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True)
    leased_until = models.DateTimeField(null=True, blank=True)
    submitted_at = models.DateTimeField(null=True, blank=True)

    objects = SeatQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["premise", "position"], name="one_seat_a_premise_and_position"),
            models.UniqueConstraint(
                fields=["premise", "annotator"],
                condition=Q(annotator__isnull=False),
                name="one_seat_a_premise_and_annotator",
            ),
            models.CheckConstraint(
                condition=Q(annotator=None, leased_until=None)
                | Q(annotator__isnull=False, leased_until__isnull=False),
                name="writing_lease_has_annotator_and_end",
            ),
            models.CheckConstraint(
                condition=Q(submitted_at=None) | Q(annotator__isnull=False), name="written_by_somebody"
            ),
        ]
        indexes = [
            models.Index(
                fields=["genre", "turn"], condition=Q(submitted_at=None), name="unwritten_seats_in_turn"
            )
        ]


class WritingAssignment(models.Model):
    """One premise handed to one annotator. What was handed out stays known."""

    class Outcome(models.TextChoices):
        SUBMITTED = "submitted"
        SURPLUS = "surplus", "surplus: somebody else finished the premise first"
        SKIPPED = "skipped"
        REPORTED = "reported", "reported as a problem"
        EXPIRED = "expired"

    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT)
    annotator = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    seat = models.ForeignKey(WritingSeat, on_delete=models.PROTECT, related_name="assignments")
    prompt_version = models.ForeignKey(PromptVersion, on_delete=models.PROTECT)
    token = models.CharField(max_length=22, unique=True, default=new_token, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    closed_at = models.DateTimeField(null=True, blank=True)
    outcome = models.CharField(max_length=9, choices=Outcome.choices, blank=True)

    objects = WritingAssignmentQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["annotator", "corpus"],
                condition=Q(closed_at=None),
                name="one_open_writing_assignment_an_annotator",
            ),
            models.CheckConstraint(
                condition=Q(closed_at=None, outcome="") | (Q(closed_at__isnull=False) & ~Q(outcome="")),
                name="closed_writing_assignment_has_an_outcome",
            ),
        ]


class ProblemReport(models.Model):
    """What an annotator found wrong with a premise or a task."""

    assignment = models.ForeignKey(WritingAssignment, on_delete=models.PROTECT, related_name="reports")
    text = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True)
    answer = models.TextField(blank=True)
    answered_at = models.DateTimeField(null=True, blank=True)

    objects = ProblemReportQuerySet.as_manager()

    class Meta:
        constraints = [models.CheckConstraint(condition=~Q(text=""), name="problem_report_not_empty")]

    def __str__(self) -> str:
        return f"report {self.pk}"


class Pair(models.Model):
    """One premise with one hypothesis."""

    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="pairs")
    premise = models.ForeignKey(Premise, on_delete=models.PROTECT, related_name="pairs")
    hypothesis = models.TextField(blank=True)
    public_id = models.CharField(max_length=200, default=new_token)
    scheme = models.CharField(max_length=20, choices=SCHEME_CHOICES)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="pairs"
    )
    author_label = models.CharField(max_length=20, null=True, blank=True)
    published_label = models.CharField(
        max_length=20, null=True, blank=True, help_text="a gold label that came without its votes"
    )
    published_partition = models.CharField(max_length=5, choices=PARTITION_CHOICES, null=True, blank=True)
    prompt_version = models.ForeignKey(PromptVersion, on_delete=models.PROTECT, null=True, blank=True)
    assignment = models.ForeignKey(
        WritingAssignment, on_delete=models.PROTECT, null=True, blank=True, related_name="pairs"
    )
    source = models.ForeignKey(Source, on_delete=models.PROTECT, null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    withdrawn_because = models.CharField(max_length=200, blank=True)

    objects = PairQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["corpus", "public_id"], name="pair_id_unique_in_corpus"),
            models.CheckConstraint(
                condition=label_fits_scheme("scheme", "author_label"), name="author_label_fits_scheme"
            ),
            models.CheckConstraint(
                condition=label_fits_scheme("scheme", "published_label"), name="published_label_fits_scheme"
            ),
            models.CheckConstraint(
                condition=Q(published_partition=None) | Q(published_partition__in=PARTITIONS),
                name="published_partition_is_known",
            ),
            # Published corpora hold a few empty hypotheses; nobody may write one here.
            models.CheckConstraint(
                condition=Q(assignment=None) | ~Q(hypothesis=""), name="written_hypothesis_not_empty"
            ),
            models.CheckConstraint(
                condition=Q(withdrawn_at=None) | ~Q(withdrawn_because=""), name="withdrawn_for_a_reason"
            ),
        ]
        indexes = [models.Index(fields=["corpus", "id"], name="pairs_of_corpus_by_key")]

    def __str__(self) -> str:
        return self.public_id


class Parse(models.Model):
    """Parses that came with a published corpus, kept for its files."""

    pair = models.OneToOneField(Pair, on_delete=models.PROTECT, related_name="parse")
    premise_parse = models.TextField(blank=True)
    premise_binary_parse = models.TextField(blank=True)
    hypothesis_parse = models.TextField(blank=True)
    hypothesis_binary_parse = models.TextField(blank=True)
