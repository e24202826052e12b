"""When a visit through a link of an outside platform is finished: once enough work was sent."""

from collections.abc import Callable

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from collection.models import Visit, WritingAssignment


def tasks_done(visit: Visit) -> int:
    """Counts the pieces of work done for the link's corpus since the visit began."""
    return sum(count(visit) for count in WORK)


def premises_written(visit: Visit) -> int:
    """Counts the premises written for; what is surplus was written as well."""
    sent = WritingAssignment.objects.sent().filter(corpus=visit.link.corpus_id, annotator=visit.user_id)
    return sent.filter(closed_at__gte=visit.arrived_at).count()


# What counts as work. Validation adds its batches: it lies above this app.
WORK: list[Callable[[Visit], int]] = [premises_written]


def finish_visits(*, user: int, corpus: int) -> bool:
    """Marks somebody's visits for a corpus finished where enough was sent, in the transaction that saved the work.

    Returns whether one was finished now.
    """
    return _finish(Visit.objects.filter(user=user, link__corpus=corpus))


@transaction.atomic
def finish_all(visits: QuerySet[Visit]) -> None:
    """Marks those of these visits finished in which enough was sent."""
    _finish(visits)


def _finish(visits: QuerySet[Visit]) -> bool:
    # Locked: two pieces of work that are sent at one moment would each not count the other.
    found = visits.filter(finished_at=None).select_related("link")
    locked = found.select_for_update(of=("self",), no_key=True).order_by("pk")
    done = [visit.pk for visit in locked if tasks_done(visit) >= visit.link.tasks_wanted]
    if done:
        Visit.objects.filter(pk__in=done).update(finished_at=timezone.now())
    return bool(done)
