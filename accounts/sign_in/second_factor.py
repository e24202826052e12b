"""The second step of a sign-in: the code of an app, a recovery code, or a passkey.

django-allauth stores and checks them. The rules of this site are here: the throttle stands in front, a code of an app works
once, and the security log names what happened.
"""

import base64
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from allauth.core.internal.cryptokit import compare_user_code
from allauth.mfa import signals
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal import auth as totp
from allauth.mfa.utils import decrypt
from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings
from django.db import transaction
from django.dispatch import receiver
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext

from accounts.errors import AccountsError
from accounts.models import User
from accounts.sign_in.browsers import end_sessions
from accounts.sign_in.security_log import note
from accounts.sign_in.throttle import TooManyAttempts, account_of_second_step, begin_sign_in, finish_sign_in

Type = Authenticator.Type
LAST_STEP = "last_step"  # key in an authenticator's data: the 30-second step whose code was used last; a code works once


class WrongCode(AccountsError):
    """A code or passkey that does not belong to the person, or was used before."""

    def __init__(self) -> None:
        super().__init__(
            gettext("This code is wrong, or it was used before. Please type the one that is shown now.")
        )


class Adapter(DefaultMFAAdapter):
    """Encrypts what would let a reader of the database sign in: the secret of an app, the seed of recovery codes."""

    error_messages = {
        **DefaultMFAAdapter.error_messages,
        "incorrect_code": "This code is wrong. Type the six digits that the app shows now. If they are refused again, check"
        " the clock of the phone.",
    }

    def generate_authenticator_name(self, user: Any, type: Authenticator.Type) -> str:
        """Returns the name of a passkey to which its owner gives none."""
        return f"Key {Authenticator.objects.filter(user=user, type=type).count() + 1}"

    def encrypt(self, text: str) -> str:
        return _cipher().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        return _cipher().decrypt(encrypted_text.encode()).decode()


def _cipher() -> Fernet:
    digest = salted_hmac(
        "accounts.second_factor", b"", secret=settings.SECRET_KEY, algorithm="sha256"
    ).digest()
    return Fernet(base64.urlsafe_b64encode(digest))


def has_second_factor(user: User) -> bool:
    """Returns whether the sign-in of a person has a second step."""
    return second_factor_since(user) is not None


def second_factor_since(user: User) -> datetime | None:
    """Returns since when the sign-in of a person has a second step; None if it has none."""
    factors = Authenticator.objects.filter(user=user).exclude(type=Type.RECOVERY_CODES)
    return factors.order_by("created_at").values_list("created_at", flat=True).first()


@contextmanager
def limited(user: User, address: str) -> Iterator[None]:
    """Counts an attempt at the second step before it is checked, as at the sign-in. Raises TooManyAttempts."""
    try:
        attempt = begin_sign_in(account=account_of_second_step(user.username), address=address)
    except TooManyAttempts:
        note("second step locked", user=user.code, address=address)
        raise
    try:
        yield
    except Exception:
        note("second step failed", user=user.code, address=address)
        raise
    finish_sign_in(attempt=attempt)


def use_code(*, user: User, code: str, address: str) -> Authenticator:
    """Uses up a code and returns what it belongs to, the app or the recovery codes. Raises TooManyAttempts or WrongCode."""
    with limited(user, address), transaction.atomic():
        kinds = Authenticator.objects.select_for_update().filter(user=user).exclude(type=Type.WEBAUTHN)
        used = next((each for each in kinds if takes(each, code)), None)
        if used is None:
            raise WrongCode
    if used.type == Type.RECOVERY_CODES:
        used.refresh_from_db()
        left = len(used.wrap().get_unused_codes())
        note("recovery code used", user=user.code, left=left, address=address)
    used.user = user
    return used


def takes(authenticator: Authenticator, code: str) -> bool:
    """Returns whether a code is right, and marks it as used.

    django-allauth remembers used codes of an app in the cache, which here each process has for itself. The row is
    locked by the caller, so of two requests with one code the second sees the mark of the first.
    """
    try:
        if authenticator.type == Type.RECOVERY_CODES:
            return authenticator.wrap().validate_code(code)
        secret = decrypt(authenticator.data["secret"])
    except InvalidToken:
        note("second factor unreadable: SECRET_KEY is another one", user=authenticator.user_id)
        return False
    for step in totp.yield_hotp_counters_from_time():
        expected = totp.format_hotp_value(totp.hotp_value(secret, step))
        if step > authenticator.data.get(LAST_STEP, 0) and compare_user_code(actual=code, expected=expected):
            authenticator.data[LAST_STEP] = step
            authenticator.save(update_fields=["data"])
            return True
    return False


@transaction.atomic
def reset_second_factor(*, user: User, by: str) -> bool:
    """Removes the second factor of a person who lost it, and signs them out everywhere. Returns False if they have none."""
    removed, _ = Authenticator.objects.filter(user=user).delete()
    if removed:
        end_sessions(user)
        note("second factor reset", user=user.code, by=by)
    return removed > 0


@receiver(signals.authenticator_added, sender=Authenticator)
def note_added(user: User, authenticator: Authenticator, **_: Any) -> None:
    note("second factor added", user=user.code, kind=authenticator.type)


@receiver(signals.authenticator_removed, sender=Authenticator)
def note_removed(user: User, authenticator: Authenticator, **_: Any) -> None:
    note("second factor removed", user=user.code, kind=authenticator.type)


@receiver(signals.authenticator_reset, sender=Authenticator)
def note_new_codes(user: User, **_: Any) -> None:
    note("recovery codes made", user=user.code)
