"""The history of one pair: its labels, skips and decisions."""

from django.db.models import F, QuerySet

from collection.models import Pair
from validation.models import Adjudication, BatchItem, Label, Question
from validation.models.querysets import LabelQuerySet


def labels_on(pair: Pair) -> LabelQuerySet:
    """Returns all labels of a pair by question, each with `counts`: those in seats by position, then the others."""
    rows = Label.objects.with_counts().filter(pair=pair, label__isnull=False)
    return rows.select_related("question__corpus", "annotator").order_by(
        "-question__is_main",
        "question",
        "sentence",
        F("withdrawn_at").asc(nulls_first=True),
        F("position").asc(nulls_last=True),
        "pk",
    )


def judgements(pair: Pair, question: Question) -> LabelQuerySet:
    """Returns the labels of a pair under one question, each with `counts`: those in seats by position, then the others."""
    labels = Label.objects.cast().with_counts().filter(question=question, pair=pair, sentence=0)
    return labels.select_related("annotator").order_by(F("position").asc(nulls_last=True), "pk")


def skips_of(pair: Pair) -> QuerySet[BatchItem]:
    """Returns who skipped the pair, and why; newest first."""
    rows = BatchItem.objects.filter(seat__pair=pair, skip_reason__isnull=False)
    return rows.select_related("assignment__annotator", "seat__question").order_by(
        "-assignment__created_at", "pk"
    )


def decisions_on(pair: Pair) -> QuerySet[Adjudication]:
    """Returns the decisions about a pair, including those that were taken back."""
    rows = Adjudication.objects.filter(pair=pair).select_related("question", "by", "withdrawn_by")
    return rows.order_by("pk")
