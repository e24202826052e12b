"""One-time links by which somebody who lost their cookie comes back to a visit: a researcher makes one, and sends it."""

import hashlib
from datetime import datetime, timedelta

from django.utils import timezone
from django.utils.translation import gettext

from accounts.models import User, new_token
from accounts.sign_in.security_log import note
from accounts.sign_in.tokens import end_access
from collection.joining.entry_links import (
    Arrival,
    BegunElsewhere,
    EntryRefused,
    refuse,
    refuse_unless_annotator,
)
from collection.models import EntryLink, Visit
from shared.transactions import one_transaction

GOOD_FOR = timedelta(days=3)


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


@one_transaction
def make_return_link(*, visit: Visit, by: User) -> str:
    """Makes the token of a link back to a visit, and returns it; it cannot be shown again. An earlier one ends."""
    token = new_token()
    changed = {"return_digest": _digest(token), "return_until": timezone.now() + GOOD_FOR}
    Visit.objects.filter(pk=visit.pk).update(**changed)
    Visit.objects.filter(user=visit.user).update(waits_since=None)
    note("return link made", user=visit.user.code, by=by.code)
    return token


def visit_to_return_to(token: str, now: datetime) -> Visit:
    """Returns the visit of a token. Raises EntryRefused if it was used or is too old, or lets nobody in."""
    found = Visit.objects.filter(return_digest=_digest(token), return_until__gt=now)
    visit = found.select_related("user", "link__corpus").first()
    if visit is None:
        raise EntryRefused(
            gettext(
                "This link was used already, or it is too old. If you need another, write to the researchers who sent it."
            )
        )
    refuse_unless_annotator(visit.user, None)
    return visit


@one_transaction
def note_waiting(*, link: EntryLink, arrival: Arrival, browser: str, signed_in: User | None) -> None:
    """Notes that somebody's visits belong to another browser, which keeps them out. Raises EntryRefused for others."""
    try:
        refuse(link=link, arrival=arrival, browser=browser, signed_in=signed_in)
    except BegunElsewhere as refusal:
        Visit.objects.filter(pk=refusal.visit, waits_since=None).update(waits_since=timezone.now())


@one_transaction
def come_back(*, token: str, browser: str) -> Visit:
    """Uses a link up: its person's visits belong to this browser from now on, and all others are signed out.

    `browser`: the digest of its cookie. Raises EntryRefused.
    """
    visit = visit_to_return_to(token, timezone.now())
    # Of two browsers with the same link, the second waits here, and then finds it used.
    used = Visit.objects.filter(pk=visit.pk, return_digest=_digest(token)).update(
        return_digest="", return_until=None
    )
    if not used:
        return visit_to_return_to(token, timezone.now())
    Visit.objects.filter(user=visit.user).exclude(browser="").update(browser=browser)
    Visit.objects.filter(pk=visit.pk).update(browser=browser)
    Visit.objects.filter(user=visit.user).exclude(waits_since=None).update(waits_since=None)
    end_access(visit.user)
    note("return link used", user=visit.user.code)
    return visit
