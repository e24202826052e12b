"""Questions about the pairs of a corpus, their wording, their instructions, who has read these, and who is in their pool."""

from dataclasses import replace

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext

import nli.gold
from accounts.models import Qualification
from collection.corpus_schema import SideQuestionPart
from collection.models import PARTITION_CHOICES, PARTITIONS, Corpus, Exclusion
from nli.gold import Rule
from nli.labels import SCHEME_CHOICES, SCHEMES
from schemas.base import default_of
from shared.constraints import RowExists, check, unique


class Question(models.Model):
    """A question about the pairs of a corpus. The main question decides the gold labels."""

    class GoldRule(models.TextChoices):
        """How the labels of the seats become the gold label; see nli.gold.Rule."""

        MAJORITY = (
            nli.gold.MAJORITY,
            "majority: the label with at least as many votes as the threshold",
        )
        # MPE (Lai et al. 2017) section 4.2: 2-2-1 and 3-2 between entailment and contradiction.
        ADJUDICATED = (
            nli.gold.ADJUDICATED,
            "adjudicated: the majority; a researcher decides if there is none, or if entailment and contradiction"
            " share all the votes with at least two each",
        )
        # Relation extraction in the DNC (Poliak et al. 2018), appendix B.4. Its text has the two sides of the
        # scale reversed; its files have them as here.
        UNANIMOUS = (
            nli.gold.UNANIMOUS,
            "unanimous: the label that all votes share, if they are at least as many as the threshold; on the scale of"
            " five points, 5 means entailed and 1 to 4 mean not entailed",
        )
        # Published corpora whose answers vary in number, in no order that means anything (CommitmentBank).
        OF_ALL = (
            nli.gold.OF_ALL,
            "majority of all: the label of more than half of all answers to the pair, however many these are",
        )

    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="questions")
    slug = models.SlugField(max_length=60, default="main")
    is_main = models.BooleanField(default=True)
    scheme = models.CharField(max_length=20, choices=SCHEME_CHOICES)
    wording = models.TextField(blank=True)
    wording_came = models.BooleanField(
        default=False, help_text="whether a file of pairs brought the wording that its annotators read"
    )
    instructions = models.TextField(blank=True, help_text="Markdown")
    seats = models.PositiveSmallIntegerField(
        default=default_of(SideQuestionPart, "seats"), help_text="labels per pair, including the author's"
    )
    threshold = models.PositiveSmallIntegerField(default=default_of(SideQuestionPart, "threshold"))
    gold_rule = models.CharField(
        max_length=20, choices=GoldRule.choices, default=default_of(SideQuestionPart, "gold_rule")
    )
    batch_size = models.PositiveSmallIntegerField(default=default_of(SideQuestionPart, "batch_size"))
    pay_cents = models.PositiveIntegerField(
        default=default_of(SideQuestionPart, "pay_cents"), help_text="for one label"
    )
    reading_pay_cents = models.PositiveIntegerField(
        default=default_of(SideQuestionPart, "reading_pay_cents"), help_text="once, for the instructions"
    )
    seconds = models.PositiveIntegerField(
        default=default_of(SideQuestionPart, "seconds"), help_text="expected time for one label"
    )
    correct_minutes = models.PositiveIntegerField(
        default=default_of(SideQuestionPart, "correct_minutes"),
        help_text="how long annotators may correct a label that they sent; 0: not at all",
    )
    pool_is_open = models.BooleanField(
        default=default_of(SideQuestionPart, "pool_is_open"),
        help_text="whether every annotator may join, or only invited ones",
    )
    qualification = models.ForeignKey(
        Qualification,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        help_text="annotators without an invitation must hold it; an exam grants it",
    )
    hides_premise = models.BooleanField(
        default=default_of(SideQuestionPart, "hides_premise"),
        help_text="the hypothesis is judged without its premise",
    )
    by_sentence = models.BooleanField(
        default=default_of(SideQuestionPart, "by_sentence"),
        help_text="each sentence of the premise is judged by itself",
    )
    most_labels = models.PositiveSmallIntegerField(
        default=default_of(SideQuestionPart, "most_labels"),
        help_text="the most labels a pair can get when more labels are requested for disputed pairs",
    )
    control_bonus_cents = models.PositiveIntegerField(
        default=default_of(SideQuestionPart, "control_bonus_cents"),
        help_text="for the same label as the expert on a control item",
    )
    calibration_percent = models.PositiveSmallIntegerField(
        default=default_of(SideQuestionPart, "calibration_percent"),
        help_text="how many of a hundred slots in batches hold a calibration item",
    )

    class Meta:
        constraints = [
            unique("question_slug_unique_in_corpus", "corpus", "slug"),
            unique("one_main_question_a_corpus", "corpus", where=Q(is_main=True)),
            check("question_scheme_is_known", Q(scheme__in=list(SCHEMES))),
            # nli.gold.is_threshold in SQL, which cannot call it: a test compares the two on every number of seats.
            check(
                "threshold_is_a_majority",
                Q(seats__gte=1) & Q(seats__lt=F("threshold") * 2) & Q(threshold__lte=F("seats")),
            ),
            check("batch_holds_a_pair", Q(batch_size__gte=1)),
            check("gold_rule_is_known", Q(gold_rule__in=list(nli.gold.RULES))),
            # Rules of partitions refer to both.
            unique("question_with_its_gold_rule", "id", "gold_rule"),
            check(
                "adjudicated_rule_is_for_nli3",
                ~Q(gold_rule=nli.gold.ADJUDICATED) | Q(scheme=nli.gold.NEEDS_SCHEME[nli.gold.ADJUDICATED]),
            ),
            check("main_question_is_about_the_whole", Q(is_main=False) | Q(by_sentence=False)),
            check("a_judged_sentence_is_shown", Q(hides_premise=False) | Q(by_sentence=False)),
            check("calibration_share_is_a_share", Q(calibration_percent__lte=100)),
        ]

    def __str__(self) -> str:
        return f"{self.corpus}: {self.slug}"

    @property
    def labels(self) -> tuple[str, ...]:
        return SCHEMES[self.scheme]

    @property
    def asked(self) -> str:
        """Returns the question above each pair."""
        return self.wording or gettext("How do these relate?")

    def rules_by_partition(self) -> dict[str | None, Rule]:
        """Returns the rule for pairs of each published partition, or of none. Some have their own seats and threshold."""
        own: dict[str | None, Rule] = {
            each.partition: replace(
                self.rule, seats=each.seats, threshold=each.threshold, undecided=each.undecided_labels
            )
            for each in self.partitions.all()
        }
        return {**dict.fromkeys((None, *PARTITIONS), self.rule), **own}

    @property
    def rule(self) -> Rule:
        """Returns the rule that turns the labels of this question into gold labels.

        Only the main question decides the corpus's gold labels, which may belong to another scheme (nli.gold.may_decide).
        """
        other = self.corpus.scheme if self.is_main and self.corpus.scheme != self.scheme else ""
        crosses = nli.gold.may_decide(self.gold_rule, self.scheme, other)
        return Rule(self.scheme, self.seats, self.threshold, self.gold_rule, other if crosses else "")


class PartitionRule(models.Model):
    """Seats and threshold of pairs of one published partition, if they differ from the question's.

    Only questions with the rule "unanimous" have them: under another, two labels could reach a threshold of half the
    seats or fewer. The Diverse NLI Collection has one judgement in train and dev, three to five in test, and keeps the
    pairs of which all judgements are the same (Poliak et al. 2018, appendix B.4).

    Its seats are at most the question's. A check sees one table alone, and a copy of the question's seats would have to be
    changed with them, so no constraint says so: files with more are refused, and `doctor` counts such rules.
    """

    question = models.ForeignKey(Question, on_delete=models.CASCADE, related_name="partitions")
    order = models.PositiveSmallIntegerField()
    partition = models.CharField(max_length=5, choices=PARTITION_CHOICES)
    seats = models.PositiveSmallIntegerField(help_text="labels a pair")
    threshold = models.PositiveSmallIntegerField(help_text="equal judgements that make the gold label")
    undecided = models.CharField(
        max_length=60, blank=True, help_text="labels that make no gold label, with commas between"
    )
    gold_rule = models.CharField(
        max_length=20, default=nli.gold.UNANIMOUS, editable=False, help_text="that of the question"
    )

    class Meta:
        ordering = ["order"]
        constraints = [
            unique("one_partition_rule_a_place", "question", "order"),
            unique("one_rule_a_partition", "question", "partition"),
            check("ruled_partition_is_known", Q(partition__in=PARTITIONS)),
            check(
                "partition_threshold_can_be_reached",
                Q(seats__gte=1, threshold__gte=1, threshold__lte=F("seats")),
            ),
            check("partition_rule_is_unanimous", Q(gold_rule=nli.gold.UNANIMOUS)),
            RowExists(
                columns=["question_id", "gold_rule"],
                to="validation_question",
                to_columns=["id", "gold_rule"],
                name="partition_rule_is_that_of_its_question",
            ),
        ]

    @property
    def undecided_labels(self) -> tuple[str, ...]:
        return tuple(filter(None, self.undecided.split(",")))


class LabelWording(models.Model):
    """The corpus's words for one label of a question, and its position among the answers."""

    question = models.ForeignKey(Question, on_delete=models.CASCADE, related_name="label_wordings")
    order = models.PositiveSmallIntegerField()
    label = models.CharField(max_length=20)
    wording = models.CharField(max_length=200)
    help = models.TextField(blank=True)

    class Meta:
        ordering = ["order"]
        constraints = [
            unique("one_wording_a_place", "question", "order"),
            unique("one_wording_a_label", "question", "label"),
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
        constraints = [unique("one_question_example_a_place", "question", "order")]


class QuestionCheck(models.Model):
    """One question of the check after the instructions: which label fits this hypothesis?"""

    question = models.ForeignKey(Question, on_delete=models.CASCADE, related_name="check_questions")
    order = models.PositiveSmallIntegerField()
    premise = models.TextField()
    hypothesis = models.TextField()
    label = models.CharField(max_length=20)
    explanation = models.TextField(help_text="shown after a wrong answer")

    class Meta:
        ordering = ["order"]
        constraints = [unique("one_labelling_check_a_place", "question", "order")]


class QuestionFaqEntry(models.Model):
    question = models.ForeignKey(Question, on_delete=models.CASCADE, related_name="faq")
    order = models.PositiveSmallIntegerField()
    text = models.TextField()
    answer = models.TextField(help_text="Markdown")

    class Meta:
        ordering = ["order"]
        constraints = [unique("one_question_faq_a_place", "question", "order")]


class QuestionReading(models.Model):
    """Records that an annotator read the instructions of a question, and whether they passed its check."""

    question = models.ForeignKey(Question, on_delete=models.CASCADE, related_name="readings")
    annotator = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    tries = models.PositiveSmallIntegerField(default=0)
    passed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [unique("one_reading_a_person_and_question", "annotator", "question")]


class Membership(models.Model):
    """A member of a question's pool, and the turn of the last seat that they claimed.

    An exclusion writes a row under every question of the corpus, so that the person cannot join a pool. `before` is
    the status that undoing the exclusion restores; it is empty if there was no row.
    """

    class Status(models.TextChoices):
        ACTIVE = "active"
        PAUSED = "paused"
        EXCLUDED = "excluded"

    question = models.ForeignKey(Question, on_delete=models.PROTECT, related_name="memberships")
    annotator = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    status = models.CharField(max_length=8, choices=Status.choices, default=Status.ACTIVE)
    exclusion = models.ForeignKey(
        Exclusion, on_delete=models.PROTECT, null=True, blank=True, related_name="memberships"
    )
    before = models.CharField(max_length=8, choices=Status.choices, blank=True)
    cursor = models.PositiveIntegerField(default=0, help_text="the turn of the last seat claimed")

    class Meta:
        constraints = [
            unique("one_membership_a_question", "question", "annotator"),
            check("membership_status_is_known", Q(status__in=["active", "paused", "excluded"])),
            check(
                "excluded_member_has_exclusion",
                Q(status="excluded", exclusion__isnull=False, before__in=["", "active", "paused"])
                | ~Q(status="excluded") & Q(exclusion=None, before=""),
            ),
        ]
