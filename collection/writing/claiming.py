"""Handing out premises to writers, and why there is none."""

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
    """One person's claims stand in line: two tabs cannot both find no open task, nor both the day's last one.

    Without the key, because other tables refer to it: whoever sends at this moment need not wait.
    """
    User.objects.select_for_update(of=("self",), no_key=True).get(pk=annotator.pk)


@one_transaction
def claim_writing(*, corpus: Corpus, annotator: User) -> WritingAssignment:
    """The annotator's open assignment with its lease renewed, or a new one.

    Two tabs get the same assignment. One whose lease ran out is continued if the seat is still free, so
    that a draft comes back to its premise. Raises NoWork, also where they may not write, and
    ConsentMissing.
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
        if take(current.seat, annotator, now):
            return current
        close(current, Outcome.EXPIRED, now)
    if is_done_for_today(corpus, annotator, now):
        raise _until_tomorrow(corpus, now)
    full = full_genres(annotator, corpus)
    seat = _next_seat(corpus, annotator, full, now)
    if seat is None:
        raise _why_nothing(corpus, annotator, full, now)
    take(seat, annotator, now)
    version = PromptVersion.objects.filter(prompt__genre=seat.genre_id).latest("number")
    made = WritingAssignment.objects.create(
        corpus=corpus, annotator=annotator, seat=seat, prompt_version=version
    )
    return assignments().get(pk=made.pk)


def why_no_work(*, corpus: Corpus, annotator: User) -> NoWork | None:
    """Why this person would get no premise at this moment; None: they would get one, or have one in hand."""
    now = timezone.now()
    if Corpus.objects.filter(has_writing(annotator, now), pk=corpus.pk).exists():
        return None
    refusal = why_not_writing(corpus, annotator)
    if refusal is not None:
        return refusal
    if is_done_for_today(corpus, annotator, now):
        return _until_tomorrow(corpus, now)
    return _why_nothing(corpus, annotator, full_genres(annotator, corpus), now)


def has_writing(annotator: User, now: datetime) -> Q:
    """A condition on corpora: `claim_writing` gives this person a premise."""
    seat = WritingSeat.objects.takeable_by(annotator, now).filter(pk=OuterRef("seat"))
    in_hand = WritingAssignment.objects.filter(
        Exists(seat), corpus=OuterRef("pk"), annotator=annotator, closed_at=None
    )
    genres = genres_in_turn(annotator, full_genres(annotator), now).filter(corpus=OuterRef("pk"))
    genres = genres.filter(next_turn__isnull=False)  # type: ignore[misc]
    return may_write(annotator) & (Q(Exists(in_hand)) | has_time(annotator, now) & Q(Exists(genres)))


def assignments() -> QuerySet[WritingAssignment]:
    return WritingAssignment.objects.select_related(
        "corpus", "annotator", "seat__premise", "seat__genre", "prompt_version__prompt"
    )


def take(seat: WritingSeat, annotator: User, now: datetime) -> bool:
    """Holds the seat for the annotator unless it is written or somebody else's lease is running."""
    until = now + timedelta(seconds=settings.WRITING_LEASE_SECONDS)
    free = WritingSeat.objects.takeable_by(annotator, now).filter(pk=seat.pk)
    taken = free.update(annotator=annotator, leased_until=until)
    if taken:
        seat.annotator, seat.leased_until = annotator, until
    return bool(taken)


def close(assignment: WritingAssignment, outcome: str, now: datetime, skip_reason: str = "") -> None:
    """Closes a task once. One whose time ran out can still be sent; every other outcome is final. Raises TaskOver."""
    unsent = WritingAssignment.objects.filter(
        Q(closed_at=None) | Q(outcome=Outcome.EXPIRED), pk=assignment.pk
    )
    if not unsent.update(closed_at=now, outcome=outcome, skip_reason=skip_reason):
        raise TaskOver


def start_of_day(now: datetime) -> datetime:
    """Days are those of world time, as on every page about a person's work."""
    return now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


def has_time(annotator: User, now: datetime) -> Q:
    """A condition on corpora: it allows this person another premise today; skipped ones count too."""
    today = WritingAssignment.objects.given_since(annotator, start_of_day(now), OuterRef("pk"))
    return Q(max_tasks_per_day=None) | Q(max_tasks_per_day__gt=Coalesce(today, 0))


def is_done_for_today(corpus: Corpus, annotator: User, now: datetime) -> bool:
    """Whether this person was given as many premises today as the corpus allows."""
    if corpus.max_tasks_per_day is None:
        return False
    return not Corpus.objects.filter(has_time(annotator, now), pk=corpus.pk).exists()


def full_genres(annotator: User, corpus: Corpus | None = None) -> list[int]:
    """Ids of the genres, of all corpora or one, in which this person has written as much as one writer may.

    Everybody may write once.

    Whether a genre is large enough for one more is asked by its n-th premise, n a few times what the person
    wrote: counting all seats would read a large genre from end to end for each claim.
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
    # In the order of an index: without one the database reads the table until it has met so many.
    premises = Premise.objects.filter(genre=genre).order_by("digest").values("pk")
    return Q(IsNull(Subquery(premises[number - 1 : number]), True))


def genres_in_turn(annotator: User, full: list[int], now: datetime) -> QuerySet[Genre]:
    """The genres that this person may write for, but the full ones; first the one least of which is written.

    `next_turn` is that of the first seat for them; NULL where there is none.
    """
    genres = Genre.objects.exclude(pk__in=full).writable_by(annotator)
    return genres.with_next_turn(annotator, now).order_by("next_turn", "pk")


def _next_seat(corpus: Corpus, annotator: User, full: list[int], now: datetime) -> WritingSeat | None:
    for genre in genres_in_turn(annotator, full, now).filter(corpus=corpus):
        # Not in SQL: each genre's first seat would be looked for a second time.
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


def _why_nothing(corpus: Corpus, annotator: User, full: list[int], now: datetime) -> NoWork:
    """Why there is nothing to write for this person. Asked only when no seat was found, so it may look closely."""
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
