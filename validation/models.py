"""What is asked about pairs, the seats for answers, and the answers."""

from datetime import timedelta

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from accounts.models import Qualification, new_token
from collection.labels import SCHEME_CHOICES, SCHEMES, label_fits_scheme
from collection.models import Corpus, Pair, Premise
from validation.querysets import LabelQuerySet

PATIENCE = timedelta(minutes=2)


class Question(models.Model):
    """What is asked about the pairs of a corpus. Its main question decides the gold labels."""

    class GoldRule(models.TextChoices):
        """How the labels of the seats become the gold label; validation/gold.py does it."""

        MAJORITY = "majority", "majority: the label with at least `threshold` of the seats"
        # MPE (Lai et al. 2017) section 4.2: 2-2-1 and 3-2 between entailment and contradiction.
        ADJUDICATED = (
            "adjudicated",
            "adjudicated: the majority; a researcher decides where there is none, and where entailment and"
            " contradiction share all the votes with at least two each",
        )
        # Relation extraction in the DNC (Poliak et al. 2018), appendix B.4. Its text has the two sides of the
        # scale reversed; its files have them as here.
        UNANIMOUS = (
            "unanimous",
            "unanimous: kept only where all judgements, at least `threshold`, are the same; of a five-point"
            " scale 5 is entailed and 1 to 4 are not",
        )

    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="questions")
    slug = models.SlugField(max_length=60, default="main")
    is_main = models.BooleanField(default=True)
    scheme = models.CharField(max_length=20, choices=SCHEME_CHOICES)
    wording = models.TextField(blank=True)
    instructions = models.TextField(blank=True, help_text="Markdown")
    seats = models.PositiveSmallIntegerField(default=5, help_text="labels a pair, the author's own included")
    threshold = models.PositiveSmallIntegerField(default=3)
    gold_rule = models.CharField(max_length=20, choices=GoldRule.choices, default=GoldRule.MAJORITY)
    batch_size = models.PositiveSmallIntegerField(default=5)
    pay_cents = models.PositiveIntegerField(default=0, help_text="for one label")
    seconds = models.PositiveIntegerField(default=12, help_text="expected time for one label")
    pool_is_open = models.BooleanField(default=True, help_text="may every annotator join, or only members")
    qualification = models.ForeignKey(
        Qualification,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        help_text="who is not invited must hold it; an exam gives it",
    )
    hides_premise = models.BooleanField(default=False, help_text="the sentence is judged by itself")
    by_sentence = models.BooleanField(
        default=False, help_text="each sentence of the premise is judged by itself"
    )
    most_labels = models.PositiveSmallIntegerField(
        default=100,
        help_text="the most labels a pair can get when more are asked for where the first ones split",
    )
    control_bonus_cents = models.PositiveIntegerField(
        default=100, help_text="for agreeing with the expert's label of a control item"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["corpus", "slug"], name="question_slug_unique_in_corpus"),
            models.UniqueConstraint(
                fields=["corpus"], condition=Q(is_main=True), name="one_main_question_a_corpus"
            ),
            models.CheckConstraint(condition=Q(scheme__in=list(SCHEMES)), name="question_scheme_is_known"),
            # With half the seats or fewer, two labels could both reach the threshold.
            models.CheckConstraint(
                condition=Q(seats__gte=1) & Q(seats__lt=F("threshold") * 2) & Q(threshold__lte=F("seats")),
                name="threshold_is_a_majority",
            ),
            models.CheckConstraint(condition=Q(batch_size__gte=1), name="batch_holds_a_pair"),
            models.CheckConstraint(
                condition=Q(gold_rule__in=["majority", "adjudicated", "unanimous"]), name="gold_rule_is_known"
            ),
            models.CheckConstraint(
                condition=~Q(gold_rule="adjudicated") | Q(scheme="nli3"), name="adjudicated_rule_is_for_nli3"
            ),
            models.CheckConstraint(
                condition=Q(is_main=False) | Q(by_sentence=False), name="main_question_is_about_the_whole"
            ),
            models.CheckConstraint(
                condition=Q(hides_premise=False) | Q(by_sentence=False), name="a_judged_sentence_is_shown"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.corpus}: {self.slug}"

    @property
    def labels(self) -> tuple[str, ...]:
        return SCHEMES[self.scheme]


class LabelWording(models.Model):
    """How a corpus words one label of its question, and in which place."""

    question = models.ForeignKey(Question, on_delete=models.CASCADE, related_name="label_wordings")
    order = models.PositiveSmallIntegerField()
    label = models.CharField(max_length=20)
    wording = models.CharField(max_length=200)
    help = models.TextField(blank=True)

    class Meta:
        ordering = ["order"]
        constraints = [
            models.UniqueConstraint(fields=["question", "order"], name="one_wording_a_place"),
            models.UniqueConstraint(fields=["question", "label"], name="one_wording_a_label"),
        ]


class QuestionExample(models.Model):
    question = models.ForeignKey(Question, on_delete=models.CASCADE, related_name="examples")
    order = models.PositiveSmallIntegerField()
    premise = models.TextField()
    hypothesis = models.TextField()
    label = models.CharField(max_length=20)
    comment = models.TextField(blank=True)

    class Meta:
        ordering = ["order"]
        constraints = [
            models.UniqueConstraint(fields=["question", "order"], name="one_question_example_a_place")
        ]


class QuestionCheck(models.Model):
    """One question of the short check after the instructions: which label fits this sentence?"""

    question = models.ForeignKey(Question, on_delete=models.CASCADE, related_name="check_questions")
    order = models.PositiveSmallIntegerField()
    premise = models.TextField()
    hypothesis = models.TextField()
    label = models.CharField(max_length=20)
    explanation = models.TextField(help_text="shown after a wrong answer")

    class Meta:
        ordering = ["order"]
        constraints = [
            models.UniqueConstraint(fields=["question", "order"], name="one_labelling_check_a_place")
        ]


class QuestionFaqEntry(models.Model):
    question = models.ForeignKey(Question, on_delete=models.CASCADE, related_name="faq")
    order = models.PositiveSmallIntegerField()
    text = models.TextField()
    answer = models.TextField(help_text="Markdown")

    class Meta:
        ordering = ["order"]
        constraints = [models.UniqueConstraint(fields=["question", "order"], name="one_question_faq_a_place")]


class Membership(models.Model):
    """Who is in a question's pool, and where in the order of seats they stand."""

    class Status(models.TextChoices):
        ACTIVE = "active"
        PAUSED = "paused"
        EXCLUDED = "excluded"

    question = models.ForeignKey(Question, on_delete=models.PROTECT, related_name="memberships")
    annotator = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    status = models.CharField(max_length=8, choices=Status.choices, default=Status.ACTIVE)
    cursor = models.PositiveIntegerField(default=0, help_text="the turn of the last seat claimed")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["question", "annotator"], name="one_membership_a_question"),
            models.CheckConstraint(
                condition=Q(status__in=["active", "paused", "excluded"]), name="membership_status_is_known"
            ),
        ]


class Exclusion(models.Model):
    """A researcher's decision that somebody no longer labels a corpus. Undone by `undone_at`, never deleted.

    What it withdrew points to it (`Label.exclusion`), so that undoing knows what to give back.
    """

    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="exclusions")
    annotator = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="exclusions"
    )
    reason = models.TextField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()
    retracts_pairs = models.BooleanField(default=False, help_text="the pairs that they wrote go too")
    undone_at = models.DateTimeField(null=True, blank=True)
    undone_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["corpus", "annotator"],
                condition=Q(undone_at=None),
                name="one_standing_exclusion_a_corpus",
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="excluded_for_a_reason"),
            models.CheckConstraint(
                condition=Q(undone_at=None, undone_by=None)
                | Q(undone_at__isnull=False, undone_by__isnull=False),
                name="undone_by_somebody",
            ),
        ]


class Label(models.Model):
    """A seat for one judgement of one pair, and the judgement.

    `author` and `premise` are copies of the pair's immutable facts: constraints and the claim
    need them in this row.
    """

    class Origin(models.TextChoices):
        AUTHOR = "author", "the author's own label"
        CAST = "cast", "cast by a validator"
        IMPORTED = "imported", "came with a published corpus"
        EXPERT = "expert", "a researcher's label for a control item"
        MODEL = "model", "a model's label, which counts nowhere"

    question = models.ForeignKey(Question, on_delete=models.PROTECT, related_name="judgements")
    pair = models.ForeignKey(Pair, on_delete=models.PROTECT, related_name="labels")
    premise = models.ForeignKey(Premise, on_delete=models.PROTECT, related_name="+", db_index=False)
    sentence = models.PositiveSmallIntegerField(default=0, help_text="0: the whole premise")
    position = models.PositiveSmallIntegerField(null=True, blank=True)
    scheme = models.CharField(max_length=20, choices=SCHEME_CHOICES)
    origin = models.CharField(max_length=8, choices=Origin.choices, default=Origin.CAST)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        db_index=False,
    )
    turn = models.PositiveIntegerField(
        null=True, blank=True, help_text="the order in which seats are handed out"
    )
    token = models.CharField(max_length=22, default=new_token, editable=False)
    annotator = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="labels",
        db_index=False,  # `labels_by_annotator` begins with it
    )
    leased_until = models.DateTimeField(null=True, blank=True)
    label = models.CharField(max_length=20, null=True, blank=True)
    reason = models.TextField(blank=True, help_text="why, in the words of whoever gave the label")
    model = models.CharField(max_length=100, blank=True, help_text="the model whose label this is")
    cast_at = models.DateTimeField(null=True, blank=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    withdrawn_because = models.CharField(max_length=200, blank=True)
    exclusion = models.ForeignKey(
        "validation.Exclusion", on_delete=models.PROTECT, null=True, blank=True, related_name="labels"
    )

    objects = LabelQuerySet.as_manager()

    class Meta:
        # Every index is written for every label that is cast: there are those that something reads.
        constraints = [
            models.UniqueConstraint(fields=["token"], name="one_token_a_label"),
            models.UniqueConstraint(
                fields=["question", "pair", "sentence", "position"],
                condition=Q(withdrawn_at=None, position__isnull=False),
                name="one_label_a_seat",
            ),
            models.UniqueConstraint(
                fields=["question", "pair", "sentence", "annotator"],
                condition=Q(withdrawn_at=None, annotator__isnull=False)
                & ~Q(origin__in=["imported", "expert", "model"]),
                name="one_label_an_annotator_and_pair",
            ),
            models.CheckConstraint(
                condition=~Q(origin="cast") | Q(author=None) | Q(annotator=None) | ~Q(author=F("annotator")),
                name="author_never_validates_own_pair",
            ),
            models.CheckConstraint(condition=label_fits_scheme("scheme", "label"), name="label_fits_scheme"),
            models.CheckConstraint(
                condition=Q(origin__in=["author", "cast", "imported", "expert", "model"]),
                name="label_origin_is_known",
            ),
            models.CheckConstraint(
                condition=~Q(origin="cast")
                | Q(label=None, annotator=None, leased_until=None, cast_at=None)
                | Q(label=None, annotator__isnull=False, leased_until__isnull=False, cast_at=None)
                | Q(label__isnull=False, annotator__isnull=False, cast_at__isnull=False),
                name="seat_is_empty_leased_or_cast",
            ),
            models.CheckConstraint(
                condition=Q(origin="cast") | Q(label__isnull=False), name="only_seats_to_be_cast_wait"
            ),
            models.CheckConstraint(
                condition=~Q(origin="author") | Q(position=1), name="author_label_is_the_first"
            ),
            models.CheckConstraint(
                condition=~Q(origin__in=["expert", "model"]) | Q(position=None),
                name="expert_and_model_are_none_of_the_five",
            ),
            models.CheckConstraint(
                condition=Q(origin="model", annotator=None) & ~Q(model="") | ~Q(origin="model") & Q(model=""),
                name="model_label_names_its_model",
            ),
            models.UniqueConstraint(
                fields=["question", "pair", "sentence"],
                condition=Q(origin="expert", withdrawn_at=None),
                name="one_expert_label_a_pair",
            ),
            models.CheckConstraint(
                condition=Q(withdrawn_at=None) | ~Q(withdrawn_because=""), name="label_withdrawn_for_a_reason"
            ),
        ]
        indexes = [
            models.Index(
                fields=["question", "turn"],
                condition=Q(label=None, withdrawn_at=None, position__isnull=False),
                name="open_seats_in_turn",
            ),
            models.Index(fields=["annotator", "question", "premise"], name="labels_by_annotator"),
        ]

    def __str__(self) -> str:
        return self.token


class Assignment(models.Model):
    """One batch handed to one annotator."""

    question = models.ForeignKey(Question, on_delete=models.PROTECT)
    annotator = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    token = models.CharField(max_length=22, unique=True, default=new_token, editable=False)
    leased_until = models.DateTimeField()
    created_at = models.DateTimeField(auto_now_add=True)
    closed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["question", "annotator"],
                condition=Q(closed_at=None),
                name="one_open_batch_an_annotator",
            )
        ]


class BatchItem(models.Model):
    """One pair of a batch, and what became of it."""

    class SkipReason(models.TextChoices):
        UNCLEAR = "unclear", "I cannot tell what it means"
        LANGUAGE = "language", "It is not in the right language"
        UPSETTING = "upsetting", "I would rather not read this"
        OTHER = "other", "Another reason"

    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="items")
    seat = models.ForeignKey(Label, on_delete=models.PROTECT, related_name="handed_out")
    order = models.PositiveSmallIntegerField()
    answer = models.CharField(max_length=20, null=True, blank=True)
    active_ms = models.PositiveIntegerField(null=True, blank=True)
    skip_reason = models.CharField(max_length=10, choices=SkipReason.choices, null=True, blank=True)
    lost = models.BooleanField(
        default=False, help_text="the seat went to somebody else before an answer came"
    )

    class Meta:
        ordering = ["order"]
        constraints = [
            models.UniqueConstraint(fields=["assignment", "order"], name="one_item_a_place_in_batch"),
            models.UniqueConstraint(fields=["assignment", "seat"], name="one_item_a_seat_in_batch"),
        ]


class Adjudication(models.Model):
    """A researcher's decision where the votes did not decide. Never an edit of labels."""

    question = models.ForeignKey(Question, on_delete=models.PROTECT)
    pair = models.ForeignKey(Pair, on_delete=models.PROTECT, related_name="adjudications")
    scheme = models.CharField(max_length=20, choices=SCHEME_CHOICES)
    label = models.CharField(max_length=20)
    reason = models.TextField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["question", "pair"], name="one_adjudication_a_pair"),
            models.CheckConstraint(
                condition=label_fits_scheme("scheme", "label"), name="adjudicated_label_fits_scheme"
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="adjudicated_for_a_reason"),
        ]


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
        ]

    def __str__(self) -> str:
        return f"{self.question} {self.kind}"

    @property
    def waits_in_vain(self) -> bool:
        """Has nobody taken the request up for longer than the sweep needs?"""
        asked = self.requested_at
        return asked is not None and self.started_at is None and timezone.now() - asked > PATIENCE
