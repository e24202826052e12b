"""Writes what people earn to the ledger, and says why."""

import re
from collections.abc import Mapping

from django.utils import timezone

from accounts.models import User
from collection.models import LedgerEntry
from shared.prepared_statements import Step, changed, moment
from shared.translatable import gettext_noop, ngettext_noop

# Why somebody earned something. The ledger stores it in English; a person's own page translates it.
REASONS: Mapping[str, str | tuple[str, str]] = {
    LedgerEntry.Kind.WRITING: ngettext_noop(
        "Wrote %(count)s sentence for %(name)s", "Wrote %(count)s sentences for %(name)s"
    ),
    LedgerEntry.Kind.SKIP: gettext_noop("Skipped an upsetting text of %(name)s"),
    LedgerEntry.Kind.LABELS: ngettext_noop(
        "Labelled %(count)s pair of %(name)s", "Labelled %(count)s pairs of %(name)s"
    ),
    LedgerEntry.Kind.BONUS: gettext_noop("Bonus: you and an expert agreed on a pair of %(name)s"),
    LedgerEntry.Kind.READING: gettext_noop("Read the instructions “%(prompt)s” of %(name)s"),
    LedgerEntry.Kind.TOP_UP: gettext_noop("Topped up to %(wage)s an hour for %(name)s"),
}
LONGEST_REASON = 200

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


def parts_of(reason: str) -> tuple[str | tuple[str, str], dict[str, str]]:
    """Returns the text of REASONS that a reason was made of, and its values; the reason itself if it is none of them."""
    for text in REASONS.values():
        for form in text if isinstance(text, tuple) else (text,):
            pattern = re.sub(r"%\\\((\w+)\\\)s", r"(?P<\1>.*)", re.escape(form))
            found = re.fullmatch(pattern.replace("(?P<count>.*)", r"(?P<count>\d+)"), reason)
            if found:
                return text, found.groupdict()
    return "%(reason)s", {"reason": reason}


def earn(*, user: User, corpus_id: int, kind: str, cents: int, reason: str, key: str) -> None:
    """Adds an entry to the ledger. `kind` is one of LedgerEntry.Kind.

    The same key earns once. For 0 cents there is no entry.
    """
    if cents:
        changed(earning(user=user, corpus_id=corpus_id, kind=kind, cents=cents, reason=reason, key=key))


def earning(*, user: User, corpus_id: int, kind: str, cents: int, reason: str, key: str) -> Step:
    """Returns the statement of `earn`, to be sent together with others. `cents` must not be 0."""
    return EARN, [user.pk, corpus_id, str(kind), cents, reason, key, moment(timezone.now())]
