"""Submitting answers for a batch: labels fill their seats, pay is written, what comes late is surplus.

Whether a label counts is decided on the locked row (docs/locking.md).
"""

from dataclasses import dataclass, replace
from datetime import datetime

from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from accounts.idempotency import record_submission, was_submitted
from accounts.models import User
from collection.joining.visits import finish_visits
from collection.models import LedgerEntry, Visit
from collection.pay import earning
from shared.prepared_statements import changed
from shared.transactions import one_transaction
from validation.errors import NotInPool, NoWork, UnknownAssignment, UnknownSlot, WrongLabel
from validation.labelling.claiming import Batch, Refusal, active, claim
from validation.labelling.seats import Held, close, fill, locked_batch, locked_items, note
from validation.models import Assignment, BatchItem, CalibrationAnswer, Label, Membership, Question
from validation.quality_control.calibration import answer_calibration, calibration_of
from validation.quality_control.control_items import pay_bonus


@dataclass(frozen=True)
class BatchResult:
    """What became of a submission: labels that count, labels kept as surplus, items still waiting.

    `was_open`: the batch was still open before. `answered`: some item that waited got an answer or was skipped;
    without that nothing is recorded. `finishes_visit`: it was the last task of a visit through a platform's link.
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


@dataclass(frozen=True)
class Answers:
    """What comes for slots of a batch: labels, reasons to skip, active milliseconds, reasons in words."""

    labels: dict[str, str]
    skips: dict[str, str]
    active_ms: dict[str, int]
    reasons: dict[str, str]


@one_transaction
def submit_batch(
    *,
    annotator: User,
    token: str,
    labels: dict[str, str],
    key: str,
    skips: dict[str, str] | None = None,
    active_ms: dict[str, int] | None = None,
    reasons: dict[str, str] | None = None,
) -> BatchResult:
    """Casts labels for slots of a batch; a part of it will do. Skipped slots go back to the pool.

    A label whose seat somebody else has filled or holds meanwhile is kept as surplus: paid, never in the
    gold. Slots that were answered before are left as they are. `reasons`: slot -> why, in the annotator's
    words. Where no slot that waits gets an answer, nothing is recorded. Raises UnknownAssignment, UnknownSlot,
    WrongLabel, ConsentMissing, KeyReused; after all but the last the same key may
    come again, corrected.
    """
    answers = Answers(labels, skips or {}, active_ms or {}, reasons or {})
    return _submit(annotator, token, key, answers, timezone.now())[0]


@one_transaction
def submit_and_claim(
    *,
    annotator: User,
    token: str,
    labels: dict[str, str],
    key: str,
    skips: dict[str, str] | None = None,
    active_ms: dict[str, int] | None = None,
    reasons: dict[str, str] | None = None,
) -> tuple[BatchResult, Batch | Refusal]:
    """`submit_batch`, then `claim_batch` of the same question, in one transaction: one wait for the disk.

    The second part is the batch, or why there is none: what was sent is saved all the same.
    """
    now, answers = timezone.now(), Answers(labels, skips or {}, active_ms or {}, reasons or {})
    result, member = _submit(annotator, token, key, answers, now)
    has_none = result.closed and result.was_open and result.answered
    try:
        return result, claim(result.question, annotator, active(member), now, has_none=has_none)
    except (NoWork, NotInPool) as refusal:
        return result, refusal


def _submit(
    annotator: User, token: str, key: str, answers: Answers, now: datetime
) -> tuple[BatchResult, Membership]:
    # The locks come first: a double click waits here and then finds the work done.
    found = locked_batch(token, annotator.pk)
    if found is None:
        raise UnknownAssignment("This batch was not handed to you. Open the labelling page for a new one.")
    member, assignment, is_visiting = found
    labels, skips = answers.labels, answers.skips
    check_labels(assignment.question, labels, skips)
    items = {item.token: item for item in locked_items(assignment.pk, annotator.pk, now)}
    outside = calibration_of(assignment)
    unknown = [slot for slot in [*labels, *skips] if slot not in items and slot not in outside]
    if unknown:
        raise UnknownSlot(unknown)
    content = {"assignment": token, "labels": labels, "skips": skips}
    everything: dict[str, Held | CalibrationAnswer] = {**items, **outside}
    if any(everything[slot].waits for slot in [*labels, *skips]):
        repeated = not record_submission(user=annotator, key=key, content=content)
    else:
        repeated = was_submitted(user=annotator, key=key, content=content)
        if not repeated:
            left = _waiting(items, outside)
            return BatchResult(
                assignment.question, left=left, closed=not left, was_open=assignment.closed_at is None
            ), member
    if repeated:
        left = _waiting(items, outside)
        return BatchResult(question=assignment.question, left=left, repeated=True, closed=not left), member
    result = _save_batch(assignment, annotator, items, outside, answers, now)
    if result.closed and is_visiting:
        finishes = finish_visits(user=annotator.pk, corpus=assignment.question.corpus_id)
        result = replace(result, finishes_visit=finishes)
    return result, member


def _save_batch(
    assignment: Assignment,
    annotator: User,
    items: dict[str, Held],
    outside: dict[str, CalibrationAnswer],
    answers: Answers,
    now: datetime,
) -> BatchResult:
    question, labels, skips = assignment.question, answers.labels, answers.skips
    left = _waiting(items, outside)
    answered = [item for slot, item in items.items() if slot in labels and item.waits]
    skipped = [item for slot, item in items.items() if slot in skips and slot not in labels and item.waits]
    # A batch that is closed has nothing that waits, unless its annotator was excluded meanwhile.
    counts = assignment.closed_at is None
    in_time = [item for item in answered if counts and item.is_theirs]
    late = [item for item in answered if item not in in_time]
    met, passed_over = answer_calibration(outside, labels, skips, answers.active_ms, answers.reasons, now)
    # What is from outside is paid as a pair is, without a bonus: everybody meets it, and often.
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
        steps.append(fill(filled, annotator=annotator.pk, now=now))
    if noted:
        steps.append(note(noted))
    if cents:
        reason = f"Labelled {len(paid)} pairs of {question.corpus.name}"
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
        steps.append(close(assignment.pk, now))
    if steps:
        changed(*steps)
    for item in in_time:
        if answers.reasons.get(item.token):
            Label.objects.filter(pk=item.seat).update(reason=answers.reasons[item.token])
    for item in late:
        _keep_surplus(item, labels[item.token], answers.reasons.get(item.token, ""), annotator, now)
    if skipped:
        _let_go([item.seat for item in skipped], annotator)
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


def _waiting(items: dict[str, Held], outside: dict[str, CalibrationAnswer]) -> int:
    return sum(item.waits for item in items.values()) + sum(row.waits for row in outside.values())


def _let_go(seats: list[int], annotator: User) -> None:
    """Gives seats back that this annotator holds."""
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
        # They have another label on this pair by now; the answer stays known in the batch item.
        pass


def check_labels(question: Question, labels: dict[str, str], skips: dict[str, str]) -> None:
    """Raises WrongLabel where a label is none of the question's, or a reason to skip is none of ours."""
    known = ", ".join(question.labels)
    errors = {
        slot: f"{label!r} is not a label here. Use one of: {known}."
        for slot, label in labels.items()
        if label not in question.labels
    }
    reasons = ", ".join(BatchItem.SkipReason.values)
    for slot, reason in skips.items():
        if reason not in BatchItem.SkipReason.values:
            errors[slot] = f"{reason!r} is not a reason to skip. Use one of: {reasons}."
    if errors:
        raise WrongLabel(errors)


def batches_done(visit: Visit) -> int:
    """Counts the batches of the link's corpus that were finished in a visit, with at least one answer in each."""
    batches = Assignment.objects.filter(
        question__corpus=visit.link.corpus_id, annotator=visit.user_id, closed_at__gte=visit.arrived_at
    )
    answered = BatchItem.objects.filter(assignment=OuterRef("pk"), answer__isnull=False)
    met = CalibrationAnswer.objects.filter(assignment=OuterRef("pk"), answer__isnull=False)
    return batches.filter(Exists(answered) | Exists(met)).count()
