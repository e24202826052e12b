"""Claiming a batch: the member's row, the open batch with its leases renewed, or a new one.

A seat is a row; a claim locks free rows and skips those that somebody else is locking (docs/locking.md).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice

from django.conf import settings
from django.utils import timezone

from accounts.models import User
from accounts.people.consents import require_consent
from collection.joining.visits import finish_visits
from shared.prepared_statements import changed
from shared.transactions import one_transaction
from validation.annotators.membership import may_join
from validation.errors import CheckFirst, NotInPool, NoWork
from validation.labelling.instructions import check_waits
from validation.labelling.seats import (
    FreeSeat,
    close,
    first_back,
    free_seats,
    hand_out,
    lease,
    locked_items,
    locked_membership,
    locked_open_batch,
    shown,
)
from validation.models import Assignment, BatchItem, CalibrationAnswer, Label, Membership, Question
from validation.quality_control.calibration import as_shown, calibration_of, draw_calibration

# A few more rows than the batch needs are locked, since some may share a premise; they are let go at commit.
SPARE = 2
ENDED = "You are not labelling for this corpus at present. What you did stays paid."


Refusal = NoWork | NotInPool


@dataclass(frozen=True)
class Batch:
    """What an annotator holds: the assignment and its items that still wait for an answer."""

    assignment: Assignment
    items: list[BatchItem]
    renewed: bool = False


@one_transaction
def claim_batch(*, question: Question, annotator: User) -> Batch:
    """The annotator's open batch with its leases renewed, or a new one.

    Pairs of a batch have different premises, are never the annotator's own, and are pairs that they have
    not labelled; premises that they have not seen come first. Some places may hold calibration items. Raises
    NotInPool, CheckFirst, NoWork, ConsentMissing.
    """
    require_consent(user=annotator, form_id=question.corpus.consent_form_id)
    return claim(question, annotator, locked_member(question, annotator), timezone.now())


def locked_member(question: Question, annotator: User) -> Membership:
    """The locked row of this annotator in the pool: their claims stand in line behind it. Raises NotInPool."""
    member = locked_membership(question.pk, annotator.pk)
    if member is None and may_join(question, annotator):
        Membership.objects.get_or_create(question=question, annotator=annotator)
        member = locked_membership(question.pk, annotator.pk)
    if member is None:
        why = "This work is for invited annotators. Ask the researchers if you would like to join."
        if question.pool_is_open and question.qualification is not None:
            why = (
                f"This work asks for a qualification: {question.qualification.name}. The start page says how."
            )
        raise NotInPool(why)
    return active(member)


def active(member: Membership) -> Membership:
    """The same, if they may label at present. Raises NotInPool."""
    if member.status != Membership.Status.ACTIVE:
        raise NotInPool(ENDED)
    return member


def claim(
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
