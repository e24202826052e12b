"""Claims premises for writers, and says why there is none to claim."""

from datetime import UTC, datetime, timedelta
from functools import reduce
from operator import or_

from django.conf import settings
from django.db.models import Count, Exists, Min, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.db.models.lookups import IsNull
from django.utils import timezone

from accounts.models import User
from accounts.people.consents import require_consent
from collection.errors import DoneForToday, NoWork, TaskOver
from collection.models import Corpus, Genre, Premise, Prompt, PromptVersion, WritingAssignment, WritingSeat
from collection.writing.who_may_write import may_write, why_not_writing
from shared.transactions import one_transaction

Outcome = WritingAssignment.Outcome


def lock_writer(annotator: User) -> None:
    """Locks a writer, so that two tabs cannot both find no open task, nor both claim the last task of the day.

    `no_key`: other tables refer to the key, and a submission at the same moment need not wait.
    """
    User.objects.select_for_update(of=("self",), no_key=True).get(pk=annotator.pk)


@one_transaction
def claim_writing(*, corpus: Corpus, annotator: User) -> WritingAssignment:
    """Returns the annotator's open assignment with its lease renewed, or a new one.

    Two tabs get the same assignment. An assignment whose lease ran out goes on if its seat is still free, so
    that a draft comes back to its premise. Raises ConsentMissing, and NoWork, also if this person may not write here.
    """
    now = timezone.now()
    require_consent(user=annotator, form_id=corpus.consent_form_id)
    lock_writer(annotator)
    refusal = why_not_writing(corpus, annotator)
    if refusal is not None:
        raise refusal
    current = (
        assignments()
        .select_for_update(of=("self",))
        .filter(corpus=corpus, annotator=annotator, closed_at=None)
        .first()
    )
    if current is not None:
        if lease_seat(current.seat, annotator, now):
            return current
        close(current, Outcome.EXPIRED, now)
    if is_done_for_today(corpus, annotator, now):
        raise _until_tomorrow(corpus, now)
    full = full_genres(annotator, corpus)
    seat = _next_seat(corpus, annotator, full, now)
    if seat is None:
        raise _why_no_seat(corpus, annotator, full, now)
    lease_seat(seat, annotator, now)
    version = PromptVersion.objects.filter(prompt__genre=seat.genre_id).latest("number")
    made = WritingAssignment.objects.create(
        corpus=corpus, annotator=annotator, seat=seat, prompt_version=version
    )
    return assignments().get(pk=made.pk)


def why_no_work(*, corpus: Corpus, annotator: User) -> NoWork | None:
    """Returns why `claim_writing` would give this person no premise now; None if it would give one."""
    now = timezone.now()
    if Corpus.objects.filter(has_writing(annotator, now), pk=corpus.pk).exists():
        return None
    refusal = why_not_writing(corpus, annotator)
    if refusal is not None:
        return refusal
    if is_done_for_today(corpus, annotator, now):
        return _until_tomorrow(corpus, now)
    return _why_no_seat(corpus, annotator, full_genres(annotator, corpus), now)


def has_writing(annotator: User, now: datetime) -> Q:
    """Returns a condition on corpora: `claim_writing` would give this person a premise."""
    seat = WritingSeat.objects.claimable_by(annotator, now).filter(pk=OuterRef("seat"))
    in_hand = WritingAssignment.objects.filter(
        Exists(seat), corpus=OuterRef("pk"), annotator=annotator, closed_at=None
    )
    genres = genres_in_turn(annotator, full_genres(annotator), now).filter(corpus=OuterRef("pk"))
    genres = genres.filter(next_turn__isnull=False)  # type: ignore[misc]
    return may_write(annotator) & (
        Q(Exists(in_hand)) | is_under_daily_limit(annotator, now) & Q(Exists(genres))
    )


def assignments() -> QuerySet[WritingAssignment]:
    return WritingAssignment.objects.select_related(
        "corpus", "annotator", "seat__premise", "seat__genre", "prompt_version__prompt"
    )


def lease_seat(seat: WritingSeat, annotator: User, now: datetime) -> bool:
    """Leases the seat to the annotator. Returns False if it is written or leased to somebody else."""
    until = now + timedelta(seconds=settings.WRITING_LEASE_SECONDS)
    free = WritingSeat.objects.claimable_by(annotator, now).filter(pk=seat.pk)
    taken = free.update(annotator=annotator, leased_until=until)
    if taken:
        seat.annotator, seat.leased_until = annotator, until
    return bool(taken)


def close(assignment: WritingAssignment, outcome: str, now: datetime, skip_reason: str = "") -> None:
    """Closes a task once. Only an expired task can be closed again, since it can still be sent. Raises TaskOver."""
    unsent = WritingAssignment.objects.filter(
        Q(closed_at=None) | Q(outcome=Outcome.EXPIRED), pk=assignment.pk
    )
    if not unsent.update(closed_at=now, outcome=outcome, skip_reason=skip_reason):
        raise TaskOver


def start_of_day(now: datetime) -> datetime:
    """Returns when the day began in UTC, as on every page about a person's work."""
    return now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


def is_under_daily_limit(annotator: User, now: datetime) -> Q:
    """Returns a condition on corpora: this person may claim another premise today. Skipped premises count too."""
    today = WritingAssignment.objects.given_since(annotator, start_of_day(now), OuterRef("pk"))
    return Q(max_tasks_per_day=None) | Q(max_tasks_per_day__gt=Coalesce(today, 0))


def is_done_for_today(corpus: Corpus, annotator: User, now: datetime) -> bool:
    """Returns whether this person has claimed as many premises today as the corpus allows."""
    if corpus.max_tasks_per_day is None:
        return False
    return not Corpus.objects.filter(is_under_daily_limit(annotator, now), pk=corpus.pk).exists()


def full_genres(annotator: User, corpus: Corpus | None = None) -> list[int]:
    """Returns the ids of the genres, of all corpora or one, in which this person has filled their share of seats.

    Everybody may write once in each genre. Counting all seats would read a large genre from end to end for each
    claim. So the query only looks whether the genre has an n-th premise; n follows from what the person wrote.
    """
    if corpus is not None and corpus.max_genre_share == 100:
        return []
    mine = WritingSeat.objects.real().filter(
        annotator=annotator, submitted_at__isnull=False, genre__corpus__max_genre_share__lt=100
    )
    if corpus is not None:
        mine = mine.filter(genre__corpus=corpus)
    counts = mine.values_list("genre", "genre__corpus__max_genre_share", "genre__corpus__writers_per_premise")
    full = []
    for genre, share, writers, written in counts.annotate(written=Count("pk")).order_by():
        seats = -(-(written + 1) * 100 // share)
        full.append(Q(pk=genre) & _has_fewer_premises(genre, -(-seats // writers)))
    return list(Genre.objects.filter(reduce(or_, full)).values_list("pk", flat=True)) if full else []


def _has_fewer_premises(genre: int, number: int) -> Q:
    # Ordered by an index; otherwise the database would read the table until it has found that many.
    premises = Premise.objects.filter(genre=genre).order_by("digest").values("pk")
    return Q(IsNull(Subquery(premises[number - 1 : number]), True))


def genres_in_turn(annotator: User, full: list[int], now: datetime) -> QuerySet[Genre]:
    """Returns the genres that this person may write for, except the full ones; the least written genre first.

    `next_turn` is the turn of the first seat that they can claim; NULL if there is none.
    """
    genres = Genre.objects.exclude(pk__in=full).writable_by(annotator)
    return genres.with_next_turn(annotator, now).order_by("next_turn", "pk")


def _next_seat(corpus: Corpus, annotator: User, full: list[int], now: datetime) -> WritingSeat | None:
    for genre in genres_in_turn(annotator, full, now).filter(corpus=corpus):
        # A condition in SQL would search each genre's first seat a second time.
        if genre.next_turn is None:  # type: ignore[attr-defined]
            continue
        seat = (
            WritingSeat.objects.claimable_at(now)
            .filter(genre=genre, is_pilot=genre.is_piloted)  # type: ignore[attr-defined]
            .not_touched_by(annotator)
            .select_for_update(skip_locked=True, of=("self",))
            .order_by("turn")
            .first()
        )
        if seat is not None:
            return seat
    return None


def _until_tomorrow(corpus: Corpus, now: datetime) -> NoWork:
    tomorrow = start_of_day(now) + timedelta(days=1)
    count = corpus.max_tasks_per_day
    why = f"That was enough for today: one person gets {count} text{'' if count == 1 else 's'} a day here."
    return DoneForToday(why, int((tomorrow - now).total_seconds()) + 1)


def _why_no_seat(corpus: Corpus, annotator: User, full: list[int], now: datetime) -> NoWork:
    """Says why this person can claim nothing. Called only when no seat was found, so it may be slow."""
    writable = Genre.objects.filter(corpus=corpus).writable_by(annotator)
    if not writable.exists():
        return _why_closed(corpus)
    rest = writable.exclude(pk__in=full)
    if not rest.exists():
        share = f"one person writes at most {corpus.max_genre_share}% of each kind of text"
        return NoWork(f"You have done your part here: {share}. New texts may be added.")
    seats = WritingSeat.objects.filter(genre__in=rest, premise__status="open").unwritten().in_play()
    held = seats.filter(leased_until__gt=now).not_touched_by(annotator).aggregate(first=Min("leased_until"))
    if held["first"] is not None:
        wait = max(int((held["first"] - now).total_seconds()), 30)
        return NoWork(
            "Others are writing for the last open premises. One may come back if they do not finish.", wait
        )
    if seats.exists():
        return NoWork("You have been given every premise that is still open. New ones may be added.")
    if full:
        return NoWork("What is still open is for other writers: you have done your part.")
    return NoWork("Every premise has been written for. New ones may be added.")


def _why_closed(corpus: Corpus) -> NoWork:
    statuses = set(Prompt.objects.filter(corpus=corpus, genre__isnull=False).values_list("status", flat=True))
    if Prompt.Status.PILOT in statuses:
        why = "The instructions are still being tried out with a few people. Everybody may write after that."
    elif Prompt.Status.CLOSED in statuses:
        why = "Writing is closed here at the moment. The researchers open it again when there is more to do."
    else:
        why = "There are no texts to write for yet."
    return NoWork(why)
