"""Middleware for all requests: rejected requests, response headers, a full disk, a lost database."""

import errno
import logging
import sys
from collections.abc import Callable
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from django.conf import settings
from django.core.exceptions import BadRequest
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.middleware.common import CommonMiddleware
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils import timezone, translation
from django.utils.cache import patch_vary_headers
from django.utils.translation import gettext, gettext_lazy

from accounts.pages import error_pages
from accounts.pages.error_pages import bad_request
from accounts.rest.problems import is_api, problem_response
from accounts.templatetags.dates import READERS_ZONE
from jobs.failures import is_transient
from shared.bidi import isolated

Next = Callable[[HttpRequest], HttpResponseBase]

# The pages have no inline scripts or styles, and load nothing from elsewhere.
STRICT = "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
POLICIES = {
    # Alpine.js, which the admin's theme uses, compiles the expressions of its templates; the theme's
    # colours are an inline style sheet.
    "/admin/": f"{STRICT}; script-src 'self' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; img-src 'self' data:",
    # Swagger UI sets styles inline and has its pictures in data: addresses.
    "/api/v1/docs/": f"{STRICT}; style-src 'self' 'unsafe-inline'; img-src 'self' data:",
}

# Passkeys are made and used on our own pages. Nothing else of a machine is ever asked for.
PERMISSIONS = ", ".join(
    [
        *(f"{name}=(self)" for name in ("publickey-credentials-create", "publickey-credentials-get")),
        *(
            f"{name}=()"
            for name in ("camera", "display-capture", "geolocation", "microphone", "midi", "payment", "usb")
        ),
    ]
)

ROOM_DETAIL = gettext_lazy(
    "The server's disk is full, so nothing could be saved. What was saved before is safe. Please try again in a few"
    " minutes. If it happens again, tell the researchers of your project."
)
DATABASE_DETAIL = gettext_lazy(
    "The database did not answer, so nothing was saved just now. What was saved before is safe. Please try again in a"
    " minute."
)
FULL_DISK = {errno.ENOSPC, errno.EDQUOT}
POSTGRES_DISK_FULL = "53100"
RETRY_AFTER, RETRY_SOON = 60, 5  # seconds
logger = logging.getLogger(__name__)
ZONE_COOKIE = "quintet-zone"


def answer_headers(get_response: Next) -> Next:
    """Adds policies of content and permissions to every response and `no-store` to personal ones; drops bodies for HEAD.

    Views that set Cache-Control themselves (files with an ETag) keep it.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if "Content-Security-Policy" not in response:
            prefix = next((prefix for prefix in POLICIES if request.path.startswith(prefix)), "")
            response["Content-Security-Policy"] = POLICIES.get(prefix, STRICT)
        response["Permissions-Policy"] = PERMISSIONS
        if "Cache-Control" not in response and _is_personal(request, response):
            response["Cache-Control"] = "private, no-store"
        if request.method == "HEAD":
            _empty(response)
        return response

    return middleware


def _empty(response: HttpResponseBase) -> None:
    """Drops the body and keeps the headers of a GET."""
    if isinstance(response, StreamingHttpResponse):
        response.streaming_content = ()
    elif isinstance(response, HttpResponse):
        response.headers.setdefault("Content-Length", str(len(response.content)))
        response.content = b""


def _is_personal(request: HttpRequest, response: HttpResponseBase) -> bool:
    cookie = settings.SESSION_COOKIE_NAME
    return is_api(request) or cookie in request.COOKIES or cookie in response.cookies


@cache
def known_zones() -> frozenset[str]:
    return frozenset(available_timezones())


def readers_language(get_response: Next) -> Next:
    """Shows the pages of people who write and label in their language and time zone.

    The language is the one that they chose, else the browser's (Accept-Language); the time zone is a cookie of the pages'
    script. Researchers' pages are in English, and count days of UTC, as files do; their times are the reader's
    (accounts/templatetags/dates.py). REST has UTC.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        user = None if is_api(request) else getattr(request, "user", None)
        zone = request.COOKIES.get(ZONE_COOKIE, "")
        zone = zone if zone in known_zones() else ""
        if user is None or getattr(user, "is_researcher", False):
            token = READERS_ZONE.set(ZoneInfo(zone) if zone else None)
            try:
                return get_response(request)
            finally:
                READERS_ZONE.reset(token)
        chosen = getattr(user, "language", "") or translation.get_language_from_request(request)
        with translation.override(chosen), timezone.override(zone or None):
            response = get_response(request)
            if not response.streaming:
                response["Content-Language"] = chosen
                patch_vary_headers(response, ["Accept-Language"])
            return response

    return middleware


def refuse_nul(get_response: Next) -> Next:
    """Responds with 400 to a NUL character in an address, which PostgreSQL does not accept in a text."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if "\0" in request.path or "%00" in request.META.get("QUERY_STRING", ""):
            return bad_request(request, BadRequest("The address holds a NUL character."))
        return get_response(request)

    return middleware


class TrailingSlash(CommonMiddleware):
    """Redirects a GET to the address with a slash at its end. Any other method gets an error: a redirect loses its body."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        is_safe = request.method in ("GET", "HEAD", "OPTIONS")
        if is_safe or response.status_code != 404 or not self.should_redirect_with_slash(request):
            return super().process_response(request, response)
        address = request.get_full_path(force_append_slash=True)
        why = gettext("This address needs a slash at its end: %(address)s. Nothing was saved.") % {
            "address": isolated(address)
        }
        if is_api(request):
            return problem_response(404, why)
        return render(request, "404.html", {"why": why}, status=404)


class Unavailable:
    """Answers 503 with an explanation when the disk is full, or when the database does not answer."""

    def __init__(self, get_response: Next) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        return unavailable(request, exception)


def server_error(request: HttpRequest) -> HttpResponse:
    """Answers an error that no view raised, such as a lost database while the session is read."""
    return unavailable(request, sys.exc_info()[1]) or error_pages.server_error(request)


def unavailable(request: HttpRequest, exception: BaseException | None) -> HttpResponse | None:
    """Returns 503 with `Retry-After` for an error that goes away, None for any other."""
    if is_full_disk(exception):
        why, seconds = ROOM_DETAIL, RETRY_AFTER
    elif isinstance(exception, Exception) and is_transient(exception):
        why, seconds = DATABASE_DETAIL, RETRY_SOON
        logger.warning("%s %s: the database did not answer: %s", request.method, request.path, exception)
    else:
        return None
    answer: HttpResponse
    if is_api(request):
        answer = problem_response(503, str(why))
    else:
        # Without the request: who is signed in stands in the database.
        answer = HttpResponse(render_to_string("503.html", {"why": why}), status=503)
    answer["Retry-After"] = str(seconds)
    return answer


def is_full_disk(exception: BaseException | None) -> bool:
    """Returns whether an error, or one of its causes, is a full disk: the site's, SQLite's or PostgreSQL's."""
    while exception is not None:
        if isinstance(exception, OSError) and exception.errno in FULL_DISK:
            return True
        if isinstance(exception, DatabaseError) and "database or disk is full" in str(exception):
            return True
        if getattr(exception, "pgcode", None) == POSTGRES_DISK_FULL:
            return True
        exception = exception.__cause__ or exception.__context__
    return False
