"""Claims a batch: renews the leases of the annotator's open batch, or leases seats for a new one.

A claim locks free seats, and skips seats that another claim is locking (docs/locking.md).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice

from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext

from accounts.models import User
from accounts.people.consents import require_consent
from collection.errors import HOUR, PAUSED
from collection.joining.visits import finish_visits
from collection.models import Genre, Premise
from shared.prepared_statements import changed
from shared.transactions import one_transaction
from validation.annotators.membership import ENDED, may_join, outside_sentence
from validation.errors import CheckFirst, NotInPool, NoWork
from validation.labelling.instructions import check_waits, pay_for_reading
from validation.labelling.seats import (
    AHEAD,
    LAST_TURN,
    FreeSeat,
    close_batch,
    first_to_become_free,
    free_seats,
    hand_out,
    items_of,
    lease,
    locked_items,
    locked_membership,
    locked_open_batch,
)
from validation.models import Assignment, BatchItem, CalibrationAnswer, Label, Membership, Question
from validation.quality_control.calibration import as_shown, calibration_of, draw_calibration

# A claim locks a few more seats than the batch needs, since some may share a premise. The commit releases them.
SPARE = 2


Refusal = NoWork | NotInPool


@dataclass(frozen=True)
class Batch:
    """A batch as an annotator sees it: the assignment, and its items without an answer."""

    assignment: Assignment
    items: list[BatchItem]
    renewed: bool = False


@one_transaction
def claim_batch(*, question: Question, annotator: User) -> Batch:
    """Returns the annotator's open batch with its leases renewed, or a new batch.

    The pairs of a batch have different premises. They are never pairs that the annotator wrote or labelled; among the
    next turns, premises that they have not seen come first. Some slots may hold calibration items. Raises NotInPool,
    CheckFirst, NoWork, ConsentMissing.
    """
    require_consent(user=annotator, form_id=question.corpus.consent_form_id)
    return claim(question, annotator, locked_member(question, annotator), timezone.now())


def locked_member(question: Question, annotator: User) -> Membership:
    """Locks and returns the annotator's membership, so that their claims run one after the other. Raises NotInPool."""
    member = locked_membership(question.pk, annotator.pk)
    if member is None and may_join(question, annotator):
        Membership.objects.get_or_create(question=question, annotator=annotator)
        member = locked_membership(question.pk, annotator.pk)
    if member is None:
        raise NotInPool(outside_sentence(question, annotator))
    return active(member)


def active(member: Membership) -> Membership:
    """Returns the member if they are active. Raises NotInPool."""
    if member.status != Membership.Status.ACTIVE:
        raise NotInPool(str(ENDED))
    return member


def claim(
    question: Question, annotator: User, member: Membership, now: datetime, *, has_none: bool = False
) -> Batch:
    """Claims as `claim_batch` does. `member` is locked. `has_none`: the caller knows that there is no open batch."""
    until = now + timedelta(seconds=settings.VALIDATION_LEASE_SECONDS)
    # A member with a cursor has had a seat before, and so has passed the check.
    if not member.cursor:
        if check_waits(question=question, annotator=annotator):
            raise CheckFirst
        pay_for_reading(question=question, annotator=annotator)
    current = None if has_none else locked_open_batch(question.pk, annotator.pk)
    if current is not None:
        items = _renew(current, now, until)
        if items:
            return Batch(current, items, renewed=True)
        changed(close_batch(current.pk, now))
        finish_visits(user=annotator.pk, corpus=question.corpus_id)  # the answers that they sent count
    if question.corpus.paused_at is not None:
        raise NoWork(str(PAUSED), HOUR)
    seats = _free_seats(question, annotator, member.cursor, now)
    if not seats:
        raise NoWork(*_why_nothing(question, annotator, now))
    # Calibration items replace seats, so that all batches have the same length; the commit releases these seats.
    premises = [seat.premise_id for seat in seats]
    calibration_items = (
        draw_calibration(question, annotator, premises) if question.calibration_percent else []
    )
    seats = seats[: len(seats) - len(calibration_items)]
    # Random tokens decide the order, so that it does not reveal the calibration items.
    tokens = sorted([*(seat.token for seat in seats), *(row.token for row in calibration_items)])
    if not member.cursor:  # nobody begins with a text that may upset
        later = _that_may_upset(question, seats)
        tokens.sort(key=lambda token: token in later)
    assignment, items = hand_out(
        seats,
        [tokens.index(seat.token) for seat in seats],
        question=question.pk,
        member=member,
        has_calibration=bool(calibration_items),
        now=now,
        until=until,
    )
    for row in calibration_items:
        row.assignment, row.order = assignment, tokens.index(row.token)
    if calibration_items:
        CalibrationAnswer.objects.bulk_create(calibration_items)
    return Batch(assignment, _with_calibration(items, calibration_items))


def _that_may_upset(question: Question, seats: Iterable[FreeSeat]) -> set[str]:
    """Returns the tokens of the seats whose text is of a genre with a warning."""
    genres = Genre.objects.filter(corpus=question.corpus_id).upsetting()
    among = Premise.objects.filter(pk__in=[seat.premise_id for seat in seats], genre__in=genres)
    premises = set(among.values_list("pk", flat=True))
    return {seat.token for seat in seats if seat.premise_id in premises}


def _with_calibration(
    items: list[BatchItem], calibration_items: Iterable[CalibrationAnswer]
) -> list[BatchItem]:
    """Returns the items without an answer, in the order of the batch."""
    more = [as_shown(row) for row in calibration_items if row.waits]
    return sorted([*items, *more], key=lambda item: item.order) if more else items


def _renew(assignment: Assignment, now: datetime, until: datetime) -> list[BatchItem]:
    """Renews the leases of seats that nobody else holds, marks the other items as lost, and returns the open items."""
    items = locked_items(assignment.pk, assignment.annotator_id, now)
    held = [item for item in items if item.waits and item.is_theirs]
    lost = [item.item for item in items if item.waits and item not in held]
    if lost:
        BatchItem.objects.filter(pk__in=lost).update(lost=True)
    if held:
        changed(lease([item.seat for item in held], annotator=assignment.annotator_id, until=until))
    theirs = items_of(assignment.pk, but={item.item for item in items if item not in held})
    waiting = _with_calibration(theirs, calibration_of(assignment).values())
    if waiting:
        Assignment.objects.filter(pk=assignment.pk).update(leased_until=until)
        assignment.leased_until = until
    return waiting


def _free_seats(question: Question, annotator: User, cursor: int, now: datetime) -> list[FreeSeat]:
    """Returns locked free seats for a batch; fewer if there are not enough.

    It goes round the turns, from the cursor on: first the unseen premises among the next turns, then any unseen pair.
    """
    chosen: list[FreeSeat] = []
    for new, after, last in (
        ("premise", cursor, cursor + AHEAD),
        ("pair", cursor, LAST_TURN),
        ("pair", 0, cursor),
    ):
        is_more = after < last
        while is_more and (missing := question.batch_size - len(chosen)):
            found = free_seats(
                question=question.pk,
                annotator=annotator.pk,
                new=new,
                after=after,
                last=last,
                but=[seat.premise_id for seat in chosen],
                limit=missing + SPARE,
                now=now,
            )
            is_more = len(found) == missing + SPARE  # several may share a premise
            chosen += islice(_one_per_premise(found), missing)
    return chosen


def _one_per_premise(seats: Iterable[FreeSeat]) -> Iterator[FreeSeat]:
    """Yields the first seat of each premise. PostgreSQL does not allow DISTINCT together with FOR UPDATE."""
    seen: set[int] = set()
    for seat in seats:
        if seat.premise_id not in seen:
            seen.add(seat.premise_id)
            yield seat


def _why_nothing(question: Question, annotator: User, now: datetime) -> tuple[str, int]:
    """Returns why there is nothing to label for this annotator, and after how many seconds to try again."""
    first = first_to_become_free(question.pk, annotator.pk)
    if first is not None:
        until = Label.objects.values_list("leased_until", flat=True).get(pk=first) or now
        wait = max(int((until - now).total_seconds()), 30)
        return (
            gettext(
                "Other people are judging the last open sentences. One may become free if they do not finish."
            ),
            wait,
        )
    if Label.objects.filter(question=question).open().exists():
        return gettext("There are sentences left, but you have seen them all."), 3600
    return gettext("All sentences are judged. New ones may be added."), 3600
