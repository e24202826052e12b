"""Creates and revokes tokens for scripts."""

import secrets
from datetime import datetime

from django.utils import timezone

from accounts.models import ApiToken, User
from accounts.sign_in.browsers import end_sessions
from accounts.sign_in.security_log import note
from shared.transactions import one_transaction


def create_api_token(
    *,
    user: User,
    name: str,
    expires_at: datetime | None = None,
    scope: str = ApiToken.Scope.ALL,
    corpus: str = "",
) -> str:
    """Creates a REST token and returns it; it cannot be shown again. Deletes the person's expired tokens.

    corpus: the slug of the only corpus that it opens; empty: all that the person may see.
    """
    user.api_tokens.filter(expires_at__lte=timezone.now()).delete()
    # The prefix lets scanners recognise a token that was committed by mistake.
    token = f"quintet_{secrets.token_urlsafe(32)}"
    digest = ApiToken.digest_of(token)
    ApiToken.objects.create(
        user=user, name=name, digest=digest, expires_at=expires_at, scope=scope, role=user.role, corpus=corpus
    )
    note("token made", user=user.code, scope=scope, ends=expires_at or "never")
    return token


def revoke_api_token(*, user: User, token_id: int) -> bool:
    """Revokes a token. Returns False if the person has no such token."""
    ended = user.api_tokens.filter(pk=token_id).delete()[0] > 0
    if ended:
        note("token ended", user=user.code)
    return ended


def end_tokens(*, user: User) -> int:
    """Revokes all tokens of a person. Returns how many."""
    ended = user.api_tokens.all().delete()[0]
    if ended:
        note("tokens ended", user=user.code, number=ended)
    return ended


@one_transaction
def end_access(user: User) -> None:
    """Ends whatever was given out to a person, tokens and browsers. They sign in again, with the rights of today."""
    end_tokens(user=user)
    end_sessions(user)
