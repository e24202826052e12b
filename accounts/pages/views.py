"""Pages of accounts: home, sign-in, consent, a person's own page, and what saves the filters of lists."""

from typing import Any, cast

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout, update_session_auth_hash
from django.core.exceptions import PermissionDenied
from django.db.models import Exists, OuterRef, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import get_language, gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.background_questions import FLOOR, QUESTIONS
from accounts.models import Background, Consent, ConsentForm, User
from accounts.pages.access import (
    confirmed,
    is_own,
    landing_page,
    own_required,
    researcher_post,
    safe_next,
    signed_in_required,
    visitors_language,
)
from accounts.pages.forms import BackgroundForm, PasswordForm, SignInForm, TokenForm
from accounts.pages.open_id import providers
from accounts.pages.second_factor import enter
from accounts.people import consents
from accounts.people.registration import save_background
from accounts.people.saved_filters import NotSaved, delete_filter, is_list, query_of, save_filter
from accounts.sign_in import browsers, passwords, throttle, tokens
from accounts.sign_in.browsers import follow_session
from accounts.sign_in.throttle import client_address
from shared.bidi import isolated
from shared.days import start_of_day

ENTRIES_A_PAGE = 25


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    return render(request, "accounts/home.html")


@never_cache
@sensitive_post_parameters("password")
@sensitive_variables("form")
def sign_in(request: HttpRequest) -> HttpResponse:
    target = safe_next(request)
    if request.method != "POST" and isinstance(request.user, User):
        return redirect(target or landing_page(request.user))
    form = SignInForm(request.POST or None)
    locked = None
    if form.is_valid():
        try:
            user = passwords.sign_in(**form.cleaned_data, address=client_address(request))
        except throttle.TooManyAttempts as refusal:
            locked = refusal
        except passwords.WrongSignIn as refusal:
            form.add_error(None, str(refusal))
        else:
            return enter(request, user, target or landing_page(user))
    context = {"form": form, "next": target, "locked": locked, "providers": providers()}
    page = render(request, "accounts/sign_in.html", context)
    if locked is not None:
        page.status_code = 429
        page["Retry-After"] = str(locked.retry_after)
    return page


def admin_sign_in(request: HttpRequest) -> HttpResponse:
    """Redirects the admin's sign-in to the site's own, which limits failed attempts."""
    target = safe_next(request) or reverse("admin:index")
    if isinstance(request.user, User):
        if request.user.is_researcher:
            return redirect(target)
        raise PermissionDenied(gettext("Only researchers of the project can open the records."))
    return redirect(f"{reverse('sign-in')}?{urlencode({'next': target})}")


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    logout(request)
    with visitors_language(request):
        messages.info(request, gettext("You are signed out."))
    return redirect("sign-in")


@signed_in_required
def consent(request: HttpRequest, form_id: int) -> HttpResponse:
    user = cast(User, request.user)
    form = get_object_or_404(ConsentForm, pk=form_id)
    target = safe_next(request) or landing_page(user)
    if not form.is_ready:
        return render(request, "accounts/consent_not_ready.html", {"form": form}, status=503)
    if request.method == "POST":
        consents.give_consent(user=user, form=form, language=request.POST.get("read_language", ""))
        messages.success(
            request, gettext("Thank you. You can take back your consent at any time under My account.")
        )
        return redirect(target)
    standing = Consent.objects.given_by(user).filter(form=form).first()
    before = not standing and Consent.objects.given_by(user).filter(form__title=form.title).exists()
    shown = form.read_in(standing.language if standing else get_language() or "")
    context = {"form": shown, "standing": standing, "agreed_before": before, "next": target}
    return render(request, "accounts/consent.html", context)


@require_POST
@signed_in_required
def withdraw_consent(request: HttpRequest, form_id: int) -> HttpResponse:
    form = get_object_or_404(ConsentForm, pk=form_id)
    if consents.withdraw_consent(user=cast(User, request.user), form=form):
        messages.success(
            request,
            gettext("You took back your consent (“%(title)s”). You keep what you earned.")
            % {"title": isolated(form.title)},
        )
    return redirect("mine")


# Keys of the rows of `by_corpus`; each cent is in one of these states.
STATES_OF_PAY = ("unapproved", "approved", "exported", "paid")


@require_safe
@never_cache
@signed_in_required
def mine(request: HttpRequest) -> HttpResponse:
    return _mine(request, TokenForm(user=cast(User, request.user)))


def _consents(user: User) -> QuerySet[Consent]:
    """Returns somebody's consents, newest first; `has_newer`: a newer text with the same title waits for theirs."""
    agreed = Consent.objects.given_by(user).values("form")
    newer = ConsentForm.objects.filter(
        title=OuterRef("form__title"), created_at__gt=OuterRef("form__created_at")
    ).exclude(pk__in=agreed)
    return user.consents.select_related("form").annotate(has_newer=Exists(newer)).order_by("-given_at")


def _mine(
    request: HttpRequest, token_form: TokenForm, new_token: str = "", status: int = 200
) -> HttpResponse:
    user = cast(User, request.user)
    before = request.GET.get("before", "")
    rows = user.ledger.newest_first(before=int(before) if before.isdecimal() and len(before) < 19 else None)
    entries = list(rows[: ENTRIES_A_PAGE + 1])
    midnight = start_of_day(timezone.now(), timezone.get_current_timezone())
    studies = user.ledger.by_corpus(midnight)
    came_from = user.visits.platforms()
    for study in studies:
        study["platform"] = came_from.get(study["corpus"], "")
    context = {
        "entries": entries[:ENTRIES_A_PAGE],
        "older": entries[ENTRIES_A_PAGE - 1].pk if len(entries) > ENTRIES_A_PAGE else None,
        "before": before,
        "studies": studies,
        "way_of_pay": studies[0] if studies else _way_of_first_pay(user, came_from),
        "total_cents": sum(study["total"] for study in studies),
        "has_pay_lists": any(study[state] for study in studies for state in STATES_OF_PAY[1:]),
        "states": {state: sum(study[state] for study in studies) for state in STATES_OF_PAY},
        "today_cents": sum(study["cents_today"] for study in studies),
        "languages": settings.LANGUAGES,
        "consents": _consents(user),
        "tokens": user.api_tokens.order_by("-created_at"),
        "token_form": token_form,
        "browsers": browsers.signed_in_browsers(user) if is_own(request) else [],
        "session_key": request.session.session_key,
        "new_token": new_token,
    }
    return render(request, "accounts/mine.html", context, status=status)


def _way_of_first_pay(user: User, came_from: dict[int, str]) -> dict[str, Any]:
    """Returns how somebody who earned nothing yet will be paid."""
    corpus, platform = next(iter(came_from.items()), (None, ""))
    return {} if user.is_researcher else user.sign_ups.way_of_pay(corpus) | {"platform": platform}


@require_POST
@signed_in_required
def choose_language(request: HttpRequest) -> HttpResponse:
    """Stores the language of a person's pages; an empty one is the browser's."""
    language = request.POST.get("language", "")
    if language == "" or language in dict(settings.LANGUAGES):
        User.objects.filter(pk=request.user.pk).update(language=language)
    return redirect("mine")


@require_POST
@never_cache
@own_required
def make_token(request: HttpRequest) -> HttpResponse:
    """Creates a token and shows it in this response; it is stored nowhere, so there is no redirect."""
    user = cast(User, request.user)
    form = TokenForm(request.POST, user=user)
    if not confirmed(request, form):
        return _mine(request, form, status=422)
    token = tokens.create_api_token(
        user=user,
        name=form.cleaned_data["name"],
        expires_at=form.expires_at(),
        scope=form.cleaned_data["scope"],
        corpus=form.cleaned_data.get("corpus", ""),
    )
    return _mine(request, TokenForm(user=user), new_token=token)


@require_POST
@own_required
def revoke_token(request: HttpRequest, token_id: int) -> HttpResponse:
    if tokens.revoke_api_token(user=cast(User, request.user), token_id=token_id):
        messages.success(request, gettext("The token is revoked. Scripts that used it need a new one."))
    return redirect("mine")


@require_POST
@own_required
def end_session(request: HttpRequest, browser_id: int) -> HttpResponse:
    """Signs out one browser of the person, which may be this one."""
    ended = browsers.end_session(user=cast(User, request.user), browser_id=browser_id)
    if ended == request.session.session_key:
        logout(request)
        return redirect("home")
    if ended is not None:
        messages.success(request, gettext("That browser is signed out."))
    return redirect("mine")


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@own_required
def background(request: HttpRequest) -> HttpResponse:
    """Shows and saves the optional questions about a person's background."""
    user = cast(User, request.user)
    stored = Background.objects.filter(user=user).values(*QUESTIONS).first()
    form = BackgroundForm(request.POST or None, initial=stored)
    if form.is_valid():
        save_background(user=user, answers=form.cleaned_data)
        has_answers = any(form.cleaned_data.values())
        messages.success(
            request, gettext("Saved. Thank you.") if has_answers else gettext("Your answers are deleted.")
        )
        return redirect("mine")
    context = {"form": form, "has_answers": stored, "floor": FLOOR}
    status = 422 if form.is_bound else 200
    return render(request, "accounts/background.html", context, status=status)


@never_cache
@sensitive_post_parameters()
@sensitive_variables("form", "given")
@signed_in_required
def change_password(request: HttpRequest) -> HttpResponse:
    """Changes a password. Asks for the old one, so nobody who came through a platform's link gets a first one here."""
    user = cast(User, request.user)
    form = PasswordForm(request.POST or None, user=user)
    if form.is_valid():
        given = form.cleaned_data
        try:
            ended = passwords.change_password(
                user=user, old=given["old"], new=given["new"], address=client_address(request)
            )
        except throttle.TooManyAttempts as refusal:
            form.add_error("old", str(refusal))
        except passwords.WrongSignIn:
            form.add_error("old", gettext("Wrong password. Nothing was changed."))
        else:
            before = request.session.session_key
            update_session_auth_hash(request, user)
            follow_session(request, before)
            said = gettext("Your new password is saved. Other browsers are signed out.")
            if ended:
                said += " " + gettext("Your access tokens do not work any more.")
            messages.success(request, said)
            return redirect("mine")
    status = 422 if form.is_bound else 200
    return render(request, "accounts/password.html", {"form": form}, status=status)


@researcher_post
def saved_filters(request: HttpRequest) -> HttpResponse:
    """Saves the filter `query` of the list `page` as `name`, or deletes the one with the number `delete`."""
    user = cast(User, request.user)
    sent = {
        name: request.POST.get(name, "").replace("\0", "") for name in ("page", "query", "name", "delete")
    }
    page = sent["page"]
    if not is_list(page):
        raise Http404("There is no such list.")
    if sent["delete"]:
        number = int(sent["delete"]) if sent["delete"].isdecimal() and len(sent["delete"]) < 19 else 0
        if delete_filter(user=user, number=number):
            messages.success(request, "The saved filter was deleted.")
    else:
        try:
            messages.success(request, f"Saved as “{save_filter(user=user, **_without(sent))}”.")
        except NotSaved as refusal:
            messages.error(request, str(refusal))
    query = query_of(sent["query"])
    return redirect(f"{page}?{query}" if query else page)


def _without(sent: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in sent.items() if name != "delete"}
