"""Checks and changes passwords."""

from django.contrib.auth import authenticate

from accounts.errors import AccountsError
from accounts.models import User
from accounts.sign_in.security_log import note
from accounts.sign_in.throttle import TooManyAttempts, begin_sign_in, finish_sign_in
from accounts.sign_in.tokens import end_tokens


class WrongSignIn(AccountsError):
    """Wrong user name or password; the error does not say which."""

    def __init__(self) -> None:
        super().__init__("Wrong user name or password. Please check both.")


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


def change_password(*, user: User, old: str, new: str, address: str) -> None:
    """Sets a new password, signs out the person's other browsers, and revokes their tokens.

    Raises TooManyAttempts or WrongSignIn: the old password is checked under the limits of the sign-in.
    """
    sign_in(username=user.username, password=old, address=address)
    user.set_password(new)
    user.save(update_fields=["password"])
    end_tokens(user=user)
    note("password changed", user=user.code, address=address)
