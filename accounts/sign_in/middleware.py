"""Middleware for people who are signed in: ends idle sessions and writes the security log."""

import time
from collections.abc import Callable
from urllib.parse import quote

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.core import signing
from django.http import HttpRequest, HttpResponseBase

from accounts.models import User
from accounts.sign_in.browsers import (
    SINCE,
)
from accounts.sign_in.security_log import note
from accounts.sign_in.throttle import client_address

Next = Callable[[HttpRequest], HttpResponseBase]
SEEN_COOKIE = "__Host-quintet-seen" if settings.HTTPS else "quintet-seen"
SECONDS_BETWEEN_COOKIES = 60
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")


def sign_out_idle_researchers(get_response: Next) -> Next:
    """Treats a researcher who was idle for `RESEARCHER_IDLE_SECONDS` as signed out.

    The time of the last request is in a signed cookie, so that opening a page writes nothing to the database.
    Annotators stay signed in: they come back to the same device between tasks, and their accounts can do little.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if settings.SESSION_COOKIE_NAME not in request.COOKIES:
            return get_response(request)
        seen = _seen(request) if _is_researcher(request) else None
        if seen is not None and time.time() - seen > settings.RESEARCHER_IDLE_SECONDS:
            request.user = AnonymousUser()
        response = get_response(request)
        # An open page polls by itself: nobody need be at the screen.
        is_polled = getattr(response, "is_polled", False)
        is_due = seen is not None and time.time() - seen > SECONDS_BETWEEN_COOKIES
        if is_due and not is_polled and _is_researcher(request):
            response.set_signed_cookie(
                SEEN_COOKIE,
                str(int(time.time())),
                salt=_salt(request),
                httponly=True,
                samesite="Lax",
                secure=settings.HTTPS,
            )
        return response

    return middleware


def _seen(request: HttpRequest) -> float:
    signed_in = float(request.session.get(SINCE, 0))
    try:
        return max(signed_in, float(request.get_signed_cookie(SEEN_COOKIE, "0", salt=_salt(request)) or 0))
    except signing.BadSignature:
        return signed_in


def _salt(request: HttpRequest) -> str:
    """Binds the cookie to its session."""
    return f"{SEEN_COOKIE}:{request.session.session_key}"


def _is_researcher(request: HttpRequest) -> bool:
    return isinstance(request.user, User) and request.user.is_researcher


def write_down(get_response: Next) -> Next:
    """Logs every change by a researcher and every download by somebody who is signed in.

    Logs the path alone, because the query may be personal.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        user = getattr(request, "user", None)
        changes = request.method not in SAFE_METHODS and isinstance(user, User) and user.is_researcher
        takes = response.headers.get("Content-Disposition", "").startswith("attachment")
        if isinstance(user, User) and (changes or takes):
            note(
                "downloaded" if takes else "changed",
                user=user.code,
                path=quote(request.path),
                status=response.status_code,
                address=client_address(request),
            )
        return response

    return middleware
