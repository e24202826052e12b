"""Submits answers for a batch: fills the seats with labels, stores late labels as surplus, and writes the pay.

The locked seat decides whether a label is late (docs/locking.md).
"""

from dataclasses import dataclass, replace
from datetime import datetime
from fractions import Fraction
from math import floor
from typing import NotRequired, TypedDict, Unpack

from django.db import IntegrityError, transaction
from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.translation import gettext

from accounts.idempotency import record_submission, was_submitted
from accounts.models import User
from collection.joining.visits import finish_visits, in_visit
from collection.models import LedgerEntry, Visit
from collection.pay import earning, reason_for
from collection.texts import visible
from shared.bidi import isolated
from shared.prepared_statements import changed
from shared.transactions import one_transaction
from validation.errors import NotInPool, NoWork, UnknownAssignment, UnknownSlot, WrongLabel
from validation.labelling.claiming import Batch, Refusal, active, claim
from validation.labelling.seats import (
    Held,
    close_batch,
    fill_seats,
    locked_batch,
    locked_items,
    store_answers,
)
from validation.models import Assignment, BatchItem, CalibrationAnswer, Label, Membership, Question
from validation.quality_control.calibration import answer_calibration, calibration_of
from validation.quality_control.control_items import pay_bonus


@dataclass(frozen=True)
class BatchResult:
    """The result of a submission.

    saved: labels that count. surplus: late labels. left: items without an answer. repeated: the same submission came
    before. closed: the batch has no open item. was_open: the batch was open before. answered: an open item got an answer
    or was skipped; otherwise nothing was stored. finishes_visit: it was the last task of a visit through a platform's link.
    """

    question: Question
    saved: int = 0
    surplus: int = 0
    left: int = 0
    cents: int = 0
    repeated: bool = False
    closed: bool = False
    was_open: bool = True
    answered: bool = False
    finishes_visit: bool = False


class Submission(TypedDict):
    """What an annotator sends for a batch. By slot: labels, reasons to skip, active milliseconds, reasons for labels."""

    annotator: User
    token: str
    key: str
    labels: dict[str, str]
    skips: NotRequired[dict[str, str]]
    active_ms: NotRequired[dict[str, int]]
    reasons: NotRequired[dict[str, str]]


@dataclass(frozen=True)
class Answers:
    """The answers of a submission, by slot."""

    labels: dict[str, str]
    skips: dict[str, str]
    active_ms: dict[str, int]
    reasons: dict[str, str]


@one_transaction
def submit_batch(**sent: Unpack[Submission]) -> BatchResult:
    """Submits answers for all slots of a batch or for some. The seats of skipped slots become free again.

    A label whose seat somebody else has filled or leased in the meantime becomes surplus: paid, but never counted.
    Slots that were answered before stay as they are. If no open slot gets an answer, nothing is stored. Raises
    UnknownAssignment, UnknownSlot, WrongLabel, ConsentMissing, KeyReused. After all but KeyReused, the corrected answers
    may come under the same key.
    """
    return _submit(sent, timezone.now())[0]


@one_transaction
def submit_and_claim(**sent: Unpack[Submission]) -> tuple[BatchResult, Batch | Refusal]:
    """Does `submit_batch` and `claim_batch` of the same question in one transaction, which is faster than two.

    Returns the result and the next batch, or the reason why there is none; the answers are stored in any case.
    """
    now = timezone.now()
    result, member = _submit(sent, now)
    has_none = result.closed and result.was_open and result.answered
    try:
        return result, claim(result.question, sent["annotator"], active(member), now, has_none=has_none)
    except (NoWork, NotInPool) as refusal:
        return result, refusal


def _submit(sent: Submission, now: datetime) -> tuple[BatchResult, Membership]:
    annotator, token, key = sent["annotator"], sent["token"], sent["key"]
    reasons = {slot: visible(text) for slot, text in (sent.get("reasons") or {}).items()}
    answers = Answers(sent["labels"], sent.get("skips") or {}, sent.get("active_ms") or {}, reasons)
    # Lock first: the second request of a double click waits here and then finds the answers.
    found = locked_batch(token, annotator.pk)
    if found is None:
        raise UnknownAssignment(
            gettext(
                "You do not have this task. Please choose “Judge sentences” on the start page for a new one."
            )
        )
    member, assignment, is_visiting = found
    labels, skips = answers.labels, answers.skips
    check_labels(assignment.question, labels, skips)
    items = {item.token: item for item in locked_items(assignment.pk, annotator.pk, now)}
    calibration_items = calibration_of(assignment)
    unknown = [slot for slot in [*labels, *skips] if slot not in items and slot not in calibration_items]
    if unknown:
        raise UnknownSlot(unknown)
    content = {"assignment": token, "labels": labels, "skips": skips}
    everything: dict[str, Held | CalibrationAnswer] = {**items, **calibration_items}
    if any(everything[slot].waits for slot in [*labels, *skips]):
        repeated = not record_submission(user=annotator, key=key, content=content)
    else:
        repeated = was_submitted(user=annotator, key=key, content=content)
        if not repeated:
            left = _waiting(items, calibration_items)
            return BatchResult(
                assignment.question, left=left, closed=not left, was_open=assignment.closed_at is None
            ), member
    if repeated:
        left = _waiting(items, calibration_items)
        return BatchResult(question=assignment.question, left=left, repeated=True, closed=not left), member
    result = _save_batch(assignment, annotator, items, calibration_items, answers, now)
    if result.closed and is_visiting:
        finishes = finish_visits(user=annotator.pk, corpus=assignment.question.corpus_id)
        result = replace(result, finishes_visit=finishes)
    return result, member


def _save_batch(
    assignment: Assignment,
    annotator: User,
    items: dict[str, Held],
    calibration_items: dict[str, CalibrationAnswer],
    answers: Answers,
    now: datetime,
) -> BatchResult:
    question, labels, skips = assignment.question, answers.labels, answers.skips
    left = _waiting(items, calibration_items)
    answered = [item for slot, item in items.items() if slot in labels and item.waits]
    skipped = [item for slot, item in items.items() if slot in skips and slot not in labels and item.waits]
    # A closed batch has open items only if its annotator was excluded in the meantime.
    counts = assignment.closed_at is None
    in_time = [item for item in answered if counts and item.is_theirs]
    late = [item for item in answered if item not in in_time]
    met, passed_over = answer_calibration(
        calibration_items, labels, skips, answers.active_ms, answers.reasons, now
    )
    # Calibration items pay as much as pairs, but no bonus: everybody gets many of them.
    paid = [*(item.token for item in answered), *met]
    cents = len(paid) * question.pay_cents
    left -= len(paid) + len(skipped) + passed_over
    noted = [
        *((item.item, labels[item.token], None, answers.active_ms.get(item.token)) for item in answered),
        *((item.item, None, skips[item.token], None) for item in skipped),
    ]
    steps = []
    if in_time:
        filled = {item.seat: labels[item.token] for item in in_time}
        steps.append(fill_seats(filled, annotator=annotator.pk, now=now))
    if noted:
        steps.append(store_answers(noted))
    if cents:
        reason = reason_for(LedgerEntry.Kind.LABELS, count=len(paid), name=question.corpus.name)
        steps.append(
            earning(
                user=annotator,
                corpus_id=question.corpus_id,
                kind=LedgerEntry.Kind.LABELS,
                cents=cents,
                reason=reason,
                key=f"labels:{min(paid)}",
            )
        )
    if not left:
        steps.append(close_batch(assignment.pk, now))
    if steps:
        changed(*steps)
    for item in in_time:
        if answers.reasons.get(item.token):
            Label.objects.filter(pk=item.seat).update(reason=answers.reasons[item.token])
    for item in late:
        _keep_surplus(item, labels[item.token], answers.reasons.get(item.token, ""), annotator, now)
    if skipped:
        _release([item.seat for item in skipped], annotator)
    for item in answered:
        if item.expert == labels[item.token]:
            pay_bonus(question=question, pair=item.pair, annotator=annotator)
    return BatchResult(
        question=question,
        saved=len(in_time) + (len(met) if counts else 0),
        surplus=len(late) + (0 if counts else len(met)),
        left=left,
        cents=cents,
        closed=not left,
        was_open=counts,
        answered=True,
    )


def _waiting(items: dict[str, Held], calibration_items: dict[str, CalibrationAnswer]) -> int:
    return sum(item.waits for item in items.values()) + sum(row.waits for row in calibration_items.values())


def _release(seats: list[int], annotator: User) -> None:
    """Releases seats that this annotator has leased."""
    held = Label.objects.open().filter(pk__in=seats, annotator=annotator)
    held.update(annotator=None, leased_until=None)


def _keep_surplus(item: Held, label: str, reason: str, annotator: User, now: datetime) -> None:
    seat = Label.objects.get(pk=item.seat)
    try:
        with transaction.atomic():
            Label.objects.create(
                question_id=seat.question_id,
                pair_id=seat.pair_id,
                premise_id=seat.premise_id,
                sentence=seat.sentence,
                scheme=seat.scheme,
                author_id=seat.author_id,
                annotator=annotator,
                label=label,
                reason=reason,
                cast_at=now,
            )
    except IntegrityError:
        # They have another label on this pair by now. The batch item stores the answer all the same.
        pass


def check_labels(question: Question, labels: dict[str, str], skips: dict[str, str]) -> None:
    """Raises WrongLabel if a label or a reason to skip is invalid."""
    labels_known, reasons_known = ", ".join(question.labels), ", ".join(BatchItem.SkipReason.values)
    errors = {
        slot: gettext("“%(label)s” is not an answer to this question. Use one of: %(known)s.")
        % {"label": isolated(label), "known": isolated(labels_known)}
        for slot, label in labels.items()
        if label not in question.labels
    }
    for slot, reason in skips.items():
        if reason not in BatchItem.SkipReason.values:
            errors[slot] = gettext("“%(reason)s” is not a reason to skip. Use one of: %(known)s.") % {
                "reason": isolated(reason),
                "known": isolated(reasons_known),
            }
    if errors:
        raise WrongLabel(errors)


# Of a batch: its answers and its skipped pairs, calibration items among them.
ANSWERS, SKIPPED = (
    Count("items", filter=Q(**{f"items__{field}__isnull": False}), distinct=True)
    + Count("calibration", filter=Q(**{f"calibration__{field}__isnull": False}), distinct=True)
    for field in ("answer", "skip_reason")
)


def batches_done(visit: Visit) -> int:
    """Counts the tasks of labelling that were done in this visit: a batch of which a part was skipped is a part of one.

    A batch of fewer pairs, because there were no more, is a whole task. Pairs that somebody else got first are not missed.
    """
    closed = answered_in(visit.pk, visit.user_id, visit.link.corpus_id).filter(closed_at__isnull=False)
    counted = closed.annotate(answers=ANSWERS, skipped=SKIPPED).values_list("answers", "skipped")
    return floor(sum(Fraction(answers, answers + skipped) for answers, skipped in counted))


def has_an_answer() -> Q:
    """Returns the condition on batches that an item, or a calibration item, has an answer."""
    answered = Q(answer__isnull=False, assignment=OuterRef("pk"))
    return Q(Exists(BatchItem.objects.filter(answered)) | Exists(CalibrationAnswer.objects.filter(answered)))


def answered_in(visit: int | OuterRef, user: int | OuterRef, corpus: int | OuterRef) -> QuerySet[Assignment]:
    """Returns the batches with an answer of a visit by this person to this corpus."""
    return batches_in(visit, user, corpus).filter(has_an_answer())


def batches_in(visit: int | OuterRef, user: int | OuterRef, corpus: int | OuterRef) -> QuerySet[Assignment]:
    """Returns the batches of a visit by this person to this corpus; the one in hand is in the newest."""
    batches = Assignment.objects.filter(question__corpus=corpus, annotator=user)
    batches = batches.alias(done_at=Coalesce("closed_at", Value(timezone.now())))
    return in_visit(batches, visit, user="annotator", corpus="question__corpus", at="done_at")
