"""Sign-in of researchers by OpenID Connect: the button, the way back, and who gets in.

django-allauth speaks the protocol. No account is made here: only a researcher or administrator who exists gets in, by an
identity that they linked under My account, or by the e-mail address of their account if the provider says that it is
theirs.
"""

from typing import Any, cast

from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.adapter import get_adapter as social_adapter
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialLogin
from allauth.socialaccount.providers.base.constants import AuthProcess
from allauth.socialaccount.signals import social_account_added
from django.conf import settings
from django.contrib import messages
from django.dispatch import receiver
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.crypto import get_random_string
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST
from requests import RequestException

from accounts.models import SignInAttempt, User
from accounts.pages.access import OWN, safe_next
from accounts.sign_in.security_log import note
from accounts.sign_in.throttle import TooManyAttempts, begin_sign_in, client_address

ATTEMPT = "open_id_attempt"  # in the session: the row of the throttle that a success deletes


@require_POST
@never_cache
def sign_in_with(request: HttpRequest, provider_id: str) -> HttpResponse:
    """Sends somebody to a provider to sign in there."""
    return to_provider(request, provider_id, AuthProcess.LOGIN, safe_next(request))


def to_provider(request: HttpRequest, provider_id: str, process: str, target: str | None) -> HttpResponse:
    """Shows a page that leads to the provider.

    A redirect would not do: browsers apply `form-action` of the page with the button to every address on the way, and
    providers redirect to others.
    """
    try:
        provider = social_adapter().get_provider(request, provider_id)
    except SocialApp.DoesNotExist:
        raise Http404 from None
    try:
        # Each attempt has a name of its own, so only the limit of the address counts.
        attempt = begin_sign_in(account=f"open id:{get_random_string(12)}", address=client_address(request))
    except TooManyAttempts as refusal:
        page = _refused(request, provider.name, str(refusal), 429)
        page["Retry-After"] = str(refusal.retry_after)
        return page
    request.session[ATTEMPT] = attempt.pk
    try:
        answer = provider.redirect(request, process, next_url=target)
    except (RequestException, KeyError, ValueError):
        note("provider not reached", provider=provider_id)
        return _refused(request, provider.name, "It cannot be reached at the moment.", 502)
    if not isinstance(answer, HttpResponseRedirect):
        return answer
    return render(request, "accounts/to_provider.html", {"address": answer.url, "name": provider.name})


class OpenIdAdapter(DefaultSocialAccountAdapter):
    """Decides who may sign in by OpenID Connect. Of a provider's answer, only the id of the person is stored."""

    def populate_user(self, request: HttpRequest, sociallogin: SocialLogin, data: Any) -> Any:
        sociallogin.account.extra_data = {}
        return sociallogin.user

    def is_open_for_signup(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:
        return False

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        """Finds the researcher of an identity. Raises ImmediateHttpResponse with a page for everybody else."""
        provider, linked = sociallogin.account.provider, sociallogin.is_existing
        if sociallogin.state.get("process") == AuthProcess.CONNECT:
            if linked and sociallogin.user != request.user:
                self._refuse(request, sociallogin, "It belongs to another account here.")
            return
        user = sociallogin.user if linked else researcher_with(verified_addresses(sociallogin), provider)
        if user is None or not user.is_active or not user.is_researcher:
            self._refuse(request, sociallogin, "")
        sociallogin.user = user
        SignInAttempt.objects.filter(pk=request.session.pop(ATTEMPT, None)).delete()

    def _refuse(self, request: HttpRequest, sociallogin: SocialLogin, why: str) -> None:
        note(
            "sign-in by provider refused",
            provider=sociallogin.account.provider,
            address=client_address(request),
        )
        raise ImmediateHttpResponse(_refused(request, sociallogin.provider.name, why, 403))

    def on_authentication_error(self, request: HttpRequest, provider: Any, *args: Any, **kwargs: Any) -> None:
        note("sign-in by provider failed", provider=provider.app.provider_id, address=client_address(request))
        why = "The way back was not complete, or it took too long. Please try again."
        raise ImmediateHttpResponse(_refused(request, provider.name, why, 401))

    def get_connect_redirect_url(self, request: HttpRequest, socialaccount: Any) -> str:
        return reverse("second-factor")


def verified_addresses(sociallogin: SocialLogin) -> list[str]:
    """Returns the addresses that the provider has verified. Some providers send the text "true" instead of true."""
    return [each.email for each in sociallogin.email_addresses if each.verified in (True, "true")]


def researcher_with(addresses: list[str], provider: str) -> User | None:
    """Returns the one researcher with one of these addresses, if no other identity at the provider is linked to them."""
    roles = (User.Role.RESEARCHER, User.Role.ADMINISTRATOR)
    for address in addresses:
        found = list(User.objects.filter(email__iexact=address, is_active=True, role__in=roles)[:2])
        if len(found) == 1 and not SocialAccount.objects.filter(user=found[0], provider=provider).exists():
            return found[0]
    return None


def linked_after_sign_in(request: HttpRequest, user: User, sociallogin: SocialLogin) -> None:
    """Links the identity of somebody who came in by their e-mail address, after all steps of the sign-in."""
    request.session[OWN] = True
    account = sociallogin.account
    _, is_new = SocialAccount.objects.get_or_create(
        provider=account.provider, uid=account.uid, defaults={"user": user}
    )
    note("signed in by provider", user=user.code, provider=account.provider)
    if is_new:
        note("identity linked", user=user.code, provider=account.provider)


@receiver(social_account_added)
def note_linked(request: HttpRequest, sociallogin: SocialLogin, **_: Any) -> None:
    """Receives django-allauth's signal that somebody linked an identity under My account."""
    note("identity linked", user=cast(User, request.user).code, provider=sociallogin.account.provider)
    SignInAttempt.objects.filter(pk=request.session.pop(ATTEMPT, None)).delete()
    messages.success(request, "It is linked. You can sign in with it from now on.")


def unlink(request: HttpRequest, pk: int) -> HttpResponse:
    """Unlinks an identity of the person."""
    user = cast(User, request.user)
    for account in SocialAccount.objects.filter(user=user, pk=pk):
        account.delete()
        note("identity unlinked", user=user.code, provider=account.provider)
        messages.success(request, "It is unlinked.")
    return redirect("second-factor")


def _refused(request: HttpRequest, name: str, why: str, status: int) -> HttpResponse:
    contact = {"name": name, "why": why, "is_stranger": status == 403 and not why}
    return render(request, "accounts/provider_refused.html", contact, status=status)


def providers() -> list[dict[str, str]]:
    """Returns the configured providers, as `provider_id` and `name`."""
    return cast(list[dict[str, str]], settings.SOCIALACCOUNT_PROVIDERS["openid_connect"]["APPS"])
