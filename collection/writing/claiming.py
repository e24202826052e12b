"""Claims premises for writers, and says why there is none to claim."""

from collections import Counter
from collections.abc import Iterable
from datetime import datetime, timedelta
from functools import reduce
from itertools import takewhile
from operator import or_

from django.conf import settings
from django.db.models import Count, Exists, Max, Min, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.db.models.lookups import IsNull
from django.utils import timezone
from django.utils.translation import gettext, ngettext

from accounts.models import User, new_token
from accounts.people.consents import require_consent
from collection.errors import DoneForToday, NotQualified, NoWork, Paused, RemarksToRead, TaskOver
from collection.models import (
    Corpus,
    Genre,
    Premise,
    Prompt,
    PromptReading,
    PromptVersion,
    Review,
    Visit,
    WritingAssignment,
    WritingSeat,
)
from collection.models.querysets import SeatQuerySet
from collection.writing.arms import root_of, version_for
from collection.writing.levels import standing_of
from collection.writing.reading_pay import pay_for_earlier_reading
from collection.writing.who_may_write import may_write, why_not_writing
from shared.days import start_of_day
from shared.transactions import one_transaction

Outcome = WritingAssignment.Outcome

RUN = 10  # tasks of one prompt in a row, so that nobody reads instructions anew for each text
# A prompt that a writer has read goes before others as long as its genres are at most this far ahead: a tenth of the turns
# of all first seats (see `turn_of`).
AHEAD = 2**24 // 10


def lock_writer(annotator: User) -> None:
    """Locks a writer, so that two tabs cannot both find no open task, nor both claim the last task of the day.

    `no_key`: other tables refer to the key, and a simultaneous submission need not wait.
    """
    lock_writers(User.objects.filter(pk=annotator.pk))


def lock_writers(writers: QuerySet[User]) -> None:
    """Locks several writers as `lock_writer` does, in the order of their ids."""
    list(writers.order_by("pk").select_for_update(of=("self",), no_key=True))


@one_transaction
def claim_writing(*, corpus: Corpus, annotator: User, prompt: str = "") -> WritingAssignment:
    """Returns the annotator's open assignment with its lease renewed, or a new one.

    `prompt`: the slug of the preferred prompt, used if it has work for them and they have not opened another text.
    Two tabs get the same assignment. An assignment whose lease expired continues if its seat is still free, so that a
    draft returns to its premise.
    Raises ConsentMissing, and NoWork, also if this person may not write here.
    """
    now = timezone.now()
    lock_writer(annotator)
    refusal = why_not_writing(corpus, annotator)
    if isinstance(refusal, NotQualified):  # after a fall, people read why before they take the exam
        _after_reading(corpus, annotator)
    if refusal is not None:
        raise refusal
    require_consent(user=annotator, form_id=corpus.consent_form_id)
    current = (
        assignments()
        .select_for_update(of=("self",))
        .filter(corpus=corpus, annotator=annotator, closed_at=None)
        .first()
    )
    if current is not None:
        if lease_seat(current.seat, annotator, now):
            return _of_chosen_kind(current, prompt, now)
        close(current, Outcome.EXPIRED, now)
    _after_reading(corpus, annotator)
    if corpus.paused_at is not None:
        raise Paused
    if is_done_for_today(corpus, annotator, now):
        raise _until_tomorrow(corpus, now)
    full = full_genres(annotator, corpus)
    seat = _next_seat(corpus, annotator, full, now, prompt)
    if seat is None:
        raise _why_no_seat(corpus, annotator, full, now)
    version = version_for(seat=seat, annotator=annotator, now=now)
    lease_seat(seat, annotator, now)
    level = standing_of(corpus, annotator).level if version.feedback else None
    made = WritingAssignment.objects.create(
        corpus=corpus,
        annotator=annotator,
        seat=seat,
        prompt_version=version,
        level_pay_cents=level.pay_cents if level else 0,
    )
    pay_for_earlier_reading(annotator=annotator, version=version)
    return assignments().get(pk=made.pk)


def _after_reading(corpus: Corpus, annotator: User) -> None:
    """Raises RemarksToRead if there is one that the person has not read."""
    if Review.objects.unread(annotator).filter(corpus=corpus).exists():
        raise RemarksToRead


def has_passed(*, annotator: User, version: PromptVersion) -> bool:
    """Returns whether this person has read this version and passed its check, on any device."""
    return PromptReading.objects.filter(
        annotator=annotator, version=version, passed_at__isnull=False
    ).exists()


def _of_chosen_kind(current: WritingAssignment, chosen: str, now: datetime) -> WritingAssignment:
    """Moves a task whose text was never shown to a text of the chosen prompt, if that has one. Returns the task.

    The pages show no text before its instructions were read. A program may have: it finds its token gone.
    """
    annotator, corpus, version = current.annotator, current.corpus, current.prompt_version
    if chosen in ("", version.prompt.root.slug):
        return current
    if has_passed(annotator=annotator, version=version) or current.drafts.exists():
        return current
    seat = _next_seat(corpus, annotator, full_genres(annotator, corpus), now, chosen)
    if seat is None:
        return current
    if seat.genre.prompt is None or seat.genre.prompt.slug != chosen:
        return current
    version = version_for(seat=seat, annotator=annotator, now=now)
    release_seat(current)
    lease_seat(seat, annotator, now)
    WritingAssignment.objects.filter(pk=current.pk).update(
        seat=seat, prompt_version=version, token=new_token(), created_at=now
    )
    pay_for_earlier_reading(annotator=annotator, version=version)
    return assignments().get(pk=current.pk)


def why_no_work(*, corpus: Corpus, annotator: User) -> NoWork | None:
    """Returns why `claim_writing` would return no premise for this person now; None if it would return one."""
    now = timezone.now()
    if Corpus.objects.filter(has_writing(annotator, now), pk=corpus.pk).exists():
        return None
    refusal = why_not_writing(corpus, annotator)
    if refusal is not None:
        return refusal
    if corpus.paused_at is not None:
        return Paused()
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
        Q(Exists(in_hand)) | Q(paused_at=None) & is_under_daily_limit(annotator, now) & Q(Exists(genres))
    )


def assignments() -> QuerySet[WritingAssignment]:
    return WritingAssignment.objects.select_related(
        "corpus", "annotator", "seat__premise", "seat__genre", "prompt_version__prompt__arm_of"
    )


def lease_seat(seat: WritingSeat, annotator: User, now: datetime) -> bool:
    """Leases the seat to the annotator. Returns False if it is written or leased to somebody else."""
    until = now + timedelta(seconds=settings.WRITING_LEASE_SECONDS)
    free = WritingSeat.objects.claimable_by(annotator, now).filter(pk=seat.pk)
    taken = free.update(annotator=annotator, leased_until=until)
    if taken:
        seat.annotator, seat.leased_until = annotator, until
    return bool(taken)


def release_seat(assignment: WritingAssignment) -> None:
    """Ends the lease of a task's seat, unless it is written or leased to somebody else."""
    held = WritingSeat.objects.filter(
        pk=assignment.seat_id, annotator=assignment.annotator_id, submitted_at=None
    )
    held.update(annotator=None, leased_until=None)


def close(assignment: WritingAssignment, outcome: str, now: datetime, skip_reason: str = "") -> None:
    """Closes a task that is open or expired: an expired task can still be submitted.

    Raises TaskOver if the task was submitted, skipped or reported before.
    """
    unsent = WritingAssignment.objects.filter(
        Q(closed_at=None) | Q(outcome=Outcome.EXPIRED), pk=assignment.pk
    )
    if not unsent.update(closed_at=now, outcome=outcome, skip_reason=skip_reason):
        raise TaskOver


def is_under_daily_limit(annotator: User, now: datetime) -> Q:
    """Returns a condition on corpora: this person may claim another premise today. Skipped premises count too."""
    today = WritingAssignment.objects.given_since(annotator, start_of_day(now), OuterRef("pk"))
    return Q(max_tasks_per_day=None) | Q(max_tasks_per_day__gt=Coalesce(today, 0))


def is_done_for_today(corpus: Corpus, annotator: User, now: datetime) -> bool:
    """Returns whether this person has claimed as many premises today as the corpus allows."""
    return _left_of_limit(corpus, annotator, now) == 0


def left_today(corpus: Corpus, annotator: User, now: datetime) -> int | None:
    """Returns how many premises are left today for this person, who has one in hand; None where a day has no limit.

    That is what the limit of the day leaves, or what is there for them, if that is less.
    """
    left = _left_of_limit(corpus, annotator, now)
    return None if left is None else 1 + _there_for(corpus, annotator, now, left)


def _left_of_limit(corpus: Corpus, annotator: User, now: datetime) -> int | None:
    if corpus.max_tasks_per_day is None:
        return None
    mine = WritingAssignment.objects.filter(annotator=annotator, corpus=corpus)
    given = mine.filter(created_at__gte=start_of_day(now)).count()
    return max(corpus.max_tasks_per_day - given, 0)


def _there_for(corpus: Corpus, annotator: User, now: datetime, most: int) -> int:
    """Returns for how many premises, up to `most`, this person could write now. Reads no more of a genre than that."""
    found, share, writers = 0, corpus.max_genre_share, corpus.writers_per_premise
    mine = WritingSeat.objects.real().filter(
        annotator=annotator, genre__corpus=corpus
    )  # with the one in hand
    written = Counter(mine.values_list("genre", flat=True)) if share < 100 else {}
    for genre in Genre.objects.filter(corpus=corpus).writable_by(annotator):
        if found >= most:
            break
        seats = _to_write(genre).free_for(annotator, now).order_by()
        there = len(set(seats.values_list("premise", flat=True)[: most * writers]))
        if share < 100:
            before = written.get(genre.pk, 0)
            premises = genre.premises.all()[: _premises_for(before + there, share, writers)].count()
            # Everybody may write once.
            allowed = (
                n <= 1 or _premises_for(n, share, writers) <= premises
                for n in range(before + 1, before + there + 1)
            )
            there = sum(allowed)
        found += there
    return min(found, most)


def full_genres(annotator: User, corpus: Corpus | None = None) -> list[int]:
    """Returns the ids of the genres, of all corpora or one, in which this person has filled their share of seats.

    Everybody may write once in each genre. Counting all seats would read the whole of a large genre for each claim.
    So the query only looks whether the genre has an n-th premise; n follows from what the person wrote.
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
        full.append(Q(pk=genre) & _has_fewer_premises(genre, _premises_for(written + 1, share, writers)))
    return list(Genre.objects.filter(reduce(or_, full)).values_list("pk", flat=True)) if full else []


def _premises_for(seats: int, share: int, writers: int) -> int:
    """Returns how many premises a genre must have so that so many seats are not more than one person's share of it."""
    all_seats = -(-seats * 100 // share)
    return -(-all_seats // writers)


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


def prompts_with_work(annotator: User, corpora: Iterable[Corpus]) -> dict[int, list[Prompt]]:
    """Returns corpus id -> the prompts under which this person could claim a premise now, by name."""
    with_work = genres_in_turn(annotator, full_genres(annotator), timezone.now()).filter(corpus__in=corpora)
    with_work = with_work.filter(next_turn__isnull=False)  # type: ignore[misc]
    found: dict[int, list[Prompt]] = {}
    for prompt in Prompt.objects.filter(pk__in=with_work.order_by().values("prompt")).order_by("name"):
        found.setdefault(prompt.corpus_id, []).append(prompt)
    return found


def _in_order(genres: Iterable[Genre], corpus: Corpus, annotator: User, chosen: str) -> list[Genre]:
    """Orders genres with work: the chosen prompt's first, then those of the writer's run, then the least written.

    Prompts that this person has read count as less written, by `AHEAD`. A newcomer begins with the least written genre, so
    all genres fill evenly over people. Nobody's first text, in the corpus or in a visit, is one that may upset, unless
    they chose its kind or there is no other.
    """
    genres = list(genres)
    if len({genre.prompt_id for genre in genres}) < 2:
        return genres  # as they come: the least written one first
    lately = (
        WritingAssignment.objects.handed_to(annotator)
        .filter(corpus=corpus)
        .order_by("-pk")
        .values_list(root_of("prompt_version__prompt"), "created_at")[:RUN]
    )
    last = [prompt for prompt, _ in lately]
    came = Visit.objects.filter(user=annotator, link__corpus=corpus).aggregate(at=Max("arrived_at"))["at"]
    is_first = not lately or (came is not None and lately[0][1] < came)
    later = set(corpus.genres.upsetting().values_list("pk", flat=True)) if is_first else set()
    run = list(takewhile(lambda prompt: prompt == last[0], last))
    going_on = run[0] if 0 < len(run) < RUN else None
    read = set(
        PromptReading.objects.filter(
            annotator=annotator, passed_at__isnull=False, version__prompt__corpus=corpus
        ).values_list(root_of("version__prompt"), flat=True)
    )

    def place(genre: Genre) -> tuple[bool, bool, bool, int, int]:
        turn: int = genre.next_turn  # type: ignore[attr-defined]
        ahead = AHEAD if genre.prompt_id in read else 0
        is_other = genre.prompt is None or genre.prompt.slug != chosen
        return is_other, genre.pk in later, genre.prompt_id != going_on, turn - ahead, genre.pk

    return sorted(genres, key=place)


def _next_seat(
    corpus: Corpus, annotator: User, full: list[int], now: datetime, chosen: str
) -> WritingSeat | None:
    genres = genres_in_turn(annotator, full, now).filter(corpus=corpus).select_related("prompt")
    # A condition in SQL would search each genre's first seat a second time.
    with_work = [genre for genre in genres if genre.next_turn is not None]  # type: ignore[attr-defined]
    for genre in _in_order(with_work, corpus, annotator, chosen):
        free = _to_write(genre).free_for(annotator, now)
        seat = free.select_for_update(skip_locked=True, of=("self",)).first()
        if seat is not None:
            seat.genre = genre  # with its prompt
            return seat
    return None


def _to_write(genre: Genre) -> SeatQuerySet:
    """Returns the seats that wait for a text. `genre` comes from `writable_by`."""
    return WritingSeat.objects.to_write(genre.pk, genre.is_piloted)  # type: ignore[attr-defined]


def _until_tomorrow(corpus: Corpus, now: datetime) -> NoWork:
    tomorrow = start_of_day(now) + timedelta(days=1)
    count = corpus.max_tasks_per_day or 0
    why = ngettext(
        "You have reached today's limit of %(count)s text. Thank you!",
        "You have reached today's limit of %(count)s texts. Thank you!",
        count,
    ) % {"count": count}
    return DoneForToday(why, int((tomorrow - now).total_seconds()) + 1)


def _why_no_seat(corpus: Corpus, annotator: User, full: list[int], now: datetime) -> NoWork:
    """Returns why this person can claim nothing. It is called only if no seat was found, so it may be slow."""
    writable = list(Genre.objects.filter(corpus=corpus).writable_by(annotator))
    if not writable:
        return _why_closed(corpus)
    rest = [genre for genre in writable if genre.pk not in full]
    if not rest:
        why = gettext(
            "You have done your part here: one person may write about at most %(share)s%% of the texts of a kind."
            " New texts may be added."
        )
        return NoWork(why % {"share": corpus.max_genre_share})
    seats = reduce(or_, map(_to_write, rest))
    for_them = seats.not_touched_by(annotator)
    if for_them.exists():
        first = for_them.aggregate(first=Min("leased_until"))["first"] or now
        wait = max(int((first - now).total_seconds()), 30)
        return NoWork(
            gettext(
                "Others are writing for the last open texts. A text becomes free again if they do not finish."
            ),
            wait,
        )
    if seats.exists():
        return NoWork(gettext("There are texts left, but you have seen them all. New ones may be added."))
    if full:
        return NoWork(
            gettext(
                "There are texts left, but only of kinds for which you have already written your share."
                " New texts may be added."
            )
        )
    return NoWork(gettext("All texts are done. New ones may be added."))


def _why_closed(corpus: Corpus) -> NoWork:
    statuses = set(Prompt.objects.filter(corpus=corpus, genre__isnull=False).values_list("status", flat=True))
    if Prompt.Status.PILOT in statuses:
        why = gettext("A few people are still testing the instructions. Other people can write after that.")
    elif statuses:  # of a prompt with arms, that of this person may be closed
        why = gettext(
            "Writing is closed here at the moment. The researchers open it again when there is more to do."
        )
    else:
        why = gettext("There are no texts to write for yet.")
    return NoWork(why)
