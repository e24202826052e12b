"""Visits through entry links: when they are finished, and what they earned."""

from collections.abc import Callable

from django.db.models import CharField, Count, Min, OuterRef, QuerySet, Subquery, Sum, Value
from django.db.models.functions import Cast, Coalesce, Concat
from django.utils import timezone

from accounts.models import PlatformIdentity, User
from collection.models import EntryLink, LedgerEntry, Visit, WritingAssignment
from shared.transactions import one_transaction


def tasks_done(visit: Visit) -> int:
    """Counts the pieces of work done for the link's corpus since the visit began."""
    return sum(count(visit) for count in WORK)


def premises_written(visit: Visit) -> int:
    """Counts the premises written for, surplus ones too."""
    sent = WritingAssignment.objects.sent().filter(corpus=visit.link.corpus_id, annotator=visit.user_id)
    return sent.filter(closed_at__gte=visit.arrived_at).count()


# Counters of work. Validation, which imports this app, adds one for its batches.
WORK: list[Callable[[Visit], int]] = [premises_written]
# What may still be offered: (person, corpus id) -> whether there is any. Validation adds its offers.
OFFERS: list[Callable[[User, int], bool]] = []


def has_run_out(visit: Visit) -> bool:
    """Whether nothing of the link's corpus is left for this person at present, and the visit is not finished."""
    if visit.finished_at is not None:
        return False
    return not any(has_offer(visit.user, visit.link.corpus_id) for has_offer in OFFERS)


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
    # Locked, because of two pieces of work sent at one moment neither would count the other.
    found = visits.filter(finished_at=None).select_related("link")
    locked = found.select_for_update(of=("self",), no_key=True).order_by("pk")
    done = [visit.pk for visit in locked if tasks_done(visit) >= visit.link.tasks_wanted]
    if done:
        Visit.objects.filter(pk__in=done).update(finished_at=timezone.now())
    return bool(done)


def let_another_browser_in(visits: QuerySet[Visit]) -> int:
    """Unbinds visits from their browsers, so that they can go on in another one. Returns how many."""
    return visits.exclude(browser="").update(browser="")


def forget_sessions(user: User) -> None:
    """Blanks the platform's study and session of a person who is erased. The visits themselves stay."""
    visits = Visit.objects.filter(user=user)
    visits.update(study="", session=Concat(Value("erased-"), Cast("pk", CharField())))


def visit_of(user: User, visit_id: int | None) -> Visit | None:
    """Returns the visit of this browser; if it did not come through a link, the newest visit of the person."""
    visits = Visit.objects.filter(user=user).select_related("link__corpus", "user")
    return visits.filter(pk=visit_id or 0).first() or visits.order_by("-pk").first()


def earnings(link: EntryLink) -> QuerySet[PlatformIdentity]:
    """Returns people with `participant`, `finished` visits, and `cents` earned since their first visit."""
    visits = Visit.objects.filter(link=link, user=OuterRef("user")).order_by().values("user")
    earned = (
        LedgerEntry.objects.filter(
            user=OuterRef("user"),
            created_at__gte=Subquery(visits.annotate(at=Min("arrived_at")).values("at")),
        )
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
