"""Writes what people earn to the ledger."""

from django.utils import timezone

from accounts.models import User
from shared.prepared_statements import Step, changed, moment

EARN = """
INSERT INTO collection_ledgerentry (user_id, corpus_id, kind, cents, reason, "key", created_at)
VALUES (%s, %s, %s, %s, %s, %s, %s) ON CONFLICT DO NOTHING
"""


def earn(*, user: User, corpus_id: int, kind: str, cents: int, reason: str, key: str) -> None:
    """Adds an entry to the ledger. `kind` is one of LedgerEntry.Kind.

    The same key earns once. For 0 cents there is no entry.
    """
    if cents:
        changed(earning(user=user, corpus_id=corpus_id, kind=kind, cents=cents, reason=reason, key=key))


def earning(*, user: User, corpus_id: int, kind: str, cents: int, reason: str, key: str) -> Step:
    """Returns the statement of `earn`, to be sent together with others. `cents` must not be 0."""
    return EARN, [user.pk, corpus_id, str(kind), cents, reason, key, moment(timezone.now())]
