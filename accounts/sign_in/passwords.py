"""Checks and changes passwords."""

from datetime import timedelta

from django.contrib.auth import authenticate
from django.contrib.auth.tokens import default_token_generator
from django.core import signing
from django.db import transaction
from django.utils.encoding import force_bytes, force_str
from django.utils.http import urlsafe_base64_decode, urlsafe_base64_encode
from django.utils.translation import gettext

from accounts.errors import AccountsError
from accounts.models import SignInAttempt, User
from accounts.sign_in.security_log import note
from accounts.sign_in.throttle import TooManyAttempts, account_key, begin_sign_in, finish_sign_in
from accounts.sign_in.tokens import end_access, end_tokens

CONFIRM_WITHIN = timedelta(days=1)
EMAIL_SALT = "e-mail address of a person"


class WrongSignIn(AccountsError):
    """Wrong user name or password; the error does not say which."""

    def __init__(self) -> None:
        super().__init__(gettext("Wrong user name or password. Please check both."))


def sign_in(*, username: str, password: str, address: str) -> User:
    """Returns the person with this user name and password. Raises TooManyAttempts or WrongSignIn.

    Unknown names take as long as known ones: Django hashes the password for them too.
    """
    try:
        attempt = begin_sign_in(account=username, address=address)
    except TooManyAttempts:
        note("sign-in locked", address=address)
        raise
    user = authenticate(username=User.normalize_username(username), password=password)
    if user is None:
        note("sign-in failed", address=address)
        raise WrongSignIn
    finish_sign_in(attempt=attempt)
    return user


def change_password(*, user: User, old: str, new: str, address: str) -> int:
    """Sets a new password, signs out the person's other browsers, and revokes their tokens. Returns how many tokens.

    Raises TooManyAttempts or WrongSignIn: the old password is checked under the limits of the sign-in.
    """
    sign_in(username=user.username, password=old, address=address)
    user.set_password(new)
    user.save(update_fields=["password"])
    ended = end_tokens(user=user)
    note("password changed", user=user.code, address=address)
    return ended


def people_with(email: str) -> list[User]:
    """Returns the people who can get a new password by a mail to this address."""
    found = User.objects.filter(email__iexact=email, is_active=True).order_by("pk")
    return [user for user in found if user.has_usable_password()]


def reset_link(user: User) -> tuple[str, str]:
    """Returns the two parts of the address at which a person chooses a new password once, within the hour."""
    return urlsafe_base64_encode(force_bytes(user.pk)), default_token_generator.make_token(user)


def person_of_link(uid: str, token: str) -> User | None:
    """Returns the person of an address that `reset_link` made, if it is still good."""
    try:
        user = User.objects.filter(pk=int(force_str(urlsafe_base64_decode(uid))), is_active=True).first()
    except (ValueError, OverflowError):
        return None
    good = (
        user is not None and user.has_usable_password() and default_token_generator.check_token(user, token)
    )
    return user if good else None


@transaction.atomic
def reset_password(*, user: User, token: str, new: str, address: str) -> bool:
    """Sets a new password by the token of a mail: signs out all browsers, revokes tokens, ends the lock of the sign-in.

    Returns False if the link was used at this very moment.
    """
    locked = User.objects.select_for_update(no_key=True).get(pk=user.pk)
    if not default_token_generator.check_token(locked, token):
        return False
    locked.set_password(new)
    locked.save(update_fields=["password"])
    end_access(locked)
    SignInAttempt.objects.filter(account=account_key(locked.username)).delete()
    note("password reset by mail", user=locked.code, address=address)
    return True


def confirmation_of(user: User, email: str) -> str:
    """Returns a signed token to mail to a new address: whoever returns it can read that mail."""
    return signing.dumps([user.pk, user.email, email], salt=EMAIL_SALT)


def confirmed_address(user: User, token: str) -> str | None:
    """Returns the address in a token of `confirmation_of`.

    None if the token is of another person or too old, or if their address has changed since.
    """
    try:
        pk, before, email = signing.loads(token, salt=EMAIL_SALT, max_age=CONFIRM_WITHIN)
    except signing.BadSignature:
        return None
    return str(email) if (pk, before) == (user.pk, user.email) else None


def keep_email(*, user: User, email: str) -> None:
    """Stores or deletes the address to which a link for a new password goes."""
    user.email = email
    user.save(update_fields=["email"])
    note("e-mail address changed", user=user.code)
