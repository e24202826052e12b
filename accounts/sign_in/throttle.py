"""Limits failed sign-ins by account and by network address."""

import ipaddress
import math
import unicodedata
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext, ngettext

from accounts.errors import AccountsError
from accounts.models import SignInAttempt

# Failed sign-ins within `settings.SIGN_IN_WINDOW_SECONDS` before the next attempt must wait.
# Somebody who forgot a password tries three or four; 5 in 15 minutes let a guesser try 480 a day.
FAILURES_BY_ACCOUNT_AND_ADDRESS = 5
# One account guessed from many addresses. Higher, because anybody can lock an account this way.
FAILURES_BY_ACCOUNT = 20
# One password tried on many accounts. A class of annotators behind one address mistypes less often.
# Sign-ins under way count too: keep this above what the server answers at one time.
FAILURES_BY_ADDRESS = 50
# What needs no secret has a counter of its own by address: entries, sign-ups and forgotten passwords. Otherwise whoever
# opens a public link fifty times would lock the sign-in of everybody behind the same address.
OPEN_DOORS = ("entry:", "sign-up:", "mail:")


class TooManyAttempts(AccountsError):
    """The sign-in is locked for this account or address. `retry_after` is in seconds, at least 1."""

    def __init__(self, retry_after: int) -> None:
        self.look_again = wait_and_try_again(retry_after)
        super().__init__(gettext("Too many failed sign-ins.") + f" {self.look_again}")
        self.retry_after = retry_after


def wait_and_try_again(seconds: int) -> str:
    """Returns a sentence with the waiting time, rounded up to whole minutes from a minute on."""
    if seconds < 60:
        return ngettext(
            "Please wait %(count)s second, then try again.",
            "Please wait %(count)s seconds, then try again.",
            seconds,
        ) % {"count": seconds}
    minutes = math.ceil(seconds / 60)
    return ngettext(
        "Please wait %(count)s minute, then try again.",
        "Please wait %(count)s minutes, then try again.",
        minutes,
    ) % {"count": minutes}


def begin_sign_in(*, account: str, address: str) -> SignInAttempt:
    """Records an attempt before its password is checked. Raises TooManyAttempts, whatever the password is.

    The attempt is written and committed first and counted after: with "count, then write", thirty
    guesses at once would each count nothing and all pass. A refused attempt leaves no row, so that
    attempts during the lock do not prolong it.
    """
    account = account_key(account)
    _refuse_if_locked(account, address, mine=0)
    attempt = _write_attempt(account, address)
    try:
        _refuse_if_locked(account, address, mine=1)
    except TooManyAttempts:
        attempt.delete()
        raise
    return attempt


def finish_sign_in(*, attempt: SignInAttempt) -> None:
    """Deletes a successful attempt and the person's failed ones before it.

    Deletes rows of this address that are too old to count, too.
    """
    mine = Q(account=attempt.account, address=attempt.address, pk__lte=attempt.pk)
    old = Q(address=attempt.address, at__lte=window_start())
    SignInAttempt.objects.filter(mine | old).delete()


def account_of_participant(platform: str, participant: str) -> str:
    """Returns the name that limits entries by a platform's link; no user name contains a colon."""
    return f"entry:{platform}:{participant}"


def account_of_second_step(username: str) -> str:
    """Returns the name that limits codes and passkeys: a right password must not clear the wrong codes after it."""
    return f"second step:{username}"


def account_key(account: str) -> str:
    """Returns one key for all spellings of a name: another spelling gives no further attempts."""
    return unicodedata.normalize("NFKC", account).casefold()[:150]


@transaction.atomic(durable=True)
def _write_attempt(account: str, address: str) -> SignInAttempt:
    """Commits the attempt at once: other requests must see it."""
    return SignInAttempt.objects.create(account=account, address=address)


def window_start() -> datetime:
    return timezone.now() - timedelta(seconds=settings.SIGN_IN_WINDOW_SECONDS)


def _refuse_if_locked(account: str, address: str, *, mine: int) -> None:
    """Raises TooManyAttempts if a limit is reached. `mine`: rows of this attempt itself, which do not count."""
    is_open = Q(*(("account__startswith", door) for door in OPEN_DOORS), _connector=Q.OR)
    by_account = Q(account=account)
    by_address = Q(is_open if account.startswith(OPEN_DOORS) else ~is_open, address=address)
    recent = SignInAttempt.objects.filter(at__gt=window_start())
    counts = recent.filter(by_account | by_address).aggregate(
        n_both=Count("pk", filter=by_account & by_address),
        n_account=Count("pk", filter=by_account),
        n_address=Count("pk", filter=by_address),
    )
    limits = (
        (counts["n_both"], FAILURES_BY_ACCOUNT_AND_ADDRESS, by_account & by_address),
        (counts["n_account"], FAILURES_BY_ACCOUNT, by_account),
        (counts["n_address"], FAILURES_BY_ADDRESS, by_address),
    )
    waits = [
        _seconds_until_free(recent.filter(rows), limit + mine)
        for count, limit, rows in limits
        if count - mine >= limit
    ]
    if waits:
        raise TooManyAttempts(max(waits))


def _seconds_until_free(failures: QuerySet[SignInAttempt], place: int) -> int:
    """Returns the seconds until one of the counted failures is too old to count.

    `place`: which one, counted from the newest; when it stops counting, the number is below the limit.
    """
    failure = failures.order_by("-at")[place - 1 : place].first()
    # Gone since it was counted: somebody signed in, so trying again soon makes sense.
    return 1 if failure is None else max(1, math.ceil((failure.at - window_start()).total_seconds()))


def client_address(request: HttpRequest) -> str:
    """Returns the address by which the sign-in limits failures.

    Behind `settings.TRUSTED_PROXIES` = n proxies it is the n-th from the right of X-Forwarded-For: the
    client may have made up everything further left. An IPv6 address counts by its /64, since one
    household has 2^64 of them.
    """
    address = request.META.get("REMOTE_ADDR", "")
    depth = settings.TRUSTED_PROXIES
    forwarded = request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")
    if 0 < depth <= len(forwarded):
        address = forwarded[-depth].strip() or address
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address[:45]
    if isinstance(parsed, ipaddress.IPv6Address):
        if parsed.ipv4_mapped is not None:
            return str(parsed.ipv4_mapped)
        return str(ipaddress.ip_network((parsed, 64), strict=False))
    return str(parsed)
