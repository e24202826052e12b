"""Forgets personal data after the periods of KEEP_DAYS, once nobody needs it: to be paid, or to go on with work.

Texts, labels and pay stay, under codes. docs/how-to/operate.md says what each period is about.
"""

from collections.abc import Callable
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Exists, OuterRef, QuerySet
from django.db.models.functions import Coalesce
from django.utils import timezone

from accounts.models import Background, PlatformIdentity, Submission, User
from accounts.people.erasure import ERASED_ID, forget_participant
from annotation_site.personal_data.records import erase
from collection.models import DraftText, LedgerEntry, WritingAssignment
from shared.portions import portions

AT_ONCE = 500


def forget_old(*, only_count: bool = False) -> dict[str, int]:
    """Forgets what is older than its period. Returns how many rows or people it was, by the name of the period.

    Each person is a transaction of their own; what was interrupted goes on at the next time.
    """
    now = timezone.now()
    return {
        name: PERIODS[name](now - timedelta(days=days), only_count)
        for name, days in settings.KEEP_DAYS.items()
    }


def not_seen_since(moment: datetime) -> QuerySet[User]:
    """Returns the annotators who neither signed in nor sent anything since, and to whom no pay is owed."""
    owed = LedgerEntry.objects.unpaid().of_real_studies().filter(user=OuterRef("pk"))
    sent = Submission.objects.filter(user=OuterRef("pk"), created_at__gte=moment)
    people = User.objects.filter(role=User.Role.ANNOTATOR, kind=User.Kind.PERSON, is_active=True)
    seen = people.annotate(seen_at=Coalesce("last_login", "date_joined")).filter(seen_at__lt=moment)
    return seen.filter(~Exists(sent), ~Exists(owed))


def _accounts(before: datetime, only_count: bool) -> int:
    return _each(not_seen_since(before), erase, only_count)


def _platform_ids(before: datetime, only_count: bool) -> int:
    known = PlatformIdentity.objects.exclude(participant__startswith=ERASED_ID)
    return _each(known.filter(user__in=not_seen_since(before).values("pk")), forget_participant, only_count)


def _background(before: datetime, only_count: bool) -> int:
    rows = Background.objects.filter(user__in=not_seen_since(before).values("pk"))
    return rows.count() if only_count else rows.delete()[0]


def _drafts(before: datetime, only_count: bool) -> int:
    """Of tasks that are closed: an open one is still being written."""
    closed = WritingAssignment.objects.filter(closed_at__lt=before)
    return _in_portions(
        DraftText.objects.filter(assignment__in=closed.values("pk"), saved_at__lt=before), only_count
    )


def _request_keys(before: datetime, only_count: bool) -> int:
    return _in_portions(Submission.objects.filter(created_at__lt=before), only_count)


def _each(rows: QuerySet, forget: Callable, only_count: bool) -> int:
    if only_count:
        return rows.count()
    found = list(rows.order_by("pk"))
    for row in found:
        forget(row)
    return len(found)


def _in_portions(rows: QuerySet, only_count: bool) -> int:
    """Deletes many rows in statements of moderate size, so that nobody waits long for a lock."""
    if only_count:
        return rows.count()
    keys = list(rows.order_by("pk").values_list("pk", flat=True))
    return sum(rows.model.objects.filter(pk__in=some).delete()[0] for some in portions(keys, AT_ONCE))


PERIODS: dict[str, Callable[[datetime, bool], int]] = {
    "accounts": _accounts,
    "platform_ids": _platform_ids,
    "background": _background,
    "drafts": _drafts,
    "request_keys": _request_keys,
}
