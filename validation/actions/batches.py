"""Handing out batches, and taking the answers."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import islice

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.idempotency import record_submission, was_submitted
from accounts.models import User
from accounts.people.consents import require_consent
from collection.joining.visits import finish_visits
from collection.models import LedgerEntry
from collection.pay import earning
from shared.prepared_statements import changed
from shared.transactions import one_transaction
from validation.actions.calibrating import answer_calibration, as_shown, calibration_of, draw_calibration
from validation.actions.controls import pay_bonus
from validation.actions.errors import (
    CheckFirst,
    NotInPool,
    NoWork,
    UnknownAssignment,
    UnknownSlot,
    WrongLabel,
)
from validation.actions.pool import active, locked_member
from validation.actions.reading import check_waits
from validation.models import Assignment, BatchItem, CalibrationAnswer, Label, Membership, Question
from validation.seats import (
    FreeSeat,
    Held,
    close,
    fill,
    first_back,
    free_seats,
    hand_out,
    lease,
    locked_batch,
    locked_items,
    locked_open_batch,
    note,
    shown,
)

# A few more rows than the batch needs are locked, since some may share a premise; they are let go at commit.
SPARE = 2


@dataclass(frozen=True)
class Batch:
    """What an annotator holds: the assignment and its items that still wait for an answer."""

    assignment: Assignment
    items: list[BatchItem]
    renewed: bool = False


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


Refusal = NoWork | NotInPool


@one_transaction
def claim_batch(*, question: Question, annotator: User) -> Batch:
    """The annotator's open batch with its leases renewed, or a new one.

    Pairs of a batch have different premises, are never the annotator's own, and are pairs that they have
    not labelled; premises that they have not seen come first. Some places may hold calibration items. Raises
    NotInPool, CheckFirst, NoWork, ConsentMissing.
    """
    require_consent(user=annotator, form_id=question.corpus.consent_form_id)
    return _claim(question, annotator, locked_member(question, annotator), timezone.now())


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
        return result, _claim(result.question, annotator, active(member), now, has_none=has_none)
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


def _claim(
    question: Question, annotator: User, member: Membership, now: datetime, *, has_none: bool = False
) -> Batch:
    """What claim_batch says. `member` is locked; `has_none`: nothing is in hand, as the caller knows."""
    until = now + timedelta(seconds=settings.VALIDATION_LEASE_SECONDS)
    # Whoever has had a seat has passed the check: most claims need not look.
    if not member.cursor and check_waits(question=question, annotator=annotator):
        raise CheckFirst
    current = None if has_none else locked_open_batch(question.pk, annotator.pk)
    if current is not None:
        items = _renew(current, now, until)
        if items:
            return Batch(current, items, renewed=True)
        changed(close(current.pk, now))
        finish_visits(user=annotator.pk, corpus=question.corpus_id)  # what they sent of it counts
    seats = _free_seats(question, annotator, member.cursor, now)
    if not seats:
        raise NoWork(*_why_nothing(question, annotator, now))
    # They take the place of seats, so that no batch is longer than another; those seats are let go.
    premises = [seat.premise_id for seat in seats]
    outside = draw_calibration(question, annotator, premises) if question.calibration_percent else []
    seats = seats[: len(seats) - len(outside)]
    # By their random tokens: the order of a batch tells nothing.
    tokens = sorted([*(seat.token for seat in seats), *(row.token for row in outside)])
    assignment, items = hand_out(
        seats,
        [tokens.index(seat.token) for seat in seats],
        question=question.pk,
        member=member,
        has_calibration=bool(outside),
        now=now,
        until=until,
    )
    for row in outside:
        row.assignment, row.order = assignment, tokens.index(row.token)
    if outside:
        CalibrationAnswer.objects.bulk_create(outside)
    return Batch(assignment, _with_outside(items, outside))


def _with_outside(items: list[BatchItem], outside: Iterable[CalibrationAnswer]) -> list[BatchItem]:
    """What waits for an answer, in the order of the batch."""
    more = [as_shown(row) for row in outside if row.waits]
    return sorted([*items, *more], key=lambda item: item.order) if more else items


def _renew(assignment: Assignment, now: datetime, until: datetime) -> list[BatchItem]:
    """Renews the leases that are still to be had and answers with what waits; marks the others as lost."""
    items = locked_items(assignment.pk, assignment.annotator_id, now)
    held = [item for item in items if item.waits and item.is_theirs]
    lost = [item.item for item in items if item.waits and item not in held]
    if lost:
        BatchItem.objects.filter(pk__in=lost).update(lost=True)
    if held:
        changed(lease([item.seat for item in held], annotator=assignment.annotator_id, until=until))
    theirs = shown(assignment.pk, but={item.item for item in items if item not in held})
    waiting = _with_outside(theirs, calibration_of(assignment).values())
    if waiting:
        Assignment.objects.filter(pk=assignment.pk).update(leased_until=until)
        assignment.leased_until = until
    return waiting


def _free_seats(question: Question, annotator: User, cursor: int, now: datetime) -> list[FreeSeat]:
    """Locked free seats for a batch, fewer near the end. Unseen premises are preferred to seen ones."""
    chosen: list[FreeSeat] = []
    for look in ("ahead", "unseen", "any"):
        missing = question.batch_size - len(chosen)
        if missing:
            found = free_seats(
                question=question.pk,
                annotator=annotator.pk,
                look=look,
                cursor=cursor,
                but=[seat.premise_id for seat in chosen],
                limit=missing + SPARE,
                now=now,
            )
            chosen += islice(_one_a_premise(found), missing)
    return chosen


def _one_a_premise(seats: Iterable[FreeSeat]) -> Iterator[FreeSeat]:
    """PostgreSQL refuses DISTINCT together with FOR UPDATE, so premises are told apart here."""
    seen: set[int] = set()
    for seat in seats:
        if seat.premise_id not in seen:
            seen.add(seat.premise_id)
            yield seat


def _why_nothing(question: Question, annotator: User, now: datetime) -> tuple[str, int]:
    """Why there is nothing to label for this person, and in how many seconds to look again."""
    first = first_back(question.pk, annotator.pk)
    if first is not None:
        until = Label.objects.values_list("leased_until", flat=True).get(pk=first) or now
        wait = max(int((until - now).total_seconds()), 30)
        return "Others are labelling the last open pairs. One may come back if they do not finish.", wait
    if Label.objects.filter(question=question).open().exists():
        return "You have labelled, skipped or written every pair that is still open.", 3600
    return "Every pair has its labels. New ones may be added.", 3600
