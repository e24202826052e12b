"""Pages: the entry link, and the visit with its completion code."""

import secrets
from typing import cast

from django.conf import settings
from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from accounts.models import User
from accounts.pages.access import OWN, annotator_required
from accounts.sign_in.client_address import client_address
from accounts.sign_in.throttle import TooManyAttempts, account_of_participant, begin_sign_in
from collection.joining import entry_links, visits
from collection.models import EntryLink

IN_VISIT = "in_visit"  # session key of the visit's id; with it, every page links to the visit
BROWSER_COOKIE = "__Host-quintet-browser" if settings.HTTPS else "quintet-browser"
YEAR = 365 * 24 * 3600


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def enter(request: HttpRequest, token: str) -> HttpResponse:
    """Shows the entry page; its button makes the account and signs in.

    Entries are limited by network address and by id, as failed sign-ins are, except in the browser of the visit.
    """
    link = get_object_or_404(EntryLink.objects.select_related("corpus", "grants"), token=token)
    context = {
        "link": link,
        "corpus": link.corpus,
        "return_address": entry_links.return_address(link),
        "is_researcher": _is_researcher(request),
    }
    try:
        if request.method == "POST" and not _is_researcher(request):
            return _come_in(request, link)
        entry_links.arrival(link, request.GET.dict(), request.build_absolute_uri(request.path))
    except entry_links.EntryRefused as refusal:
        return render(
            request, "collection/joining/enter.html", {**context, "refusal": str(refusal)}, status=403
        )
    except TooManyAttempts as refusal:
        why = f"Too many people entered from this network in a short time. {refusal.look_again}"
        page = render(request, "collection/joining/enter.html", {**context, "refusal": why}, status=429)
        page["Retry-After"] = str(refusal.retry_after)
        return page
    return render(request, "collection/joining/enter.html", context)


def _come_in(request: HttpRequest, link: EntryLink) -> HttpResponse:
    arrival = entry_links.arrival(link, request.GET.dict(), request.build_absolute_uri(request.path))
    cookie = request.COOKIES.get(BROWSER_COOKIE) or secrets.token_urlsafe(32)
    browser = entry_links.digest_of_browser(cookie)
    if not entry_links.is_known(link=link, arrival=arrival, browser=browser):
        begin_sign_in(
            account=account_of_participant(link.platform, arrival.participant),
            address=client_address(request),
        )
    signed_in = request.user if isinstance(request.user, User) else None
    entry = entry_links.enter(link=link, arrival=arrival, browser=browser, signed_in=signed_in)
    login(request, entry.visit.user)
    request.session[IN_VISIT] = entry.visit.pk
    request.session[OWN] = entry.is_own
    answer = redirect("visit")
    answer.set_cookie(
        BROWSER_COOKIE, cookie, max_age=YEAR, httponly=True, samesite="Lax", secure=settings.HTTPS
    )
    return answer


def _is_researcher(request: HttpRequest) -> bool:
    return isinstance(request.user, User) and request.user.is_researcher


@require_safe
@never_cache
@annotator_required
def visit(request: HttpRequest) -> HttpResponse:
    """Shows the progress of a visit; at its end, the completion code."""
    stay = visits.visit_of(cast(User, request.user), request.session.get(IN_VISIT))
    if stay is None:
        return redirect("start")
    done = visits.tasks_done(stay)
    # A link may want less by now than when the last piece of work was sent.
    finished = stay.finished_at is not None or done >= stay.link.tasks_wanted
    context = {
        "visit": stay,
        "link": stay.link,
        "corpus": stay.link.corpus,
        "finished": finished,
        "has_run_out": not finished and visits.has_run_out(stay),
        "no_work_address": entry_links.no_work_address(stay.link),
        "return_address": entry_links.return_address(stay.link),
        "done": min(done, stay.link.tasks_wanted),
        "more": done - stay.link.tasks_wanted,
    }
    return render(request, "collection/joining/visit.html", context)
