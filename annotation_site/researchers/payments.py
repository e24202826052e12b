"""Pay lists: what people earned is approved, then exported for the platform that pays, then paid."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Count, OuterRef, QuerySet, Sum
from django.utils import timezone

from accounts.models import PlatformIdentity, User
from annotation_site.researchers.wages import SumChanged
from collection.models import Corpus, LedgerEntry, PayList, Visit
from collection.models.querysets import LedgerQuerySet


class WrongState(Exception):
    """The list is not in the state that this needs."""


@dataclass(frozen=True)
class Payment:
    """What one person gets by a list. Who came through an entry link has the platform's id alone: it never stands beside
    the code under which their work is published."""

    annotator: str
    platform: str
    participant: str
    cents: int


def unapproved(corpus: Corpus | OuterRef) -> LedgerQuerySet:
    """Returns the entries of people in a corpus, or in that of an outer query, that no list holds."""
    entries: LedgerQuerySet = LedgerEntry.objects.filter(corpus=corpus).unapproved()
    return entries


@transaction.atomic
def approve(*, corpus: Corpus, by: User, expected_cents: int) -> PayList:
    """Makes a list of everything that was earned in the corpus and is in no list yet.

    `expected_cents`: the sum that the researcher saw. Raises SumChanged if it differs now, or somebody else approved it.
    """
    made = PayList.objects.create(corpus=corpus, approved_by=by)
    # Of two approvals at once the second waits for the rows of the first, and finds none of them left.
    unapproved(corpus).update(pay_list=made)
    found = made.entries.aggregate(entries=Count("pk"), cents=Sum("cents"))
    if not found["entries"] or found["cents"] != expected_cents:
        raise SumChanged(found["cents"] or 0)
    return made


@transaction.atomic
def export(*, pay_list: PayList, by: User) -> list[Payment]:
    """Returns what each person gets, and notes the first time when somebody took the list out."""
    first = PayList.objects.filter(pk=pay_list.pk, exported_at=None)
    first.update(exported_at=timezone.now(), exported_by=by)
    return list(_payments(pay_list))


def mark_paid(*, pay_list: PayList, by: User) -> None:
    """Notes that the platform has paid a list. Raises WrongState if it was not exported, or is paid already."""
    exported = PayList.objects.filter(pk=pay_list.pk, exported_at__isnull=False, paid_at=None)
    if not exported.update(paid_at=timezone.now(), paid_by=by):
        raise WrongState("Only a list that was exported and is not paid yet can be marked as paid.")


def pay_lists(corpus: Corpus) -> QuerySet[PayList]:
    """Returns the lists of a corpus, the newest first, with `people` and `cents`."""
    return (
        PayList.objects.filter(corpus=corpus)
        .annotate(people=Count("entries__user", distinct=True), cents=Sum("entries__cents"))
        .select_related("approved_by")
    )


def _payments(pay_list: PayList) -> Iterator[Payment]:
    sums = pay_list.entries.order_by().values("user", "user__code").annotate(cents=Sum("cents"))
    people = [row["user"] for row in sums]
    visits = Visit.objects.filter(user__in=people, link__corpus=pay_list.corpus_id)
    platforms = dict(visits.order_by("arrived_at", "pk").values_list("user", "link__platform"))
    identities = {
        (each.user_id, each.platform): each.participant
        for each in PlatformIdentity.objects.filter(user__in=people)
    }
    for row in sums.order_by("user__code"):
        platform = platforms.get(row["user"], "")
        participant = identities.get((row["user"], platform), "")
        yield Payment("" if participant else row["user__code"], platform, participant, row["cents"])
