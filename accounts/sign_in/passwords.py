"""Checks and changes passwords."""

from django.contrib.auth import authenticate

from accounts.errors import AccountsError
from accounts.models import User
from accounts.sign_in.security_log import note
from accounts.sign_in.throttle import TooManyAttempts, begin_sign_in, finish_sign_in
from accounts.sign_in.tokens import end_tokens


class WrongSignIn(AccountsError):
    """No such account, or not this password: which of the two is nobody's business."""

    def __init__(self) -> None:
        super().__init__("This user name and password do not belong together. Please check both.")


def sign_in(*, username: str, password: str, address: str) -> User:
    """The person whom name and password belong to. Raises TooManyAttempts or WrongSignIn.

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
    """Sets a new password; every other browser of the person is signed out, and tokens for scripts end.

    Raises TooManyAttempts or WrongSignIn: the old password is guessed through the same throttled door.
    """
    sign_in(username=user.username, password=old, address=address)
    user.set_password(new)
    user.save(update_fields=["password"])
    end_tokens(user=user)
    note("password changed", user=user.code, address=address)
