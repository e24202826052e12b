"""Visits through entry links: when they are finished, and what they earned."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from math import ceil
from typing import Any

from django.db.models import CharField, Count, OuterRef, QuerySet, Subquery, Sum, Value
from django.db.models.functions import Cast, Coalesce, Concat
from django.utils import timezone

from accounts.models import Grant, PlatformIdentity, User
from collection.errors import NoWork
from collection.models import Corpus, EntryLink, ExamAttempt, Exclusion, LedgerEntry, Visit, WritingAssignment
from shared.transactions import one_transaction


def visit_of_work(*, user: str, corpus: str, at: str) -> QuerySet[Visit]:
    """Returns a query, for a subquery, whose first row is the visit to which a piece of work belongs.

    That is the newest visit of the person to the corpus that began before the work was done. So what somebody does
    counts and is paid in one visit, through however many links they came. The arguments name columns of the work.
    """
    began = Visit.objects.filter(
        user=OuterRef(user), link__corpus=OuterRef(corpus), arrived_at__lte=OuterRef(at)
    )
    return began.order_by("-arrived_at", "-pk")


def in_visit(work: QuerySet[Any], visit: int | OuterRef, *, user: str, corpus: str, at: str) -> QuerySet[Any]:
    """Keeps the work of the visit with this id, or of that of an outer query. For the names see `visit_of_work`."""
    found = visit_of_work(user=user, corpus=corpus, at=at).values("pk")
    return work.alias(visit=Subquery(found[:1])).filter(visit=visit)


def texts_in(
    visit: int | OuterRef, user: int | OuterRef, corpus: int | OuterRef
) -> QuerySet[WritingAssignment]:
    """Returns the premises with submitted texts of a visit by this person to this corpus, surplus ones included."""
    sent = WritingAssignment.objects.sent().filter(corpus=corpus, annotator=user)
    return in_visit(sent, visit, user="annotator", corpus="corpus", at="closed_at")


def tasks_done(visit: Visit) -> int:
    """Counts the tasks done for the link's corpus in this visit."""
    return sum(count(visit) for count in WORK)


def premises_written(visit: Visit) -> int:
    return texts_in(visit.pk, visit.user_id, visit.link.corpus_id).count()


# Counters of work. Validation, which imports this app, adds one for its batches.
WORK: list[Callable[[Visit], int]] = [premises_written]
# What may still be offered: (person, corpus id, kind of work) -> its address. Validation adds its offers.
OFFERS: list[Callable[[User, int, str], str]] = []
# Why there is nothing to write: (person, corpus) -> the reason, None if there is something. Writing adds it.
REASONS: list[Callable[[User, Corpus], NoWork | None]] = []


def address_of_work(visit: Visit) -> str:
    """Returns the page of the work that the link's corpus has for this person now; empty if there is none."""
    return _offered(visit, visit.link.work)


def has_other_work(visit: Visit) -> bool:
    """Returns whether the link's corpus has work of any kind for this person: it counts in the visit, too."""
    return bool(_offered(visit, EntryLink.Work.ANY))


def why_nothing_to_write(visit: Visit) -> NoWork | None:
    """Returns why this person has nothing to write; None if they came to label, or may not write."""
    if visit.pk is None or visit.link.work == EntryLink.Work.LABELLING:
        return None
    found = (reason(visit.user, visit.link.corpus) for reason in REASONS)
    return next((nothing for nothing in found if nothing is not None and nothing.look_again), None)


def _offered(visit: Visit, work: str) -> str:
    found = (offered(visit.user, visit.link.corpus_id, work) for offered in OFFERS)
    return next((address for address in found if address), "")


@dataclass(frozen=True)
class Progress:
    """How far a visit is: tasks sent, those that the link wants, what it earned so far, where it came from, and the id of
    the corpus that it is for.

    `is_out_of_time`: its time is over. It may be finished all the same.
    """

    done: int
    wanted: int
    cents: int
    platform: str
    corpus: int
    is_out_of_time: bool = False

    @property
    def shown(self) -> int:
        """Returns the number of tasks done, up to those that are wanted."""
        return min(self.done, self.wanted)

    @property
    def left(self) -> int:
        return self.wanted - self.shown

    @property
    def is_finished(self) -> bool:
        return self.done >= self.wanted


def progress_of(visit: Visit) -> Progress:
    mine = LedgerEntry.objects.filter(user=visit.user_id, corpus=visit.link.corpus_id)
    earned: Any = in_visit(mine, visit.pk, user="user", corpus="corpus", at="created_at")
    return Progress(
        tasks_done(visit),
        visit.link.tasks_wanted,
        earned.total_cents(),
        visit.link.platform_name,
        visit.link.corpus_id,
        time_left(visit) == timedelta(),
    )


def time_left(visit: Visit) -> timedelta | None:
    """Returns how long a visit may still last, zero if its time is over; None if its link sets no time."""
    if not visit.link.minutes_allowed:
        return None
    allowed = timedelta(minutes=visit.link.minutes_allowed)
    began = visit.arrived_at or timezone.now()  # a preview has not begun
    return max(began + allowed - timezone.now(), timedelta())


def minutes_left(visit: Visit) -> int | None:
    """Returns the minutes that a visit may still last, begun ones included; None if its link sets no time."""
    left = time_left(visit)
    return None if left is None else ceil(left / timedelta(minutes=1))


def end_of(visit: Visit, *, is_finished: bool) -> Visit.End | None:
    """Returns how a visit ends, if it can end now; None while there is work and time for it."""
    if is_finished or visit.finished_at is not None:
        return Visit.End.FINISHED
    if time_left(visit) == timedelta():
        return Visit.End.TIMED_OUT
    if address_of_work(visit):
        return None
    return Visit.End.SCREENED_OUT if _is_screened_out(visit) else Visit.End.NO_WORK


def _is_screened_out(visit: Visit) -> bool:
    """Returns whether a researcher excluded this person from the corpus, or they failed its exam."""
    excluded = Exclusion.objects.of(visit.user).filter(corpus=visit.link.corpus_id)
    return excluded.exists() or has_failed(visit)


def has_failed(visit: Visit) -> bool:
    """Returns whether this person failed an exam of the corpus, waits for no result, and holds no other pass."""
    corpus = visit.link.corpus_id
    mine = ExamAttempt.objects.filter(annotator=visit.user, exam__corpus=corpus)
    held = Grant.objects.filter(user=visit.user).standing().values("qualification")
    failed = mine.filter(passed=False).exclude(exam__qualification__in=held)
    return failed.exists() and not exam_waits(visit)


def exam_waits(visit: Visit) -> bool:
    """Returns whether a researcher has still to read an exam of the corpus that this person sent."""
    mine = ExamAttempt.objects.filter(annotator=visit.user, exam__corpus=visit.link.corpus_id)
    return mine.waiting().exists()


@one_transaction
def note_return(*, visit: Visit, end: Visit.End) -> bool:
    """Records that the person went back to the platform, and with which code. Only the first time counts."""
    waiting = Visit.objects.filter(pk=visit.pk, returned_at=None)
    return waiting.update(returned_at=timezone.now(), ended_as=end) > 0


def finish_visits(*, user: int, corpus: int) -> bool:
    """Finishes somebody's visits to a corpus if enough was sent. Call it in the transaction that saved the work.

    Returns whether a visit was finished now.
    """
    return _finish(Visit.objects.filter(user=user, link__corpus=corpus))


@one_transaction
def finish_all(visits: QuerySet[Visit]) -> None:
    """Finishes those of the visits in which enough was sent."""
    _finish(visits)


def _finish(visits: QuerySet[Visit]) -> bool:
    # Locked, because two pieces of work that are sent at one moment would not count each other.
    found = visits.filter(finished_at=None).select_related("link")
    locked = found.select_for_update(of=("self",), no_key=True).order_by("pk")
    done = [visit.pk for visit in locked if tasks_done(visit) >= visit.link.tasks_wanted]
    if done:
        Visit.objects.filter(pk__in=done).update(finished_at=timezone.now())
    return bool(done)


def forget_sessions(user: User) -> None:
    """Blanks the platform's study and session of a person who is erased. The visits themselves stay."""
    visits = Visit.objects.filter(user=user)
    visits.update(study="", session=Concat(Value("erased-"), Cast("pk", CharField())))


def visit_of(user: User, visit_id: int | None) -> Visit | None:
    """Returns the visit of this browser; if it did not come through a link, the newest visit of the person."""
    visits = Visit.objects.filter(user=user).select_related("link__corpus", "user")
    return visits.filter(pk=visit_id or 0).first() or visits.order_by("-pk").first()


def earnings(link: EntryLink) -> QuerySet[PlatformIdentity]:
    """Returns people with `participant`, `finished` visits, and `cents` earned through this link.

    An entry of the ledger belongs to the link of its visit (`visit_of_work`), so people who came through several links
    are paid once.
    """
    visits = Visit.objects.filter(link=link, user=OuterRef("user")).order_by().values("user")
    came_by = visit_of_work(user="user", corpus="corpus", at="created_at")
    earned = (
        LedgerEntry.objects.filter(user=OuterRef("user"), corpus=link.corpus_id)
        .annotate(came_by=Subquery(came_by.values("link")[:1]))
        .filter(came_by=link.pk)
        .order_by()
        .values("user")
        .annotate(total=Sum("cents"))
        .values("total")
    )
    here = PlatformIdentity.objects.filter(platform=link.platform, user__visits__link=link).distinct()
    return here.annotate(
        finished=Coalesce(Subquery(visits.annotate(n=Count("finished_at")).values("n")), 0),
        cents=Coalesce(Subquery(earned), 0),
    ).order_by("pk")
