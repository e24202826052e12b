"""Everything that was said and decided about one pair."""

from django.db.models import F, QuerySet

from collection.models import Pair
from validation.models import Adjudication, BatchItem, Label, Question


def labels_on(pair: Pair) -> QuerySet[Label]:
    """Everything that was ever said of a pair, by question: the seats in their order, then what does not count."""
    rows = Label.objects.filter(pair=pair, label__isnull=False)
    return rows.select_related("question", "annotator").order_by(
        "-question__is_main",
        "question",
        "sentence",
        F("withdrawn_at").asc(nulls_first=True),
        F("position").asc(nulls_last=True),
        "pk",
    )


def judgements(pair: Pair, question: Question) -> QuerySet[Label]:
    """What everybody said of a pair: the seats in their order, then labels that do not count."""
    labels = Label.objects.cast().filter(question=question, pair=pair, sentence=0)
    return labels.select_related("annotator").order_by(F("position").asc(nulls_last=True), "pk")


def skips_of(pair: Pair) -> QuerySet[BatchItem]:
    """Who would rather not label a pair, and why; the newest first."""
    rows = BatchItem.objects.filter(seat__pair=pair, skip_reason__isnull=False)
    return rows.select_related("assignment__annotator", "seat__question").order_by(
        "-assignment__created_at", "pk"
    )


def decisions_on(pair: Pair) -> QuerySet[Adjudication]:
    """Those that were taken back, too."""
    rows = Adjudication.objects.filter(pair=pair).select_related("question", "by", "withdrawn_by")
    return rows.order_by("pk")
