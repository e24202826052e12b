"""Collects everything stored about one person, and erases a person, across all apps."""

from collections.abc import Iterator
from typing import Any

from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.db import transaction
from django.db.models import F, Q

from accounts.background_questions import QUESTIONS
from accounts.models import Background, Grant, SignInAttempt, Submission, User
from accounts.people.erasure import ERASED, erase_person
from accounts.sign_in.throttle import account_key, account_of_participant, account_of_second_step
from collection.joining.visits import forget_sessions
from collection.models import (
    AdviceGiven,
    ArmDraw,
    DraftText,
    ExamAnswer,
    ExamAttempt,
    Exclusion,
    Guidance,
    Invitation,
    LevelChange,
    Pair,
    PilotWriter,
    ProblemReport,
    PromptReading,
    ReturnedText,
    Review,
    Visit,
    WritingAssignment,
    WritingSignals,
)
from collection.writing.submitting import discard_drafts
from validation.models import BatchItem, CalibrationAnswer, DraftAnswer, Label, Membership, QuestionReading

Row = dict[str, Any]


@transaction.atomic
def erase(user: User) -> None:
    """Erases a person from every app: see `erase_person`. Raises OnlyAdministrator.

    Also erases what researchers wrote about them: reasons of exclusions and of revoked qualifications, judgements of
    exams, remarks on returned or reviewed texts, and answers to their reports.
    """
    discard_drafts(annotator=user)
    Invitation.objects.filter(user=user).delete()
    user.corpus_memberships.all().delete()
    DraftAnswer.objects.filter(assignment__annotator=user).delete()
    forget_sessions(user)
    ProblemReport.objects.made_by(user).update(text=ERASED, answer="")
    Exclusion.objects.filter(annotator=user).update(reason=ERASED)
    ExamAttempt.objects.filter(annotator=user).exclude(judgement="").update(judgement=ERASED)
    ReturnedText.objects.of(user).update(remark=ERASED)
    Review.objects.filter(writer=user).exclude(remark="").update(remark=ERASED)
    erase_person(user=user)


def everything_about(user: User) -> Iterator[Row]:
    """Yields all records about a person as dictionaries; `record` names their kind. Leaves out what the person may not
    see: a researcher's hidden label of a pair, and who else labelled it."""
    yield {
        "record": "account",
        "user_name": user.username,
        "email": user.email,
        "code": user.code,
        "role": user.role,
        "language": user.language,
        "joined_at": user.date_joined,
        "last_signed_in_at": user.last_login,
    }
    for name, rows in _records(user).items():
        for row in rows.iterator():
            yield {"record": name, **row}


def _records(user: User) -> dict[str, Any]:
    """Returns queries of dictionaries by the name of the record."""
    return {
        "role in a corpus": user.corpus_memberships.values("corpus__slug", "role", "since"),
        "platform": user.platform_identities.values("platform", "participant"),
        "visit": Visit.objects.filter(user=user).values(
            *("study", "session", "arrived_at", "finished_at", "returned_at", "ended_as"),
            platform=F("link__platform"),
        ),
        "invitation": user.invitations.values(
            "email", "created_at", "mailed_at", "accepted_at", corpus_name=F("corpus__slug")
        ),
        "sign-up": user.sign_ups.values("created_at", corpus_name=F("corpus__slug")),
        "consent": user.consents.values(
            *("given_at", "withdrawn_at", "language"),
            title=F("form__title"),
            text=F("form__text"),
            translations=F("form__translations"),
        ),
        "background": Background.objects.filter(user=user).values(*QUESTIONS, "told_at"),
        "qualification": Grant.objects.filter(user=user).values(
            "how", "granted_at", "revoked_at", "revoked_because", name=F("qualification__name")
        ),
        "invitation given": Grant.objects.filter(granted_by=user).values(
            "granted_at", name=F("qualification__name")
        ),
        "sent": Submission.objects.filter(user=user).values("key", "created_at"),
        "signed in": user.browsers.values("address", "browser", "at"),
        "attempt to come in": SignInAttempt.objects.filter(account__in=_names(user)).values(
            "account", "address", "at"
        ),
        "second factor": Authenticator.objects.filter(user=user).values("type", "created_at", "last_used_at"),
        "identity at a provider": SocialAccount.objects.filter(user=user).values(
            "provider", "uid", "date_joined", "last_login"
        ),
        "saved filter": user.saved_filters.values("page", "name", "query", "created_at"),
        "token": user.api_tokens.values(*("name", "scope", "role", "corpus", "created_at", "expires_at")),
        "reading": PromptReading.objects.filter(annotator=user).values(
            "tries", "passed_at", prompt=F("version__prompt__slug"), corpus=F("version__prompt__corpus__slug")
        ),
        "arm": ArmDraw.objects.filter(annotator=user).values(
            "drawn_at", prompt=F("root__slug"), drawn=F("arm__slug"), corpus=F("root__corpus__slug")
        ),
        "instructions read": QuestionReading.objects.filter(annotator=user).values(
            "tries", "passed_at", corpus=F("question__corpus__slug")
        ),
        "exam": ExamAttempt.objects.filter(annotator=user).values(
            *("number", "score", "passed", "sent_at", "judged_at", "judgement"),
            corpus=F("exam__corpus__slug"),
        ),
        "exam answer": ExamAnswer.objects.filter(attempt__annotator=user).values(
            "premise", "hypothesis", "label", corpus=F("attempt__exam__corpus__slug")
        ),
        "pilot": PilotWriter.objects.filter(annotator=user).values(
            "chosen_at", prompt_slug=F("prompt__slug"), corpus=F("prompt__corpus__slug")
        ),
        "writing task": WritingAssignment.objects.filter(annotator=user).values(
            "created_at",
            "closed_at",
            "outcome",
            "model_helped",
            "skip_reason",
            "level_pay_cents",
            premise=F("seat__premise__public_id"),
            corpus_name=F("corpus__slug"),
        ),
        "how it was typed": WritingSignals.objects.filter(assignment__annotator=user).values(
            "active_ms",
            "keystrokes",
            "pastes",
            "pasted_chars",
            "bursts",
            "inserted_chars",
            task=F("assignment__created_at"),
            corpus=F("assignment__corpus__slug"),
        ),
        "advice met": AdviceGiven.objects.filter(assignment__annotator=user).values(
            "label", "advice", "refused", "given_at", corpus=F("assignment__corpus__slug")
        ),
        "what a model answered": Guidance.objects.filter(
            Q(assignment__annotator=user) | Q(pair__author=user)
        ).values(
            "label",
            "advice_seen",
            "model_tries",
            "fooled_at",
            "model_answer",
            "twin_answer",
            task=F("assignment__created_at"),
            text=F("pair__public_id"),
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
            "author_reason",
            "created_at",
            "withdrawn_at",
            "withdrawn_because",
            text=F("hypothesis"),
            corpus_name=F("corpus__slug"),
        ),
        "returned text": ReturnedText.objects.filter(pair__author=user).values(
            *("remark", "created_at", "until", "outcome", "closed_at"),
            public_id=F("pair__public_id"),
            mended_as=F("mended__public_id"),
        ),
        "review": Review.objects.filter(writer=user).values(
            *("percent", "is_sample", "is_feedback", "drawn_at", "verdict", "remark", "judged_at", "read_at"),
            public_id=F("pair__public_id"),
            corpus_name=F("corpus__slug"),
        ),
        "level": LevelChange.objects.filter(writer=user).values(
            "level", "good", "of", "changed_at", corpus_name=F("corpus__slug")
        ),
        "report": ProblemReport.objects.made_by(user).values("text", "created_at", "answer", "answered_at"),
        "place in a pool": Membership.objects.filter(annotator=user).values(
            "status", corpus=F("question__corpus__slug"), question_slug=F("question__slug")
        ),
        "exclusion": Exclusion.objects.filter(annotator=user).values(
            "reason", "created_at", "undone_at", "retracts_pairs", corpus_name=F("corpus__slug")
        ),
        "judgement": Label.objects.filter(annotator=user, cast_at__isnull=False).values(
            "sentence",
            "label",
            "reason",
            "cast_at",
            "withdrawn_at",
            "withdrawn_because",
            pair_id_public=F("pair__public_id"),
            corpus=F("question__corpus__slug"),
        ),
        "label of another text": CalibrationAnswer.objects.filter(
            Q(answered_at__isnull=False) | Q(skip_reason__isnull=False), annotator=user
        ).values(
            "answer",
            "reason",
            "skip_reason",
            "active_ms",
            "answered_at",
            "first_answer",
            "corrected_at",
            premise=F("item__premise"),
            hypothesis=F("item__hypothesis"),
            corpus=F("item__question__corpus__slug"),
        ),
        "label": BatchItem.objects.filter(assignment__annotator=user).values(
            "answer",
            "skip_reason",
            "active_ms",
            pair=F("seat__pair__public_id"),
            corpus=F("assignment__question__corpus__slug"),
            handed_out_at=F("assignment__created_at"),
        ),
        "earned": user.ledger.values(
            *("cents", "reason", "created_at"),
            approved_at=F("pay_list__approved_at"),
            exported_at=F("pay_list__exported_at"),
            paid_at=F("pay_list__paid_at"),
        ),
    }


def _names(user: User) -> list[str]:
    """Returns the names under which the person's sign-ins are limited."""
    ids = user.platform_identities.values_list("platform", "participant")
    own = (user.username, account_of_second_step(user.username))
    return [account_key(name) for name in (*own, *(account_of_participant(*each) for each in ids))]
