"""Pairs, and the parses that came with them."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Length

from accounts.models import new_token
from collection.corpus_schema import PARTITIONS
from collection.models.corpora import Corpus, PromptVersion
from collection.models.exclusions import Exclusion, Vetting
from collection.models.premises import Premise, Source
from collection.models.querysets import PairInSetQuerySet, PairQuerySet
from collection.models.withdrawal import REASONS
from collection.models.writing import WritingAssignment
from nli.labels import SCHEME_CHOICES
from nli.lines import LONGEST_SET_NAME
from shared.constraints import check, label_fits_scheme, unique

PARTITION_CHOICES = [(name, name) for name in PARTITIONS]


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
    author_reason = models.TextField(
        blank=True, db_default="", help_text="why it fits, in the author's words"
    )
    published_label = models.CharField(
        max_length=20, null=True, blank=True, help_text="a gold label that came without its votes"
    )
    published_partition = models.CharField(max_length=5, choices=PARTITION_CHOICES, null=True, blank=True)
    prompt_version = models.ForeignKey(PromptVersion, on_delete=models.PROTECT, null=True, blank=True)
    assignment = models.ForeignKey(
        WritingAssignment, on_delete=models.PROTECT, null=True, blank=True, related_name="pairs"
    )
    source = models.ForeignKey(Source, on_delete=models.PROTECT, null=True, blank=True)
    construction = models.CharField(
        max_length=200, blank=True, help_text="how a machine made the hypothesis, by the names of its rules"
    )
    answers_left_out = models.PositiveSmallIntegerField(
        default=0,
        db_default=0,
        help_text="answers of a published corpus that name several labels, and so are no votes",
    )
    arm = models.CharField(
        max_length=60,
        blank=True,
        default="",
        db_default="",
        help_text="the arm of the prompt, where it had several, under which the hypothesis was written",
    )
    family = models.CharField(
        max_length=200,
        blank=True,
        default="",
        db_default="",
        help_text="the id of the pair whose sentence was changed into those of the others; empty: alone",
    )
    metadata = models.JSONField(
        null=True, blank=True, help_text="what a published file says of the pair and no column here holds"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    withdrawn_because = models.CharField(
        max_length=200,
        blank=True,
        help_text="one of the reasons in models/withdrawal.py; snapshots publish it",
    )
    exclusion = models.ForeignKey(
        Exclusion, on_delete=models.PROTECT, null=True, blank=True, related_name="pairs", db_index=False
    )
    vetting = models.ForeignKey(
        Vetting, on_delete=models.PROTECT, null=True, blank=True, related_name="pairs", db_index=False
    )

    objects = PairQuerySet.as_manager()

    class Meta:
        constraints = [
            unique("pair_id_unique_in_corpus", "corpus", "public_id"),
            check("author_label_fits_scheme", label_fits_scheme("author_label")),
            check("published_label_fits_scheme", label_fits_scheme("published_label")),
            check(
                "published_partition_is_known",
                Q(published_partition=None) | Q(published_partition__in=PARTITIONS),
            ),
            # Published corpora hold a few empty hypotheses; nobody may write one here.
            check("written_hypothesis_not_empty", Q(assignment=None) | ~Q(hypothesis="")),
            check("withdrawn_for_a_reason", Q(withdrawn_at=None) | Q(withdrawn_because__in=REASONS)),
            check("exclusion_withdraws_pair", Q(exclusion=None) | Q(withdrawn_at__isnull=False)),
            check("vetting_withdraws_pair", Q(vetting=None) | Q(withdrawn_at__isnull=False, exclusion=None)),
        ]
        indexes = [
            models.Index(fields=["corpus", "id"], name="pairs_of_corpus_by_key"),
            models.Index("corpus", Length("hypothesis"), "id", name="pairs_of_corpus_by_length"),
            models.Index(
                fields=["exclusion"], condition=Q(exclusion__isnull=False), name="pairs_by_exclusion"
            ),
            models.Index(fields=["vetting"], condition=Q(vetting__isnull=False), name="pairs_by_vetting"),
        ]

    def __str__(self) -> str:
        return self.public_id


class Parse(models.Model):
    """Parses that came with a published corpus, stored for its files."""

    pair = models.OneToOneField(Pair, on_delete=models.PROTECT, related_name="parse")
    premise_parse = models.TextField(blank=True)
    premise_binary_parse = models.TextField(blank=True)
    hypothesis_parse = models.TextField(blank=True)
    hypothesis_binary_parse = models.TextField(blank=True)


class PairEdit(models.Model):
    """The sentence that a writer changed into the hypothesis of a pair, and by how much."""

    pair = models.OneToOneField(Pair, on_delete=models.PROTECT, related_name="edit")
    edited_from = models.TextField(
        blank=True, help_text="empty: the hypothesis of the family’s first pair, of an imported snapshot"
    )
    distance = models.PositiveIntegerField(help_text="words put in, left out or replaced")

    class Meta:
        constraints = [check("something_was_changed", Q(distance__gte=1))]


class Guidance(models.Model):
    """What a coach or a model told the writer of one sentence. Of wordings that were not sent, it keeps counts alone.

    First it is of a field of a task, then of the pair, too; of an imported or mended pair, of the pair alone.
    """

    assignment = models.ForeignKey(
        WritingAssignment, on_delete=models.PROTECT, null=True, blank=True, related_name="guidance"
    )
    label = models.CharField(max_length=20, blank=True)
    pair = models.OneToOneField(
        Pair, on_delete=models.PROTECT, null=True, blank=True, related_name="guidance"
    )
    advice_seen = models.BooleanField(default=False, help_text="whether the coach showed advice on it")
    model_tries = models.PositiveIntegerField(
        default=0, help_text="wordings that the run answered, the one that was sent among them"
    )
    fooled_at = models.PositiveIntegerField(
        null=True, blank=True, help_text="the first of these with another answer than the writer’s"
    )
    model_answer = models.CharField(
        max_length=20, blank=True, help_text="of the run to the newest wording; empty: it was not reached"
    )
    twin_answer = models.CharField(max_length=20, blank=True, help_text="of its twin, which reads no premise")

    class Meta:
        constraints = [
            unique("one_guidance_a_field", "assignment", "label", where=Q(assignment__isnull=False)),
            check("guidance_is_of_a_field_or_a_pair", Q(assignment__isnull=False) | Q(pair__isnull=False)),
            check("guidance_tells_something", Q(advice_seen=True) | Q(model_tries__gte=1)),
            check("model_answers_are_tries", Q(model_answer="") | Q(model_tries__gte=1)),
            check(
                "model_is_fooled_in_a_try",
                Q(fooled_at=None) | Q(fooled_at__gte=1, fooled_at__lte=F("model_tries")),
            ),
        ]
        verbose_name_plural = "guidance"


class PairSet(models.Model):
    """A named set of pairs of a corpus. It changes nothing about them. One without pairs is deleted."""

    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="pair_sets", db_index=False)
    name = models.CharField(max_length=LONGEST_SET_NAME)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [unique("one_set_a_name", "corpus", "name"), check("set_has_a_name", ~Q(name=""))]
        verbose_name_plural = "sets of pairs"

    def __str__(self) -> str:
        return self.name


class PairInSet(models.Model):
    """A pair's place in a set."""

    pair_set = models.ForeignKey(PairSet, on_delete=models.CASCADE, related_name="places", db_index=False)
    pair = models.ForeignKey(Pair, on_delete=models.PROTECT, related_name="sets")

    objects = PairInSetQuerySet.as_manager()

    class Meta:
        constraints = [unique("once_in_a_set", "pair_set", "pair")]
        verbose_name_plural = "places in sets"
