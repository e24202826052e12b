"""Corrects labels of a sent batch for a while: the old label is withdrawn, and the new one takes its seat.

See docs/decisions/0025.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef, Q, Subquery
from django.utils import timezone
from django.utils.translation import gettext

from accounts.models import User
from collection.corpus_schema.questions import A_WEEK
from collection.models.withdrawal import CORRECTED
from collection.texts import visible
from shared.transactions import one_transaction
from validation.errors import CannotCorrect, UnknownAssignment, UnknownSlot
from validation.labelling.seats import items_of, locked_batch
from validation.labelling.submitting import check_labels, has_an_answer
from validation.models import Adjudication, Assignment, BatchItem, CalibrationAnswer, Label, Membership
from validation.models.querysets import LabelQuerySet
from validation.pairs.opening import seat_like
from validation.pairs.withdrawal import lock
from validation.quality_control.calibration import as_shown, calibration_of
from validation.statistics.cached import mark_stale


@dataclass(frozen=True)
class SentAnswer:
    """An answer of a sent batch. `item`: as pages show it. `closed`: why it cannot be changed; empty if it can."""

    item: BatchItem
    row: Label | CalibrationAnswer
    label: str
    closed: str

    @property
    def slot(self) -> str:
        return self.item.seat.token


def recent_batches(annotator: User, now: datetime) -> list[Assignment]:
    """Returns the closed batches, newest first, whose answers the annotator may still correct.

    Each has `until`, and `begins`: its first sentence, by which people know it.
    """
    since = now - timedelta(minutes=A_WEEK)
    first = BatchItem.objects.filter(assignment=OuterRef("pk"), answer__isnull=False).order_by("order")
    batches = (
        Assignment.objects.filter(has_an_answer(), annotator=annotator, closed_at__gt=since)
        .annotate(begins=Subquery(first.values("seat__pair__hypothesis")[:1]))
        .select_related("question__corpus")
        .order_by("-closed_at", "-pk")
    )
    found: list[Assignment] = []
    for batch in batches:
        assert batch.closed_at is not None
        batch.until = batch.closed_at + _window(batch)  # type: ignore[attr-defined]
        if batch.until > now:  # type: ignore[attr-defined]
            found.append(batch)
    return found


def _window(assignment: Assignment) -> timedelta:
    return timedelta(minutes=assignment.question.correct_minutes)


def sent_answers(assignment: Assignment, now: datetime) -> dict[str, SentAnswer]:
    """Returns slot -> what the annotator answered in this batch, in its order; not what they skipped.

    Calibration items are among them, so that nobody can recognise them.
    """
    since = now - _window(assignment)
    labels = {(label.pair_id, label.sentence): label for label in _with_state(_labels_in(assignment))}
    answers = []
    for item in items_of(assignment.pk):
        label = labels.get((item.seat.pair_id, item.seat.sentence))
        if label is not None:
            closed = _why_not(in_time=label.first_at > since, is_closed=label.is_closed)  # type: ignore[attr-defined]
            answers.append(SentAnswer(item, label, label.label or "", closed))
    met = [row for row in calibration_of(assignment).values() if row.answer is not None]
    excluded = Membership.objects.filter(
        question=assignment.question_id, annotator=assignment.annotator_id, status=Membership.Status.EXCLUDED
    )
    is_closed = bool(met) and excluded.exists()
    for row in met:
        in_time = row.answered_at is not None and row.answered_at > since
        closed = _why_not(in_time=in_time, is_closed=is_closed)
        answers.append(SentAnswer(as_shown(row), row, row.answer or "", closed))
    return {answer.slot: answer for answer in sorted(answers, key=lambda answer: answer.item.order)}


def _labels_in(assignment: Assignment) -> LabelQuerySet:
    """Returns the annotator's standing labels of what they answered in the batch."""
    items = assignment.items.filter(answer__isnull=False)
    mine: LabelQuerySet = Label.objects.standing().cast_by(assignment.annotator)
    # By the premise, too: the index begins with annotator, question, premise.
    return mine.filter(
        question=assignment.question_id,
        premise__in=items.values("seat__premise"),
        pair__in=items.values("seat__pair"),
    )


def _with_state(labels: LabelQuerySet) -> Iterable[Label]:
    """Adds `first_at`, when the annotator first labelled it, and `is_closed`: the pair is withdrawn or decided."""
    same = {name: OuterRef(name) for name in ("annotator", "question", "premise", "pair", "sentence")}
    first = Label.objects.filter(**same, origin=Label.Origin.CAST, cast_at__isnull=False)
    decided = Adjudication.objects.standing().filter(question=OuterRef("question"), pair=OuterRef("pair"))
    return labels.annotate(
        first_at=Subquery(first.order_by("cast_at").values("cast_at")[:1]),
        is_closed=Q(pair__withdrawn_at__isnull=False) | Exists(decided),
    )


def _why_not(*, in_time: bool, is_closed: bool) -> str:
    if is_closed:
        return gettext("This sentence is closed. Your answer stays as it is.")
    return "" if in_time else gettext("The time to change this answer is over.")


@one_transaction
def correct_batch(
    *, annotator: User, token: str, labels: dict[str, str], reasons: dict[str, str] | None = None
) -> int:
    """Replaces labels of a sent batch, by slot, all or none. Returns how many changed; the same again changes nothing.

    Pay stays as it is: a label is paid once, and whether a control item earns a bonus is decided once, by the answer
    that stood when the expert's label was first beside it. `reasons`: comments, by slot; a slot without one keeps its
    own. Raises UnknownAssignment, UnknownSlot, WrongLabel, CannotCorrect, ConsentMissing.
    """
    reasons = {slot: visible(text) for slot, text in (reasons or {}).items()}
    # The membership is locked first: two corrections, or an exclusion, come one after the other.
    found = locked_batch(token, annotator.pk)
    if found is None:
        raise UnknownAssignment(gettext("You do not have this task."))
    assignment = found[1]
    assignment.annotator = annotator
    check_labels(assignment.question, labels, {})
    slots = {*assignment.items.values_list("seat__token", flat=True), *calibration_of(assignment)}
    if unknown := [slot for slot in labels if slot not in slots]:
        raise UnknownSlot(unknown)
    lock(_labels_in(assignment))
    now = timezone.now()
    answers = sent_answers(assignment, now)
    closed: dict[str, str] = {}
    changed: list[tuple[SentAnswer, str, str]] = []
    for slot, label in labels.items():
        answer = answers.get(slot)
        if answer is None:
            closed[slot] = _why_not(in_time=True, is_closed=True)
            continue
        reason = reasons.get(slot, answer.row.reason)
        if (label, reason) == (answer.label, answer.row.reason):
            continue
        if answer.closed:
            closed[slot] = answer.closed
        changed.append((answer, label, reason))
    if closed:
        raise CannotCorrect(closed)
    for answer, label, reason in changed:
        _replace(answer.row, label, reason, now)
    if any(isinstance(answer.row, Label) for answer, *_ in changed):
        mark_stale(corpus=assignment.question.corpus_id)
    return len(changed)


def _replace(old: Label | CalibrationAnswer, label: str, reason: str, now: datetime) -> None:
    """Withdraws a label and puts the new one in its place. Beside a calibration answer it stores the first one."""
    if isinstance(old, CalibrationAnswer):
        first = old.answer if old.first_answer is None else old.first_answer
        CalibrationAnswer.objects.filter(pk=old.pk).update(
            answer=label, reason=reason, first_answer=first, corrected_at=now
        )
        return
    Label.objects.filter(pk=old.pk).update(withdrawn_at=now, withdrawn_because=CORRECTED)
    new = seat_like(old)
    new.annotator_id, new.label, new.reason = old.annotator_id, label, reason
    new.cast_at, new.corrects = now, old
    new.save(force_insert=True)
