"""Pages: the entry link with the consent, and the visit with its completion code."""

import secrets
from collections.abc import Callable
from functools import partial, wraps
from typing import Any, cast

from django.conf import settings
from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language, gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.models import Consent, User
from accounts.pages.access import (
    OWN,
    View,
    annotator_page,
    annotator_post,
    previewed,
    researcher_required,
)
from accounts.pages.forms import SignUpForm
from accounts.people.consents import give_consent
from accounts.people.registration import NameTaken
from accounts.sign_in.throttle import TooManyAttempts, account_of_participant, begin_sign_in, client_address
from collection.errors import DoneForToday
from collection.joining import entry_links, returning, sign_ups, visits
from collection.joining.estimates import estimate, exam_items, writing_task
from collection.models import WRITING_EXAM, Corpus, EntryLink, Exam, Visit

IN_VISIT = "in_visit"  # session key of the visit's id; with it, every page links to the visit
GOES_ON = "goes_on"  # session key: they chose to work on after the end of this visit
BROWSER_COOKIE = "__Host-quintet-browser" if settings.HTTPS else "quintet-browser"
YEAR = 365 * 24 * 3600


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def enter(request: HttpRequest, token: str) -> HttpResponse:
    """Shows the welcome with the consent; its button makes the account, signs in, and leads to the work.

    Entries are limited by network address and by id, as failed sign-ins are, except in the browser of the visit.
    """
    link = _link(token)
    try:
        if request.method == "POST" and not _is_researcher(request):
            return _come_in(request, link)
        if not _is_researcher(request):
            entry_links.refuse_if_closed(link)
        arrival = entry_links.arrival(link, request.GET.dict(), request.build_absolute_uri(request.path))
        if not _is_researcher(request):
            entry_links.refuse(
                link=link, arrival=arrival, browser=_browser(request), signed_in=_signed_in(request)
            )
    except entry_links.EntryRefused as refusal:
        waits = isinstance(refusal, entry_links.BegunElsewhere)
        return _welcome(request, link, refusal=str(refusal), waits=waits, status=403)
    except TooManyAttempts as refusal:
        why = gettext("Too many people entered from this network in a short time.") + f" {refusal.look_again}"
        page = _welcome(request, link, refusal=why, status=429)
        page["Retry-After"] = str(refusal.retry_after)
        return page
    return _welcome(request, link, stay=_agreed_visit(request, link, arrival))


def _link(token: str) -> EntryLink:
    return get_object_or_404(EntryLink.objects.select_related("corpus__consent_form", "grants"), token=token)


def _welcome(
    request: HttpRequest,
    link: EntryLink,
    *,
    refusal: str = "",
    waits: bool = False,
    stay: Visit | None = None,
    is_changed: bool = False,
    status: int = 200,
) -> HttpResponse:
    """Renders the welcome. `is_changed`: the consent text changed while the page was open. `waits`: for a way back."""
    form = link.corpus.consent_form
    if form is not None and not form.is_ready and not refusal and not _is_researcher(request):
        return render(request, "accounts/consent_not_ready.html", {"form": form}, status=503)
    visit_estimate = estimate(link)
    items = exam_items(link, visit_estimate.task) if visit_estimate else []
    context: dict[str, Any] = {
        "link": link,
        "corpus": link.corpus,
        "is_changed": is_changed,
        "estimate": visit_estimate,
        "exam_items": len(items),
        "exam_is_read": any(item.asks_for_text for item in items),
        "way_back": entry_links.way_back(link, Visit.End.FINISHED),
        "is_researcher": _is_researcher(request),
        "form": form and form.read_in(get_language() or ""),
        "refusal": refusal,
        "waits": waits,
        "stay": stay,
    }
    if stay is not None:
        context |= {"progress": visits.progress_of(stay), "minutes_left": visits.minutes_left(stay)}
    return render(request, "collection/joining/enter.html", context, status=status)


def _agreed_visit(request: HttpRequest, link: EntryLink, arrival: entry_links.Arrival) -> Visit | None:
    """Returns the visit of these ids if it began in this browser, and its person agrees to the consent form."""
    visit = entry_links.known_visit(link=link, arrival=arrival, browser=_browser(request))
    if visit is None or not Consent.objects.is_given(visit.user, link.corpus.consent_form_id):
        return None
    return visit


def _come_in(request: HttpRequest, link: EntryLink) -> HttpResponse:
    arrival = entry_links.arrival(link, request.GET.dict(), request.build_absolute_uri(request.path))
    form = link.corpus.consent_form
    agrees_now = form is None or (form.is_ready and request.POST.get("agree") == form.digest)
    if not agrees_now and _agreed_visit(request, link, arrival) is None:
        return _welcome(request, link, is_changed=True, status=422)
    cookie = request.COOKIES.get(BROWSER_COOKIE) or secrets.token_urlsafe(32)
    browser = entry_links.digest_of_browser(cookie)
    if not entry_links.is_known(link=link, arrival=arrival, browser=browser):
        begin_sign_in(
            account=account_of_participant(link.platform, arrival.participant),
            address=client_address(request),
        )
    entry = entry_links.enter(link=link, arrival=arrival, browser=browser, signed_in=_signed_in(request))
    if form is not None and agrees_now:
        give_consent(user=entry.visit.user, form=form, language=request.POST.get("read_language", ""))
    return _to_the_work(request, entry.visit, cookie, is_own=entry.is_own)


def _to_the_work(request: HttpRequest, stay: Visit, cookie: str, *, is_own: bool) -> HttpResponse:
    """Signs the person of a visit in, and leads to the work, or to the code if the visit is over."""
    login(request, stay.user)
    request.session[IN_VISIT] = stay.pk
    request.session[OWN] = is_own
    request.session.pop(GOES_ON, None)
    is_finished = visits.progress_of(stay).is_finished or stay.finished_at is not None
    answer = redirect("visit" if is_finished else visits.address_of_work(stay) or "visit")
    answer.set_cookie(
        BROWSER_COOKIE, cookie, max_age=YEAR, httponly=True, samesite="Lax", secure=settings.HTTPS
    )
    return answer


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def come_back(request: HttpRequest, token: str) -> HttpResponse:
    """Shows a button that uses a researcher's one-time link up: programs that look at links in messages press none."""
    cookie = request.COOKIES.get(BROWSER_COOKIE) or secrets.token_urlsafe(32)
    context: dict[str, Any] = {}
    try:
        if request.method == "POST":
            stay = returning.come_back(token=token, browser=entry_links.digest_of_browser(cookie))
            return _to_the_work(request, stay, cookie, is_own=True)
        context["visit"] = returning.visit_to_return_to(token, timezone.now())
    except entry_links.EntryRefused as refusal:
        context["refusal"] = str(refusal)
    status = 403 if "refusal" in context else 200
    return render(request, "collection/joining/come_back.html", context, status=status)


@require_POST
def opened(request: HttpRequest, token: str) -> HttpResponse:
    """Counts an opened link. The page's script sends it once a browser, so that programs that follow links do not count."""
    link = _link(token)
    if not _is_researcher(request):
        entry_links.note_opened(link)
    return HttpResponse(status=204)


@require_POST
def waits(request: HttpRequest, token: str) -> HttpResponse:
    """Tells the researchers that somebody needs a way back. The page that refuses them sends it, with their ids."""
    link = _link(token)
    page = request.build_absolute_uri(reverse("enter", args=[token]))
    try:
        arrival = entry_links.arrival(link, request.GET.dict(), page)
        who = _signed_in(request)
        returning.note_waiting(link=link, arrival=arrival, browser=_browser(request), signed_in=who)
    except entry_links.EntryRefused:
        pass  # they are kept out for a reason that a link would not mend
    return HttpResponse(status=204)


def _browser(request: HttpRequest) -> str:
    """Returns the digest of this browser's cookie; empty before its first visit."""
    cookie = request.COOKIES.get(BROWSER_COOKIE, "")
    return entry_links.digest_of_browser(cookie) if cookie else ""


def _signed_in(request: HttpRequest) -> User | None:
    return request.user if isinstance(request.user, User) else None


def _is_researcher(request: HttpRequest) -> bool:
    return isinstance(request.user, User) and request.user.is_researcher


def _own_visit(request: HttpRequest) -> Visit | None:
    return visits.visit_of(cast(User, request.user), request.session.get(IN_VISIT))


def not_after_the_end(view: View) -> View:
    """Guards pages that hand out work: after the end of a visit they lead to its page, until somebody chooses to go on.

    The browser's way back from there would otherwise take seats that nobody asked for.
    """

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        asks = request.method == "GET" and IN_VISIT in request.session and GOES_ON not in request.session
        if asks and (stay := _own_visit(request)) is not None and stay.finished_at is not None:
            return redirect("visit")
        return view(request, *args, **kwargs)

    return guarded


@annotator_post
def go_on(request: HttpRequest) -> HttpResponse:
    """Remembers in this browser that somebody wants more tasks after the end of their visit."""
    request.session[GOES_ON] = True
    return redirect("start")


def visit_progress(request: HttpRequest) -> dict[str, Any]:
    """Context processor: adds `visit_progress`, which is counted only on pages that show it."""

    def progress() -> visits.Progress | None:
        found = _own_visit(request)
        return visits.progress_of(found) if found else None

    return {"visit_progress": progress}


@annotator_page
def visit(request: HttpRequest) -> HttpResponse:
    """Shows the progress of a visit; at its end, the completion code."""
    stay = _own_visit(request)
    if stay is None:
        return redirect("start")
    # A link may want less by now than when the last piece of work was sent.
    progress = visits.progress_of(stay)
    return _visit_page(request, stay, progress, visits.end_of(stay, is_finished=progress.is_finished))


def _visit_page(
    request: HttpRequest, stay: Visit, progress: visits.Progress, end: Visit.End | None
) -> HttpResponse:
    nothing = visits.why_nothing_to_write(stay) if end == Visit.End.NO_WORK else None
    context = {
        "visit": stay,
        "nothing": nothing,
        "is_tomorrow": isinstance(nothing, DoneForToday),
        "link": stay.link,
        "corpus": stay.link.corpus,
        "progress": progress,
        "minutes_left": visits.minutes_left(stay),
        "end": end and end.name.lower(),
        "has_failed": end == Visit.End.SCREENED_OUT and stay.pk is not None and visits.has_failed(stay),
        "exam_waits": end == Visit.End.NO_WORK and stay.pk is not None and visits.exam_waits(stay),
        "way_back": entry_links.way_back(stay.link, end or Visit.End.FINISHED),
        "work": visits.address_of_work(stay) if stay.pk and end is None else "",
        "has_other_work": end == Visit.End.NO_WORK and stay.pk is not None and visits.has_other_work(stay),
    }
    return render(request, "collection/joining/visit.html", context)


@annotator_post
def returned(request: HttpRequest) -> HttpResponse:
    """Records that somebody took their code, or the way back. The page's script reports it when they press the button."""
    stay = _own_visit(request)
    if stay is not None:
        end = visits.end_of(stay, is_finished=visits.progress_of(stay).is_finished)
        if end is not None:
            visits.note_return(visit=stay, end=end)
    return HttpResponse(status=204)


@require_safe
@previewed
@researcher_required
def preview_end(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Shows an end of a visit through a link as people see it; `?end=` is one of Visit.End."""
    link = get_object_or_404(EntryLink, corpus__slug=slug, pk=number)
    name = request.GET.get("end", "")
    end = Visit.End[name.upper()] if name.upper() in Visit.End.names else Visit.End.FINISHED
    done = link.tasks_wanted if end == Visit.End.FINISHED else 0
    stay = Visit(link=link, user=cast(User, request.user))
    return _visit_page(
        request, stay, visits.Progress(done, link.tasks_wanted, 0, link.platform_name, link.corpus_id), end
    )


@never_cache
@sensitive_post_parameters()
@sensitive_variables("form")
@require_http_methods(["GET", "HEAD", "POST"])
def sign_up(request: HttpRequest, slug: str) -> HttpResponse:
    """Makes an account and leads to the exam. Somebody who has an account joins the corpus with it."""
    corpus = get_object_or_404(Corpus, slug=slug, sign_up=True, archived_at=None)
    return account_page(
        request, corpus, partial(sign_ups.sign_up, corpus=corpus), partial(sign_ups.join, corpus=corpus)
    )


def account_page(
    request: HttpRequest,
    corpus: Corpus,
    make: Callable[..., User],
    join: Callable[..., None],
    *,
    is_invited: bool = False,
) -> HttpResponse:
    """Shows the form that makes an account for a corpus, and signs in with it.

    make: makes the account of `username`, `password` and network `address`. join: lets somebody who is signed in join.
    is_invited: they may work at once.
    """
    form, locked = None, None
    if not isinstance(request.user, User):
        form = SignUpForm(request.POST or None)
        if form.is_valid():
            given = {"username": form.cleaned_data["username"], "password": form.cleaned_data["new"]}
            try:
                user = make(**given, address=client_address(request))
            except TooManyAttempts as refusal:
                locked = refusal
                locked_text = gettext("Too many accounts were made from this network.")
                form.add_error(None, f"{locked_text} {refusal.look_again}")
            except NameTaken as refusal:
                form.add_error("username", str(refusal))
            else:
                login(request, user, backend="accounts.sign_in.sessions.Backend")
                return redirect("start" if is_invited else _first_page(corpus))
    elif request.method == "POST" and not request.user.is_researcher:
        join(annotator=request.user)
        return redirect("start" if is_invited else _first_page(corpus))
    status = 429 if locked else 422 if form is not None and form.is_bound else 200
    has_exam = Exam.objects.filter(corpus=corpus, is_open=True).exists()
    writing = writing_task(corpus.pk)
    context = {
        "corpus": corpus,
        "form": form,
        "has_exam": has_exam,
        "is_invited": is_invited,
        "writing_cents": writing.cents if writing else 0,
    }
    page = render(request, "collection/joining/sign_up.html", context, status=status)
    if locked:
        page["Retry-After"] = str(locked.retry_after)
    return page


def _first_page(corpus: Corpus) -> str:
    has_exam = Exam.objects.filter(corpus=corpus, slug=WRITING_EXAM, is_open=True).exists()
    return reverse("exam", args=[corpus.slug]) if has_exam else reverse("start")
