"""Handing out batches, and taking the answers."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Min
from django.utils import timezone

from accounts.actions import earn, record_submission
from accounts.models import User
from validation.actions.controls import pay_bonus
from validation.actions.errors import NoWork, UnknownAssignment, UnknownSlot, WrongLabel
from validation.actions.pool import locked_member
from validation.models import Assignment, BatchItem, Label, Membership, Question
from validation.seats import FreeSeat, Held, fill, free_seats, locked_items, note, with_texts

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
    """What became of a submission: labels that count, labels kept as surplus, items still waiting."""

    question: Question
    saved: int = 0
    surplus: int = 0
    left: int = 0
    cents: int = 0
    repeated: bool = False
    closed: bool = False


@transaction.atomic
def claim_batch(*, question: Question, annotator: User) -> Batch:
    """The annotator's open batch with its leases renewed, or a new one.

    Pairs of a batch have different premises, are never the annotator's own, and are pairs that they have
    not labelled; premises that they have not seen come first. Raises NotInPool, NoWork.
    """
    now = timezone.now()
    until = now + timedelta(seconds=settings.VALIDATION_LEASE_SECONDS)
    member = locked_member(question, annotator)
    current = Assignment.objects.filter(question=question, annotator=annotator, closed_at=None).first()
    if current is not None:
        items = _renew(current, now, until)
        if items:
            return Batch(current, with_texts(items, current.pk), renewed=True)
        Assignment.objects.filter(pk=current.pk).update(closed_at=now)
    seats = _free_seats(question, annotator, member.cursor, now)
    if not seats:
        raise NoWork(*_why_nothing(question, annotator, now))
    Label.objects.filter(pk__in=[seat.pk for seat in seats]).update(annotator=annotator, leased_until=until)
    Membership.objects.filter(pk=member.pk).update(cursor=seats[-1].turn)
    assignment = Assignment.objects.create(question=question, annotator=annotator, leased_until=until)
    BatchItem.objects.bulk_create(
        BatchItem(assignment=assignment, seat_id=seat.pk, order=order)
        for order, seat in enumerate(_shuffled(seats))
    )
    return Batch(assignment, with_texts(locked_items(assignment.pk, now), assignment.pk))


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
    words. Raises UnknownAssignment, UnknownSlot, WrongLabel, accounts.actions.KeyReused; after the first
    three the same key may come again, corrected.
    """
    skips, active_ms, reasons = skips or {}, active_ms or {}, reasons or {}
    now = timezone.now()
    with transaction.atomic():
        # The batch's own lock comes first: a double click waits here and then finds the work done.
        assignment = (
            Assignment.objects.select_for_update(of=("self",))
            .select_related("question__corpus")
            .filter(token=token, annotator=annotator)
            .first()
        )
        if assignment is None:
            raise UnknownAssignment(
                "This batch was not handed to you. Open the labelling page for a new one."
            )
        _check_labels(assignment.question, labels, skips)
        items = {item.token: item for item in locked_items(assignment.pk, now)}
        unknown = [slot for slot in [*labels, *skips] if slot not in items]
        if unknown:
            raise UnknownSlot(unknown)
        content = {"assignment": token, "labels": labels, "skips": skips}
        if not record_submission(user=annotator, key=key, content=content):
            left = sum(item.waits for item in items.values())
            return BatchResult(question=assignment.question, left=left, repeated=True, closed=not left)
        return _save_batch(assignment, annotator, items, labels, skips, active_ms, reasons, now)


def _save_batch(
    assignment: Assignment,
    annotator: User,
    items: dict[str, Held],
    labels: dict[str, str],
    skips: dict[str, str],
    active_ms: dict[str, int],
    reasons: dict[str, str],
    now: datetime,
) -> BatchResult:
    question = assignment.question
    answered = [item for slot, item in items.items() if slot in labels and item.waits]
    skipped = [item for slot, item in items.items() if slot in skips and slot not in labels and item.waits]
    # A batch that is closed has nothing that waits, unless its annotator was excluded meanwhile.
    counts = assignment.closed_at is None
    in_time = [item for item in answered if counts and item.is_free_for(annotator.pk)]
    late = [item for item in answered if item not in in_time]
    fill({item.seat: labels[item.token] for item in in_time}, annotator=annotator.pk, now=now)
    for item in in_time:
        if reasons.get(item.token):
            Label.objects.filter(pk=item.seat).update(reason=reasons[item.token])
    for item in late:
        _keep_surplus(item, labels[item.token], reasons.get(item.token, ""), annotator, now)
    if skipped:
        _let_go([item.seat for item in skipped], annotator)
    note(
        [
            *((item.item, labels[item.token], None, active_ms.get(item.token)) for item in answered),
            *((item.item, None, skips[item.token], None) for item in skipped),
        ]
    )
    cents = len(answered) * question.pay_cents
    if answered:
        earn(
            user=annotator,
            cents=cents,
            reason=f"Labelled {len(answered)} pairs of {question.corpus.name}",
            key=f"labels:{min(item.item for item in answered)}",
        )
    for item in answered:
        if item.expert == labels[item.token]:
            pay_bonus(question=question, pair=item.pair, annotator=annotator)
    left = sum(item.waits for item in items.values()) - len(answered) - len(skipped)
    if not left:
        Assignment.objects.filter(pk=assignment.pk).update(closed_at=now)
    return BatchResult(
        question=question,
        saved=len(in_time),
        surplus=len(late),
        left=left,
        cents=cents,
        closed=not left,
    )


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


def _check_labels(question: Question, labels: dict[str, str], skips: dict[str, str]) -> None:
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


def _renew(assignment: Assignment, now: datetime, until: datetime) -> list[Held]:
    """Renews the leases that are still to be had; marks the other waiting items as lost."""
    waiting = [item for item in locked_items(assignment.pk, now) if item.waits]
    held = [item for item in waiting if item.is_free_for(assignment.annotator_id)]
    lost = [item.item for item in waiting if not item.is_free_for(assignment.annotator_id)]
    if lost:
        BatchItem.objects.filter(pk__in=lost).update(lost=True)
    if held:
        seats = Label.objects.filter(pk__in=[item.seat for item in held])
        seats.update(annotator=assignment.annotator_id, leased_until=until)
        Assignment.objects.filter(pk=assignment.pk).update(leased_until=until)
        assignment.leased_until = until
    return held


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


def _shuffled(seats: list[FreeSeat]) -> list[FreeSeat]:
    """By their random tokens: a batch's order tells nothing."""
    return sorted(seats, key=lambda seat: seat.token)


def _why_nothing(question: Question, annotator: User, now: datetime) -> tuple[str, int]:
    """Why there is nothing to label for this person, and in how many seconds to look again."""
    open_seats = Label.objects.filter(question=question, pair__withdrawn_at=None).open()
    theirs = open_seats.not_by_author(annotator).without_pairs_of(annotator)
    first = theirs.aggregate(first=Min("leased_until"))["first"]
    if first is not None:
        wait = max(int((first - now).total_seconds()), 30)
        return "Others are labelling the last open pairs. One may come back if they do not finish.", wait
    if open_seats.exists():
        return "You have labelled, or written, every pair that is still open.", 3600
    return "Every pair has its labels. New ones may be added.", 3600
