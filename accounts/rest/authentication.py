"""Authenticates scripts by `Authorization: Token ...` or `Bearer ...`."""

from typing import Any

from django.conf import settings
from django.utils import timezone
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed, PermissionDenied
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request

from accounts.models import ApiToken, User
from accounts.sign_in.second_factor import second_factor_since
from shared.prepared_statements import columns, made, rows

TOKEN = """
SELECT {token}, {person} FROM accounts_apitoken AS token JOIN accounts_user AS person ON person.id = token.user_id
WHERE token.digest = %s
"""
WORK = "/api/v1/work/"
KEYWORDS = (b"token", b"bearer")


class TokenAuthentication(BaseAuthentication):
    """Finds the person by the token's digest. Requests without the header go to the next class."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        words = get_authorization_header(request).split()
        if not words or words[0].lower() not in KEYWORDS:
            return None
        if len(words) != 2:
            raise AuthenticationFailed("Send the header as: Authorization: Token YOUR_TOKEN")
        plain = words[1].decode("utf-8", "replace")
        token = _known(ApiToken.digest_of(plain))
        if token is None or not token.user.is_active:
            raise AuthenticationFailed("This token is unknown. Create a new one on your page (My account).")
        if token.role != token.user.role:
            raise AuthenticationFailed(
                "This token was made when you had another role. Create a new one on your page (My account)."
            )
        if token.expires_at is not None and token.expires_at <= timezone.now():
            raise AuthenticationFailed("This token has expired. Create a new one on your page (My account).")
        if settings.REQUIRE_SECOND_FACTOR and token.user.is_researcher and not _was_made_under_it(token):
            raise AuthenticationFailed(
                "This token was made before your sign-in had a second factor, which this site requires. Set one up, then"
                " create a new token on your page (My account)."
            )
        _check_scope(token, request)
        token.user.bound_to = token.corpus
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        return 'Token realm="Quintet"'


def _was_made_under_it(token: ApiToken) -> bool:
    """Returns whether the person had their second factor when they made the token."""
    since = second_factor_since(token.user)
    return since is not None and since <= token.created_at


def _known(digest: str) -> ApiToken | None:
    """Returns the token with its person."""
    statement = TOKEN.format(token=columns(ApiToken, "token"), person=columns(User, "person"))
    found = rows((statement, [digest]))
    if not found:
        return None
    token, rest = made(ApiToken, found[0])
    token.user, _ = made(User, rest)
    return token


def _check_scope(token: ApiToken, request: Request) -> None:
    """Checks the token's scope for every address at once. Raises PermissionDenied."""
    if token.scope == ApiToken.Scope.READ and request.method not in SAFE_METHODS:
        raise PermissionDenied(
            "This token can only read. Create one with more access on your page (My account)."
        )
    if token.scope == ApiToken.Scope.WORK and not request.path.startswith(WORK):
        raise PermissionDenied(f"This token works only for writing and labelling, under {WORK}.")


class TokenScheme(OpenApiAuthenticationExtension):
    """Describes the header, so that the "Authorize" button of the OpenAPI page works."""

    target_class = "accounts.rest.authentication.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {
            "type": "http",
            "scheme": "bearer",
            "description": "Create a token on your page (My account).",
        }
