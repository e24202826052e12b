"""Idempotency keys: the same submission sent twice is saved once."""

import hashlib
import json

from django.utils import timezone
from django.utils.translation import gettext

from accounts.errors import AccountsError
from accounts.models import Submission, User
from shared.prepared_statements import changed, moment

KEEP_KEY = """
INSERT INTO accounts_submission (user_id, "key", digest, created_at) VALUES (%s, %s, %s, %s) ON CONFLICT DO NOTHING
"""


class KeyReused(AccountsError):
    """An idempotency key was used before with other content."""

    def __init__(self) -> None:
        super().__init__(
            gettext(
                "This idempotency key was used before with other content. Send this request with a new key."
            )
        )


class KeyUnusable(AccountsError):
    """An idempotency key is empty, too long, or holds a NUL character."""

    def __init__(self) -> None:
        super().__init__(gettext("An idempotency key has 1 to 100 characters. A random UUID is a good one."))


def record_submission(*, user: User, key: str, content: object) -> bool:
    """Records an idempotency key. Returns True the first time, False for a repeat. Raises KeyReused, KeyUnusable.

    `content` is anything that JSON can hold. Call it first in the transaction that saves the work: a second
    request with the same key then waits until the first has committed or rolled back.
    """
    _check(key)
    digest = _digest_of(content)
    # One statement if the key is new, as it nearly always is. Looking first would cost a second one and a savepoint.
    if changed((KEEP_KEY, [user.pk, key, digest, moment(timezone.now())])):
        return True
    if not was_submitted(user=user, key=key, content=content):
        raise KeyReused
    return False


def was_submitted(*, user: User, key: str, content: object) -> bool:
    """Returns whether this content was sent before with the key. Records nothing. Raises KeyReused, KeyUnusable."""
    _check(key)
    earlier = Submission.objects.filter(user=user, key=key).first()
    if earlier is not None and earlier.digest != _digest_of(content):
        raise KeyReused
    return earlier is not None


def _check(key: str) -> None:
    if not 1 <= len(key) <= 100 or "\0" in key:
        raise KeyUnusable


def _digest_of(content: object) -> str:
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
