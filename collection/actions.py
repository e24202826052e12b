"""What can happen in collection: one function a state change, one transaction each."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import F, Max, Min, Q, QuerySet
from django.utils import timezone

from accounts.actions import earn, record_submission
from accounts.models import User
from collection.models import (
    Corpus,
    Genre,
    Pair,
    Premise,
    ProblemReport,
    PromptVersion,
    WritingAssignment,
    WritingSeat,
)

Outcome = WritingAssignment.Outcome


class CollectionError(Exception):
    """A rule of collection said no."""


class NoWork(CollectionError):
    """Nothing to write at this moment. `retry_after` is in seconds."""

    def __init__(self, why: str, retry_after: int) -> None:
        super().__init__(why)
        self.why, self.retry_after = why, retry_after


class UnknownAssignment(CollectionError):
    """No such assignment was handed to this annotator."""


class InvalidWriting(CollectionError):
    """Some text cannot be taken: label -> what to do about it."""

    def __init__(self, errors: dict[str, str]) -> None:
        super().__init__(" ".join(errors.values()))
        self.errors = errors


@dataclass(frozen=True)
class WritingResult:
    """What became of a submission. `repeated`: it had been saved before; nothing was done again."""

    pairs: list[Pair] = field(default_factory=list)
    surplus: bool = False
    cents: int = 0
    repeated: bool = False


def make_seats(*, premises: Sequence[Premise]) -> int:
    """Opens new premises for writing: `writers_per_premise` seats each. Returns how many seats.

    Turns are a hash of the premise's id: a fixed shuffled order in which imports need not know of each
    other. All first seats come before all second ones.
    """
    seats = [
        WritingSeat(
            premise=premise, genre_id=premise.genre_id, position=position, turn=_turn(premise, position)
        )
        for premise in premises
        for position in range(1, premise.corpus.writers_per_premise + 1)
    ]
    WritingSeat.objects.bulk_create(seats, batch_size=2000)
    return len(seats)


def _turn(premise: Premise, position: int) -> int:
    digest = hashlib.sha256(premise.public_id.encode()).digest()
    return (position << 24) + int.from_bytes(digest[:3], "big")


@transaction.atomic
def claim_writing(*, corpus: Corpus, annotator: User) -> WritingAssignment:
    """The annotator's open assignment with its lease renewed, or a new one.

    Two tabs get the same assignment. One whose lease ran out is continued if the seat is still free, so
    that a draft comes back to its premise. Raises NoWork.
    """
    now = timezone.now()
    # One person's claims stand in line, so that two tabs cannot both find no open assignment.
    User.objects.select_for_update(of=("self",)).get(pk=annotator.pk)
    current = _assignments().filter(corpus=corpus, annotator=annotator, closed_at=None).first()
    if current is not None:
        if _take(current.seat, annotator, now):
            return current
        _close(current, Outcome.EXPIRED, now)
    seat = _next_seat(corpus, annotator, now)
    if seat is None:
        raise NoWork(*_why_nothing(corpus, annotator, now))
    _take(seat, annotator, now)
    version = PromptVersion.objects.filter(prompt__genre=seat.genre_id).latest("number")
    made = WritingAssignment.objects.create(
        corpus=corpus, annotator=annotator, seat=seat, prompt_version=version
    )
    return _assignments().get(pk=made.pk)


def submit_writing(
    *, annotator: User, token: str, texts: dict[str, str], key: str, problem: str = ""
) -> WritingResult:
    """Saves one hypothesis a label, pays, and closes the assignment.

    A lease that ran out does no harm while the seat is free. If somebody else has it, the texts are kept
    as withdrawn pairs and paid all the same (`surplus`). Raises UnknownAssignment, InvalidWriting,
    accounts.actions.KeyReused; after InvalidWriting the same key may come with corrected texts.
    """
    assignment = _own_assignment(annotator, token)
    texts = {label: text.strip() for label, text in texts.items()}
    errors = writing_errors(assignment, texts)
    if errors:
        raise InvalidWriting(errors)
    with transaction.atomic():
        content = {"assignment": token, "texts": texts, "problem": problem.strip()}
        if not record_submission(user=annotator, key=key, content=content):
            return _earlier_result(assignment)
        assignment = _assignments().select_for_update(of=("self",)).get(pk=assignment.pk)
        if assignment.pairs.exists():
            return _earlier_result(assignment)
        return _save_writing(assignment, texts, problem.strip())


def _save_writing(assignment: WritingAssignment, texts: dict[str, str], problem: str) -> WritingResult:
    now = timezone.now()
    mine = _take(assignment.seat, assignment.annotator, now)
    if mine:
        WritingSeat.objects.filter(pk=assignment.seat_id).update(submitted_at=now)
    pairs = Pair.objects.bulk_create(
        Pair(
            corpus_id=assignment.corpus_id,
            premise_id=assignment.seat.premise_id,
            hypothesis=text,
            scheme=assignment.corpus.scheme,
            author_id=assignment.annotator_id,
            author_label=label,
            prompt_version_id=assignment.prompt_version_id,
            assignment=assignment,
            withdrawn_at=None if mine else now,
            withdrawn_because="" if mine else "surplus: somebody else finished the premise first",
        )
        for label, text in texts.items()
    )
    if problem:
        ProblemReport.objects.create(assignment=assignment, text=problem)
    _close(assignment, Outcome.SUBMITTED if mine else Outcome.SURPLUS, now)
    cents = assignment.prompt_version.pay_cents
    earn(
        user=assignment.annotator,
        cents=cents,
        reason=f"Wrote {len(pairs)} sentences for {assignment.corpus.name}",
        key=f"writing:{assignment.token}",
    )
    return WritingResult(pairs=list(pairs), surplus=not mine, cents=cents)


@transaction.atomic
def skip_writing(*, annotator: User, token: str, problem: str = "") -> None:
    """Gives a premise back; with a `problem` it is reported. Doing it twice does no harm.

    Raises UnknownAssignment.
    """
    assignment = _own_assignment(annotator, token)
    assignment = _assignments().select_for_update(of=("self",)).get(pk=assignment.pk)
    if assignment.closed_at is not None:
        return
    if problem.strip():
        ProblemReport.objects.create(assignment=assignment, text=problem.strip())
    WritingSeat.objects.filter(pk=assignment.seat_id, annotator=annotator, submitted_at=None).update(
        annotator=None, leased_until=None
    )
    _close(assignment, Outcome.REPORTED if problem.strip() else Outcome.SKIPPED, timezone.now())


def set_premise_status(*, premises: QuerySet[Premise], status: str) -> int:
    """Opens or pauses premises for writers; returns how many changed. Dropped ones stay dropped."""
    return premises.exclude(status__in=[status, Premise.Status.DROPPED]).update(status=status)


def answer_report(*, report: ProblemReport, answer: str) -> None:
    """Answers what an annotator reported; they read it under their work. An empty answer takes it back."""
    answer = answer.strip()
    answered_at = timezone.now() if answer else None
    ProblemReport.objects.filter(pk=report.pk).update(answer=answer, answered_at=answered_at)


def writing_errors(assignment: WritingAssignment, texts: dict[str, str]) -> dict[str, str]:
    """What must change before the texts can be taken, by label; empty if nothing must."""
    corpus = assignment.corpus
    wanted = [entry.label for entry in assignment.prompt_version.fields.all()]
    errors = {label: "This task has no field of that name." for label in texts if label not in wanted}
    for label in wanted:
        text = texts.get(label, "")
        if not text:
            errors[label] = "Please write a sentence here."
        elif "\x00" in text:
            errors[label] = "There is a character in this text that cannot be stored. Please type it anew."
        elif len(text) < corpus.min_hypothesis_chars:
            errors[label] = (
                f"This is too short: please write at least {corpus.min_hypothesis_chars} characters."
            )
        elif len(text) > corpus.max_hypothesis_chars:
            errors[label] = (
                f"This is {len(text)} characters long; please shorten it to {corpus.max_hypothesis_chars}."
            )
    return errors


def _assignments() -> QuerySet[WritingAssignment]:
    return WritingAssignment.objects.select_related(
        "corpus", "annotator", "seat__premise", "seat__genre", "prompt_version__prompt"
    )


def _own_assignment(annotator: User, token: str) -> WritingAssignment:
    assignment = _assignments().filter(token=token, annotator=annotator).first()
    if assignment is None:
        raise UnknownAssignment("This task was not handed to you. Open the writing page for a new one.")
    return assignment


def _earlier_result(assignment: WritingAssignment) -> WritingResult:
    pairs = list(assignment.pairs.order_by("pk"))
    surplus = any(pair.withdrawn_at for pair in pairs)
    return WritingResult(pairs=pairs, surplus=surplus, repeated=True)


def _next_seat(corpus: Corpus, annotator: User, now: datetime) -> WritingSeat | None:
    """The first free seat in turn, from the genre that this writer met longest ago."""
    met = Max("writingseat__assignments__pk", filter=Q(writingseat__assignments__annotator=annotator))
    genres = Genre.objects.filter(corpus=corpus, prompt__versions__isnull=False).annotate(last_met=met)
    for genre in genres.order_by(F("last_met").asc(nulls_first=True), "pk"):
        seat = (
            WritingSeat.objects.claimable_at(now)
            .filter(genre=genre)
            .not_touched_by(annotator)
            .select_for_update(skip_locked=True, of=("self",))
            .order_by("turn")
            .first()
        )
        if seat is not None:
            return seat
    return None


def _take(seat: WritingSeat, annotator: User, now: datetime) -> bool:
    """Holds the seat for the annotator unless it is written or somebody else's lease is running."""
    free = Q(annotator=annotator) | Q(annotator=None) | Q(leased_until__lte=now)
    until = now + timedelta(seconds=settings.WRITING_LEASE_SECONDS)
    taken = WritingSeat.objects.filter(free, pk=seat.pk, submitted_at=None).update(
        annotator=annotator, leased_until=until
    )
    if taken:
        seat.annotator, seat.leased_until = annotator, until
    return bool(taken)


def _close(assignment: WritingAssignment, outcome: str, now: datetime) -> None:
    WritingAssignment.objects.filter(pk=assignment.pk).update(closed_at=now, outcome=outcome)


def _why_nothing(corpus: Corpus, annotator: User, now: datetime) -> tuple[str, int]:
    """Why there is nothing to write for this person, and in how many seconds to look again."""
    seats = WritingSeat.objects.filter(premise__corpus=corpus, premise__status="open").unwritten()
    held = seats.not_touched_by(annotator).aggregate(first=Min("leased_until"))["first"]
    if held is not None:
        wait = max(int((held - now).total_seconds()), 30)
        return "Others are writing for the last open premises. One may come back if they do not finish.", wait
    if seats.exists():
        return "You have been given every premise that is still open. New ones may be added.", 3600
    return "Every premise has been written for. New ones may be added.", 3600
