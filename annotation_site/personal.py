"""What the site knows about one person, and what goes when that person is erased: both look into several apps."""

from collections.abc import Iterator
from typing import Any

from django.db import transaction
from django.db.models import F

from accounts.actions import erase_person
from accounts.backgrounds import QUESTIONS
from accounts.models import Background, Grant, User
from collection.actions import discard_drafts
from collection.entering import forget_sessions
from collection.models import DraftText, ExamAttempt, Pair, ProblemReport, Visit
from validation.models import BatchItem, DraftAnswer

Row = dict[str, Any]


@transaction.atomic
def erase(user: User) -> None:
    """Erases a person from every app: see `accounts.actions.erase_person`. Raises OnlyAdministrator."""
    discard_drafts(annotator=user)
    DraftAnswer.objects.filter(assignment__annotator=user).delete()
    forget_sessions(user)
    erase_person(user=user)


def everything_about(user: User) -> Iterator[Row]:
    """All records about a person, one dictionary each, named by `record`; what others may not see is left out:
    a researcher's hidden label of a pair, and who else labelled it."""
    yield {
        "record": "account",
        "user_name": user.username,
        "email": user.email,
        "code": user.code,
        "role": user.role,
        "joined_at": user.date_joined,
        "last_signed_in_at": user.last_login,
    }
    for name, rows in _records(user).items():
        for row in rows.iterator():
            yield {"record": name, **row}


def _records(user: User) -> dict[str, Any]:
    """Queries of dictionaries by the name of what they hold."""
    return {
        "platform": user.platform_identities.values("platform", "participant"),
        "visit": Visit.objects.filter(user=user).values(
            "study", "session", "arrived_at", "finished_at", platform=F("link__platform")
        ),
        "consent": user.consents.values("given_at", "withdrawn_at", title=F("form__title")),
        "background": Background.objects.filter(user=user).values(*QUESTIONS, "told_at"),
        "qualification": Grant.objects.filter(user=user).values(
            "how", "granted_at", "revoked_at", "revoked_because", name=F("qualification__name")
        ),
        "token": user.api_tokens.values("name", "scope", "created_at", "expires_at"),
        "exam": ExamAttempt.objects.filter(annotator=user).values(
            "number", "score", "passed", "sent_at", "judgement", corpus=F("exam__corpus__slug")
        ),
        "draft": DraftText.objects.filter(assignment__annotator=user).values(
            "label", "text", "saved_at", corpus=F("assignment__corpus__slug")
        ),
        "draft answer": DraftAnswer.objects.filter(assignment__annotator=user).values(
            "label", "skip_reason", "reason", "active_ms", corpus=F("assignment__question__corpus__slug")
        ),
        "text": Pair.objects.filter(author=user).values(
            "public_id",
            "author_label",
            "created_at",
            "withdrawn_at",
            text=F("hypothesis"),
            corpus_name=F("corpus__slug"),
        ),
        "report": ProblemReport.objects.made_by(user).values("text", "created_at", "answer", "answered_at"),
        "label": BatchItem.objects.filter(assignment__annotator=user).values(
            "answer",
            "skip_reason",
            "active_ms",
            pair=F("seat__pair__public_id"),
            corpus=F("assignment__question__corpus__slug"),
            handed_out_at=F("assignment__created_at"),
        ),
        "earned": user.ledger.values("cents", "reason", "created_at"),
    }
