"""Pages of the second factor: what a researcher has, setting one up, and the second step of the sign-in.

django-allauth's own pages for setting one up write at a GET; these begin by a POST with the password, and show secrets
in its response alone.
"""

from typing import Any, cast

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.internal.flows.login import perform_login
from allauth.account.internal.flows.reauthentication import (
    did_recently_reauthenticate,
    reauthenticate_by_password,
)
from allauth.account.models import Login
from allauth.mfa.base.internal.flows import delete_and_cleanup
from allauth.mfa.base.views import AuthenticateView
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.flows import generate_recovery_codes
from allauth.mfa.stages import AuthenticateStage
from allauth.mfa.totp.forms import ActivateTOTPForm
from allauth.mfa.totp.internal import auth as totp
from allauth.mfa.totp.internal.flows import activate_totp
from allauth.mfa.webauthn.forms import AddWebAuthnForm
from allauth.mfa.webauthn.internal import auth as webauthn
from allauth.mfa.webauthn.internal.flows import add_authenticator
from allauth.socialaccount.models import SocialAccount
from allauth.socialaccount.providers.base.constants import AuthProcess
from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db import IntegrityError
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from accounts.models import User
from accounts.pages import open_id
from accounts.pages.access import confirmed, landing_page, researcher_post, researcher_required
from accounts.pages.forms import CodeForm, ConfirmedForm, PasskeyForm
from accounts.rest.problems import is_api
from accounts.sign_in.browsers import end_other_sessions
from accounts.sign_in.middleware import Next
from accounts.sign_in.second_factor import Adapter, Type, has_second_factor, takes

PASSKEY_OPTIONS = "passkey_options"  # in the session: what the browser needs for the second step by a passkey
COMPULSORY = (
    "This site asks researchers for a second factor. Set one up first, at {page} in a browser; until then nothing else"
    " opens to you."
)


class SignInAdapter(DefaultAccountAdapter):
    """Lets django-allauth sign people in, with one further step and without messages of its own."""

    def get_login_stages(self) -> list[str]:
        return ["accounts.pages.second_factor.SecondStep"]

    def get_login_redirect_url(self, request: HttpRequest) -> str:
        return landing_page(cast(User, request.user))

    def post_login(self, request: HttpRequest, user: Any, **kwargs: Any) -> HttpResponse:
        if sociallogin := (kwargs["signal_kwargs"] or {}).get("sociallogin"):
            open_id.linked_after_sign_in(request, user, sociallogin)
        return super().post_login(request, user, **kwargs)

    def get_reauthentication_methods(self, user: Any) -> list[dict]:
        return [{"url": reverse("second-factor")}]

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def add_message(self, *args: Any, **kwargs: Any) -> None:
        """Leaves messages to the pages of the site."""


class SecondStep(AuthenticateStage):
    """Stops the sign-in of a person who has a second factor. The challenge for a passkey is made here and not by a GET."""

    def handle(self) -> tuple[HttpResponseBase | None, bool]:
        response, goes_on = super().handle()
        if response is not None and webauthn.get_credentials(self.login.user):
            self.request.session[PASSKEY_OPTIONS] = webauthn.begin_authentication(self.login.user)
        return response, goes_on


def enter(request: HttpRequest, user: User, target: str) -> HttpResponse:
    """Signs a person in whose password was right, or leads them to the second step."""
    return perform_login(request, Login(user=user, redirect_url=target))


class SecondStepView(AuthenticateView):
    template_name = "accounts/second_step.html"
    form: CodeForm | PasskeyForm

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        kinds = set(Authenticator.objects.filter(user=self.stage.login.user).values_list("type", flat=True))
        options = self.request.session.get(PASSKEY_OPTIONS) if Type.WEBAUTHN in kinds else None
        return {
            "form": self.auth_form,
            "passkey_form": self.webauthn_form,
            "kinds": kinds,
            "passkey": {"request_options": options} if options else None,
        }

    def form_invalid(self, form: CodeForm | PasskeyForm) -> HttpResponse:
        page = self.render_to_response(self.get_context_data(), status=422)
        if form.locked is not None:
            page.status_code = 429
            page["Retry-After"] = str(form.locked.retry_after)
        return page


second_step = sensitive_post_parameters()(SecondStepView.as_view())


@never_cache
@sensitive_post_parameters()
@researcher_required
@require_http_methods(["GET", "HEAD", "POST"])
def my_second_factor(request: HttpRequest) -> HttpResponse:
    """Shows what a researcher has for the second step. A POST with the password adds, renews or removes."""
    user = cast(User, request.user)
    form = ConfirmedForm(request.POST if request.method == "POST" else None, user=user)
    if not confirmed(request, form):
        return _my_second_factor(request, form)
    reauthenticate_by_password(request)
    wanted = request.POST.get("do", "")
    if wanted == "app" and not _own(user).filter(type=Type.TOTP).exists():
        return _show_app(request, ActivateTOTPForm(user=user))
    if wanted == "passkey":
        return _show_passkey(request, AddWebAuthnForm(user=user))
    if wanted == "codes" and has_second_factor(user):
        return _show_codes(request, generate_recovery_codes(request))
    verb, _, which = wanted.partition("-")
    if verb == "link":
        return open_id.to_provider(request, which, AuthProcess.CONNECT, reverse("second-factor"))
    if verb == "unlink" and which.isdecimal():
        return open_id.unlink(request, int(which[:18]))
    if verb == "remove" and which.isdecimal():
        one = _own(user).exclude(type=Type.RECOVERY_CODES).filter(pk=int(which[:18])).first()
        if one is not None:
            delete_and_cleanup(request, one)
            messages.success(request, "It is removed.")
    return redirect("second-factor")


@require_POST
@never_cache
@sensitive_post_parameters()
@researcher_required
def add_app(request: HttpRequest) -> HttpResponse:
    """Adds an app by the first code that it shows."""
    user = cast(User, request.user)
    if not did_recently_reauthenticate(request) or totp.SECRET_SESSION_KEY not in request.session:
        return _too_late(request)
    form = ActivateTOTPForm(request.POST, user=user)
    if not form.is_valid():
        return _show_app(request, form)
    try:
        app, codes = activate_totp(request, form)
    except IntegrityError:  # sent twice: the other request was faster
        return redirect("second-factor")
    takes(app, form.cleaned_data["code"])  # so that nobody who saw it signs in with it
    return _added(request, codes)


@researcher_post
def add_passkey(request: HttpRequest) -> HttpResponse:
    """Adds a passkey that the browser has made."""
    if not did_recently_reauthenticate(request) or webauthn.get_state() is None:
        return _too_late(request)
    form = AddWebAuthnForm(request.POST, user=request.user)
    if not form.is_valid():
        return _show_passkey(request, form)
    given = form.cleaned_data
    _, codes = add_authenticator(request, name=given["name"][:100], credential=given["credential"])
    return _added(request, codes)


def _own(user: User) -> Any:
    return Authenticator.objects.filter(user=user).order_by("pk")


def _added(request: HttpRequest, codes: Authenticator | None) -> HttpResponse:
    """Signs the other browsers out: they came in without the second step."""
    end_other_sessions(cast(User, request.user), request.session.session_key)
    messages.success(request, "The second step is on: your next sign-in asks for it.")
    return redirect("second-factor") if codes is None else _show_codes(request, codes)


def _too_late(request: HttpRequest) -> HttpResponse:
    messages.info(request, "That took too long. Please begin again.")
    return redirect("second-factor")


def _my_second_factor(request: HttpRequest, form: ConfirmedForm) -> HttpResponse:
    found = list(_own(cast(User, request.user)))
    codes = next((each for each in found if each.type == Type.RECOVERY_CODES), None)
    linked = dict(SocialAccount.objects.filter(user=request.user).values_list("provider", "pk"))
    context = {
        "form": form,
        "factors": [each for each in found if each is not codes],
        "app": any(each.type == Type.TOTP for each in found),
        "codes_left": None if codes is None else len(codes.wrap().get_unused_codes()),
        "providers": [{**each, "linked": linked.get(each["provider_id"])} for each in open_id.providers()],
        "compulsory": settings.REQUIRE_SECOND_FACTOR,
    }
    return render(request, "accounts/second_factor.html", context, status=422 if form.is_bound else 200)


def _show_app(request: HttpRequest, form: ActivateTOTPForm) -> HttpResponse:
    """Shows the secret for an app, in this response alone."""
    form.fields["code"].widget.attrs |= {"inputmode": "numeric", "placeholder": ""}
    adapter = Adapter()
    address = adapter.build_totp_url(request.user, form.secret)
    picture = adapter.build_totp_svg(address).partition("?>")[2]  # without the line of XML before it
    context = {"form": form, "address": address, "picture": picture}
    return render(request, "accounts/add_app.html", context, status=422 if form.is_bound else 200)


def _show_passkey(request: HttpRequest, form: AddWebAuthnForm) -> HttpResponse:
    options = webauthn.begin_registration(request.user, passwordless=False)
    context = {"form": form, "passkey": {"creation_options": options}}
    return render(request, "accounts/add_passkey.html", context, status=422 if form.is_bound else 200)


def _show_codes(request: HttpRequest, codes: Authenticator) -> HttpResponse:
    """Shows new recovery codes, in this response alone."""
    return render(request, "accounts/recovery_codes.html", {"codes": codes.wrap().get_unused_codes()})


def require_second_factor(get_response: Next) -> Next:
    """Middleware: with `REQUIRE_SECOND_FACTOR`, shows a researcher without one nothing but the page that sets it up."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        user = request.user
        if not settings.REQUIRE_SECOND_FACTOR or not isinstance(user, User) or not user.is_researcher:
            return get_response(request)
        page = reverse("second-factor")
        if request.path.startswith((page, reverse("sign-out"))) or has_second_factor(user):
            return get_response(request)
        if is_api(request):
            raise PermissionDenied(COMPULSORY.format(page=page))
        return redirect(page)

    return middleware
