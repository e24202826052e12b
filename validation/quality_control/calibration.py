"""Calibration items: draws them for batches, shows them, stores the answers, and counts these.

They have no seats; docs/decisions/0006 says why.
"""

from collections.abc import Collection, Mapping
from datetime import datetime
from itertools import islice
from random import SystemRandom

from django.db.models import Count, F, Q, QuerySet

from accounts.models import User
from collection.models import Pair, Premise
from validation.models import Assignment, BatchItem, CalibrationAnswer, CalibrationItem, Label, Question

CHANCE = SystemRandom()
SPARE = 5  # more than needed, since some may share a premise


def draw_calibration(
    question: Question, annotator: User, premises: Collection[int]
) -> list[CalibrationAnswer]:
    """Draws calibration items for a batch: each slot gets one with the question's probability. They are unsaved.

    `premises`: of the pairs that would fill the slots. It never draws an item that the annotator has seen, nor two
    items with the same premise, nor an item with the text of one of `premises`: a batch shows no premise twice.
    """
    wanted = sum(CHANCE.random() * 100 < question.calibration_percent for _ in premises)
    if not wanted:
        return []
    unmet = CalibrationItem.objects.filter(question=question, is_open=True)
    unmet = unmet.exclude(premise__in=Premise.objects.filter(pk__in=premises).values("text"))
    unmet = unmet.exclude(answers__annotator=annotator).order_by("?")[: wanted + SPARE]
    one_a_premise = {item.premise: item for item in unmet}.values()
    return [CalibrationAnswer(item=item, annotator=annotator) for item in islice(one_a_premise, wanted)]


def calibration_of(assignment: Assignment) -> dict[str, CalibrationAnswer]:
    """Returns slot -> calibration item of this batch. The caller must hold the lock of the batch to write them."""
    if not assignment.has_calibration:
        return {}
    rows = CalibrationAnswer.objects.filter(assignment=assignment).select_related("item")
    return {row.token: row for row in rows}


def as_shown(row: CalibrationAnswer) -> BatchItem:
    """Makes a calibration item look like any other item of the batch, so that annotators cannot recognise it."""
    lines = row.item.premise.split("\n")
    pair = Pair(
        hypothesis=row.item.hypothesis,
        premise=Premise(text=row.item.premise, sentence_count=len(lines)),
    )
    return BatchItem(seat=Label(token=row.token, pair=pair), order=row.order)


def answer_calibration(
    rows: Mapping[str, CalibrationAnswer],
    labels: Mapping[str, str],
    skips: Mapping[str, str],
    active_ms: Mapping[str, int],
    reasons: Mapping[str, str],
    now: datetime,
) -> tuple[list[str], int]:
    """Stores the answers for open slots. Returns the slots that were answered, and the number of skipped ones."""
    answered, skipped = [], []
    for slot, row in rows.items():
        if row.waits and slot in labels:
            row.answer, row.answered_at = labels[slot], now
            row.active_ms, row.reason = active_ms.get(slot), reasons.get(slot, "")
            answered.append(row)
        elif row.waits and slot in skips:
            row.skip_reason = skips[slot]
            skipped.append(row)
    columns = ["answer", "answered_at", "active_ms", "reason", "skip_reason"]
    CalibrationAnswer.objects.bulk_update([*answered, *skipped], columns)
    return [row.token for row in answered], len(skipped)


def calibration_items(question: Question) -> QuerySet[CalibrationItem]:
    """Returns the question's items, open ones first, with numbers of annotators.

    `met`: annotators who saw it. `answered`: those who answered it. `right`: those who gave the expert's label.
    """
    answered = Q(answers__answer__isnull=False)
    return question.calibration.annotate(
        met=Count("answers"),
        answered=Count("answers", filter=answered),
        right=Count("answers", filter=answered & Q(answers__answer=F("label"))),
    ).order_by("-is_open", "pk")
