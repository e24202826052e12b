"""Decorators that check who may open a page, and redirects after the sign-in."""

from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import resolve_url
from django.utils import translation
from django.utils.functional import Promise
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django_htmx.http import HttpResponseClientRedirect, HttpResponseStopPolling

from accounts.models import User
from accounts.people.gates import answering, let_in
from accounts.sign_in.passwords import WrongSignIn, sign_in
from accounts.sign_in.throttle import TooManyAttempts, client_address

View = Callable[..., HttpResponseBase]
# Session key: whether somebody who came through a platform's link proved who they are.
OWN = "own"


# The policy of a preview: the page's scripts run, but the browser sends no form and no request.
PREVIEW_POLICY = (
    "default-src 'self'; connect-src 'none'; form-action 'none'; object-src 'none'; base-uri 'none';"
    " frame-ancestors 'none'"
)
NOT_SURELY_YOU = gettext_lazy(
    "For your safety, this page opens only in the browser in which you first opened the study. If you no longer have"
    " that browser, write to the researchers."
)


def signed_in_required(view: View) -> View:
    """Redirects visitors to the sign-in and back afterwards."""
    return _guarded(view, lambda user: True, "")


def annotator_required(view: View) -> View:
    """Admits annotators only: people who build a corpus do not label it with the same account."""
    return _guarded(
        view,
        lambda user: user.role == User.Role.ANNOTATOR,
        gettext_lazy(
            "This page is for annotators, and you are signed in as a researcher. To try it, sign in as an annotator."
        ),
    )


def researcher_required(view: View) -> View:
    """Admits researchers and administrators only."""
    return _guarded(
        view,
        lambda user: user.is_researcher,
        gettext_lazy("This page is for the researchers of the project."),
    )


def researcher_page(view: View) -> View:
    """Makes a page for researchers that only shows something. No cache stores it."""
    return never_cache(require_safe(researcher_required(view)))


def researcher_form(view: View) -> View:
    """Makes a page for researchers that shows a form and takes it. No cache stores it."""
    return never_cache(require_http_methods(["GET", "HEAD", "POST"])(researcher_required(view)))


def researcher_post(view: View) -> View:
    """Makes an address that takes what a button of researchers sends."""
    return require_POST(researcher_required(view))


def annotator_page(view: View) -> View:
    """Makes a page for annotators that only shows something. No cache stores it."""
    return never_cache(require_safe(annotator_required(view)))


def annotator_form(view: View) -> View:
    """Makes a page for annotators that shows a form and takes it. No cache stores it."""
    return never_cache(require_http_methods(["GET", "HEAD", "POST"])(annotator_required(view)))


def annotator_post(view: View) -> View:
    """Makes an address that takes what a button of annotators sends."""
    return require_POST(annotator_required(view))


def own_required(view: View) -> View:
    """Guards a person's own data, tokens and account: knowing a platform's id is not enough (see `is_own`)."""

    @wraps(view)
    @signed_in_required
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not is_own(request):
            raise PermissionDenied(str(NOT_SURELY_YOU))
        return view(request, *args, **kwargs)

    return guarded


def is_own(request: HttpRequest) -> bool:
    """Returns whether the person proved who they are: by a password, the platform's signature, or the browser of
    their first visit."""
    user = request.user
    return isinstance(user, User) and (user.has_usable_password() or request.session.get(OWN) is True)


def confirmed(request: HttpRequest, form: Any) -> bool:
    """Returns whether a ConfirmedForm is valid. Its password is checked, and limited, as at the sign-in."""
    if not form.is_valid():
        return False
    if "password" not in form.fields:
        return True
    given = {"username": form.user.username, "password": form.cleaned_data["password"]}
    try:
        sign_in(**given, address=client_address(request))
    except TooManyAttempts as refusal:
        form.add_error("password", str(refusal))
    except WrongSignIn:
        form.add_error("password", gettext("Wrong password. Nothing was changed."))
    return form.is_valid()


def hands_out_work(view: View) -> View:
    """Guards pages whose GET claims work: HEAD requests and prefetching browsers claim none.

    A browser whose prefetch is refused loads the page when the person opens it.
    """

    @wraps(view)
    def held_back(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if request.method == "HEAD":
            return HttpResponse()
        if request.method == "GET" and is_fetched_ahead(request):
            return HttpResponse("Work is handed out when the page is opened.", "text/plain", status=503)
        return view(request, *args, **kwargs)

    return held_back


def is_fetched_ahead(request: HttpRequest) -> bool:
    """Returns whether a browser prefetches the page, by today's header and two older ones."""
    named = ("Sec-Purpose", "Purpose", "X-Moz")
    return any(request.headers.get(name, "").lower().startswith(("prefetch", "prerender")) for name in named)


def polled(view: View) -> View:
    """Guards pages that poll: their requests keep nobody signed in.

    In a browser that is signed out the page stops polling, and keeps what was typed there.
    """

    @wraps(view)
    def quietly(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        asks_by_itself = "Quintet-Poll" in request.headers
        if asks_by_itself and not isinstance(request.user, User):
            return HttpResponseStopPolling()
        response = view(request, *args, **kwargs)
        response.is_polled = asks_by_itself  # type: ignore[attr-defined]
        return response

    return quietly


def previewed(view: View) -> View:
    """Shows a worker's page of the corpus `slug` as a preview: a notice stands above it, and the browser sends nothing."""

    @wraps(view)
    def shown(request: HttpRequest, slug: str, **more: Any) -> HttpResponseBase:
        request.preview_of = slug  # type: ignore[attr-defined]
        response = view(request, slug, **more)
        response["Content-Security-Policy"] = PREVIEW_POLICY
        return response

    return shown


def _guarded(view: View, may_enter: Callable[[User], bool], why: str | Promise) -> View:
    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not isinstance(request.user, User):
            return _to_sign_in(request)
        if not may_enter(request.user):
            raise PermissionDenied(str(why))
        with answering(request.user):
            let_in(request, request.user)
            return view(request, *args, **kwargs)

    return guarded


def _to_sign_in(request: HttpRequest) -> HttpResponse:
    """Redirects to the sign-in, and from there back to the page that was open: a POST-only address cannot be opened."""
    htmx = getattr(request, "htmx", None)
    back = request.get_full_path()
    if htmx or request.method not in ("GET", "HEAD"):
        seen = urlsplit((htmx.current_url if htmx else None) or request.headers.get("Referer", ""))
        back = f"{seen.path}?{seen.query}" if seen.query else seen.path
    response = redirect_to_login(back)
    # htmx would follow a usual redirect and put the sign-in page into the fragment's place.
    return HttpResponseClientRedirect(response.url) if htmx else response


def safe_next(request: HttpRequest) -> str | None:
    """Returns the address in `next` if it belongs to this site."""
    target = request.POST.get("next") or request.GET.get("next") or ""
    on_this_site = url_has_allowed_host_and_scheme(
        target, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return target if on_this_site and target.startswith("/") else None


def landing_page(user: User) -> str:
    """Returns a person's first page: the workspace for researchers, the start page for annotators."""
    return resolve_url("admin:index" if user.is_researcher else settings.LOGIN_REDIRECT_URL)


def visitors_language(request: HttpRequest) -> translation.override:
    """Returns the language in which the next page is after somebody was signed out: the browser's, not the chosen one."""
    return translation.override(translation.get_language_from_request(request))
