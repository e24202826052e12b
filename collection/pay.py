"""Writes what people earn to the ledger, and says why."""

from django.utils import timezone

from accounts.models import User
from collection.models.pay import LONGEST_REASON, REASONS
from shared.prepared_statements import Step, changed, moment

EARN = """
INSERT INTO collection_ledgerentry (user_id, corpus_id, kind, cents, reason, "key", created_at)
VALUES (%s, %s, %s, %s, %s, %s, %s) ON CONFLICT DO NOTHING
"""


def reason_for(kind: str, **values: object) -> str:
    """Returns the reason of an entry, in English."""
    text = REASONS[kind]
    if isinstance(text, tuple):
        text = text[values["count"] != 1]
    return (text % values)[:LONGEST_REASON]


def key_of_text(token: str) -> str:
    """Returns the key of the entry that pays a writing task."""
    return f"writing:{token}"


def earn(*, user: User, corpus_id: int, kind: str, cents: int, reason: str, key: str) -> bool:
    """Adds an entry to the ledger, and returns whether it did. `kind` is one of LedgerEntry.Kind.

    The same key earns once. For 0 cents there is no entry.
    """
    step = earning(user=user, corpus_id=corpus_id, kind=kind, cents=cents, reason=reason, key=key)
    return bool(cents and changed(step))


def earning(*, user: User, corpus_id: int, kind: str, cents: int, reason: str, key: str) -> Step:
    """Returns the statement of `earn`, to be sent together with others. `cents` must not be 0."""
    return EARN, [user.pk, corpus_id, str(kind), cents, reason, key, moment(timezone.now())]
