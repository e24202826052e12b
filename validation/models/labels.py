"""Seats, the labels in them, adjudications, and the view of votes and gold labels."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from accounts.models import new_token
from collection.models import Exclusion, Pair, Premise
from collection.models.withdrawal import REASONS
from nli.labels import SCHEME_CHOICES
from shared.constraints import check, label_fits_scheme, unique
from validation.models.querysets import AdjudicationQuerySet, LabelQuerySet
from validation.models.questions import Question


class Label(models.Model):
    """A seat for one label of one pair, and the label once an annotator has given it.

    A label without a position has no seat and never counts: surplus labels, labels of experts and of models.
    `author` and `premise` are copies from the pair, where they never change: constraints and the claim need them here.
    """

    class Origin(models.TextChoices):
        AUTHOR = "author", "the author's own label"
        CAST = "cast", "cast by a validator"
        IMPORTED = "imported", "came with a published corpus"
        EXPERT = "expert", "a researcher's label for a control item"
        MODEL = "model", "a model's label, which never counts"

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
    reason = models.TextField(blank=True, help_text="the annotator's reason for the label")
    model = models.CharField(max_length=100, blank=True, help_text="the model whose label this is")
    cast_at = models.DateTimeField(null=True, blank=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    withdrawn_because = models.CharField(
        max_length=200, blank=True, help_text="one of collection/models/withdrawal.py; snapshots publish it"
    )
    exclusion = models.ForeignKey(
        Exclusion, on_delete=models.PROTECT, null=True, blank=True, related_name="labels"
    )
    corrects = models.ForeignKey(
        "self",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        db_index=False,  # `label_corrected_once` finds it
        help_text="the withdrawn label that its annotator replaced by this one",
    )

    objects = LabelQuerySet.as_manager()

    class Meta:
        # Each label writes to every index, so there is no index that no query uses.
        constraints = [
            unique("one_token_a_label", "token"),
            unique(
                "one_label_a_seat",
                "question",
                "pair",
                "sentence",
                "position",
                where=Q(withdrawn_at=None, position__isnull=False),
            ),
            unique(
                "one_label_an_annotator_and_pair",
                "question",
                "pair",
                "sentence",
                "annotator",
                where=Q(withdrawn_at=None, annotator__isnull=False)
                & ~Q(origin__in=["imported", "expert", "model"]),
            ),
            check(
                "author_never_validates_own_pair",
                ~Q(origin="cast") | Q(author=None) | Q(annotator=None) | ~Q(author=F("annotator")),
            ),
            check("label_fits_scheme", label_fits_scheme("label")),
            check("label_origin_is_known", Q(origin__in=["author", "cast", "imported", "expert", "model"])),
            check(
                "seat_is_empty_leased_or_cast",
                ~Q(origin="cast")
                | Q(label=None, annotator=None, leased_until=None, cast_at=None)
                | Q(label=None, annotator__isnull=False, leased_until__isnull=False, cast_at=None)
                | Q(label__isnull=False, annotator__isnull=False, cast_at__isnull=False),
            ),
            check("only_seats_to_be_cast_wait", Q(origin="cast") | Q(label__isnull=False)),
            check("author_label_is_the_first", ~Q(origin="author") | Q(position=1)),
            check(
                "expert_and_model_are_none_of_the_five", ~Q(origin__in=["expert", "model"]) | Q(position=None)
            ),
            check(
                "model_label_names_its_model",
                Q(origin="model", annotator=None) & ~Q(model="") | ~Q(origin="model") & Q(model=""),
            ),
            unique(
                "one_expert_label_a_pair",
                "question",
                "pair",
                "sentence",
                where=Q(origin="expert", withdrawn_at=None),
            ),
            unique(
                "one_label_a_model_and_pair",
                "question",
                "pair",
                "sentence",
                "model",
                where=Q(origin="model", withdrawn_at=None),
            ),
            check("label_withdrawn_for_a_reason", Q(withdrawn_at=None) | Q(withdrawn_because__in=REASONS)),
            check("exclusion_withdraws_label", Q(exclusion=None) | Q(withdrawn_at__isnull=False)),
            unique("label_corrected_once", "corrects", where=Q(corrects__isnull=False)),
            check("only_a_cast_label_corrects", Q(corrects=None) | Q(origin="cast", label__isnull=False)),
        ]
        indexes = [
            models.Index(
                fields=["question", "turn"],
                condition=Q(label=None, withdrawn_at=None, position__isnull=False),
                name="open_seats_in_turn",
            ),
            models.Index(fields=["annotator", "question", "premise"], name="labels_by_annotator"),
            # For who labelled lately, and whether anybody did since a count: pages and workers ask it again and again.
            models.Index(
                fields=["question", "cast_at"], condition=Q(cast_at__isnull=False), name="labels_by_time"
            ),
        ]

    def __str__(self) -> str:
        return self.token


class Adjudication(models.Model):
    """A researcher's decision about a pair whose votes did not decide. It never changes labels.

    A decision that is taken back stays as history, with the person and the reason, and has no effect.
    """

    question = models.ForeignKey(Question, on_delete=models.PROTECT)
    pair = models.ForeignKey(Pair, on_delete=models.PROTECT, related_name="adjudications")
    scheme = models.CharField(max_length=20, choices=SCHEME_CHOICES)
    label = models.CharField(max_length=20)
    reason = models.TextField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    created_at = models.DateTimeField(auto_now_add=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    withdrawn_because = models.TextField(blank=True)
    withdrawn_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )

    objects = AdjudicationQuerySet.as_manager()

    class Meta:
        constraints = [
            unique("one_standing_adjudication_a_pair", "question", "pair", where=Q(withdrawn_at=None)),
            check(
                "adjudication_withdrawn_for_a_reason",
                Q(withdrawn_at=None, withdrawn_by=None, withdrawn_because="")
                | Q(withdrawn_at__isnull=False, withdrawn_by__isnull=False) & ~Q(withdrawn_because=""),
            ),
            check("adjudicated_label_fits_scheme", label_fits_scheme("label")),
            check("adjudicated_for_a_reason", ~Q(reason="")),
        ]


class Gold(models.Model):
    """Votes and gold label of a pair under a question: a row of a view, see validation/gold/sql_view.py. Read only.

    votes_0, votes_1, ...: how many of the seats have the first, the second, ... label of the question's scheme;
    votes: how many are filled; waiting: how many are open; most:
    the votes of the most frequent label. seats, threshold: those of the pair's answers
    under `majority_of_all`, else of its published partition, else the question's. is_settled: no seat is open, and somebody
    other than the author has labelled the pair. adjudicated: the researcher's decision. standing: the label that was
    published together with the votes. voted: the label that the votes give. author_vote: the author's label, if it is
    one of the votes. self_validated: whether the author validated the pair, too. last_cast_at: when the last of the
    votes was cast.
    """

    pk = models.CompositePrimaryKey("question_id", "pair_id")
    question = models.ForeignKey(Question, on_delete=models.DO_NOTHING, related_name="+")
    pair = models.ForeignKey(Pair, on_delete=models.DO_NOTHING, related_name="gold")
    votes_0 = models.IntegerField(db_column="n0")
    votes_1 = models.IntegerField(db_column="n1")
    votes_2 = models.IntegerField(db_column="n2")
    votes_3 = models.IntegerField(db_column="n3")
    votes_4 = models.IntegerField(db_column="n4")
    votes = models.IntegerField()
    waiting = models.IntegerField()
    most = models.IntegerField()
    seats = models.IntegerField()
    threshold = models.IntegerField()
    is_settled = models.BooleanField(db_column="settled")
    adjudicated = models.CharField(max_length=20, null=True)
    standing = models.CharField(max_length=20, null=True)
    voted = models.CharField(max_length=20, null=True)
    label = models.CharField(max_length=20, null=True)
    source = models.CharField(max_length=11)
    note = models.CharField(max_length=30)
    author_vote = models.CharField(max_length=20, null=True)
    self_validated = models.BooleanField()
    last_cast_at = models.DateTimeField(null=True)

    class Meta:
        managed = False
        db_table = "validation_gold"
