"""Pages for a forgotten password: request a mail, choose a new password, store an e-mail address."""

import logging
import threading
from typing import NamedTuple, cast

from django.contrib import messages
from django.core.mail import EmailMessage
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import get_language, gettext, gettext_lazy, override
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables
from django.views.decorators.http import require_http_methods

from accounts.models import User
from accounts.pages.access import confirmed, own_required
from accounts.pages.forms import EmailForm, ForgottenForm, NewPasswordForm
from accounts.sign_in import passwords
from accounts.sign_in.throttle import TooManyAttempts, begin_sign_in, client_address
from shared.bidi import isolated

logger = logging.getLogger(__name__)

SENT = gettext_lazy(
    "If an account has this address, a mail with a link is on its way. You can use the link one time, within an hour. If no"
    " mail comes, look among the spam, or ask the researchers of your study for a new password."
)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def forgotten_password(request: HttpRequest) -> HttpResponse:
    """Sends reset links to an account's address; an unknown one gets the same answer. Limited as sign-ins are."""
    form, locked = ForgottenForm(request.POST or None), None
    if form.is_valid():
        address = form.cleaned_data["email"]
        try:
            begin_sign_in(account=f"mail:{address}", address=client_address(request))
        except TooManyAttempts as refusal:
            locked = refusal
            why = gettext("Too many e-mails were requested.")
            form.add_error("email", f"{why} {refusal.look_again}")
        else:
            for user in passwords.people_with(address):
                path = reverse("new-password", args=passwords.reset_link(user))
                _mail(request, "forgotten", user, user.email, path)
            messages.info(request, SENT)
            return redirect("sign-in")
    status = 429 if locked else 422 if form.is_bound else 200
    page = render(request, "accounts/forgotten_password.html", {"form": form}, status=status)
    if locked:
        page["Retry-After"] = str(locked.retry_after)
    return page


@never_cache
@sensitive_post_parameters()
@sensitive_variables("form")
@require_http_methods(["GET", "HEAD", "POST"])
def new_password(request: HttpRequest, uid: str, token: str) -> HttpResponse:
    """Lets the person who opens the link of a mail choose a new password."""
    user = passwords.person_of_link(uid, token)
    if user is None:
        return render(request, "accounts/link_over.html", status=410)
    form = NewPasswordForm(request.POST or None, user=user)
    if form.is_valid():
        if not passwords.reset_password(
            user=user, token=token, new=form.cleaned_data["new"], address=client_address(request)
        ):
            return render(request, "accounts/link_over.html", status=410)
        messages.success(request, gettext("Your new password is saved. Please sign in with it."))
        return redirect("sign-in")
    status = 422 if form.is_bound else 200
    return render(request, "accounts/new_password.html", {"form": form, "person": user}, status=status)


@never_cache
@sensitive_post_parameters("password")
@own_required
@require_http_methods(["GET", "HEAD", "POST"])
def my_email(request: HttpRequest) -> HttpResponse:
    """Stores the e-mail address for a forgotten password, once its owner has opened the link of a mail; or deletes it."""
    user = cast(User, request.user)
    if not user.has_usable_password():
        return render(request, "accounts/email.html", status=403 if request.method == "POST" else 200)
    given = request.POST if request.method == "POST" else request.GET
    if token := given.get("confirm"):
        address = passwords.confirmed_address(user, token)
        if address is None:
            return render(request, "accounts/link_over.html", status=410)
        if request.method == "POST":
            passwords.keep_email(user=user, email=address)
            messages.success(
                request,
                gettext("Saved. If you forget your password, you get a link for a new one at this address."),
            )
            return redirect("mine")
        return render(request, "accounts/email.html", {"address": address, "token": token})
    form = EmailForm(request.POST or None, user=user, initial={"email": user.email})
    if confirmed(request, form):
        address = form.cleaned_data["email"]
        if address:
            path = f"{reverse('my-email')}?{urlencode({'confirm': passwords.confirmation_of(user, address)})}"
            _mail(request, "confirm", user, address, path)
            messages.info(
                request,
                gettext(
                    "A mail is on its way to %(address)s. The address is stored when you open the link in it and choose"
                    " “Use this address”."
                )
                % {"address": isolated(address)},
            )
        else:
            passwords.keep_email(user=user, email="")
            messages.success(request, gettext("No e-mail address is stored for you now."))
        return redirect("mine")
    status = 422 if form.is_bound else 200
    return render(request, "accounts/email.html", {"form": form}, status=status)


def _mail(request: HttpRequest, kind: str, user: User, to: str, path: str) -> None:
    """Sends a mail in the language that the person chose for the pages, or else in the one of this page."""
    link = request.build_absolute_uri(path)
    with override(user.language or get_language()):
        text = render_to_string(f"accounts/mails/{kind}.txt", {"person": user, "link": link})
    subject, _, body = text.partition("\n")
    send_soon(Mail(subject, body.lstrip(), to))


class Mail(NamedTuple):
    subject: str
    text: str
    to: str


def send_soon(*mails: Mail) -> None:
    """Sends mails from a thread, one after the other. A failure is logged, without the address."""
    messages = [EmailMessage(mail.subject, mail.text, to=[mail.to]) for mail in mails]
    threading.Thread(target=_send, args=messages, name="mail", daemon=True).start()


def _send(*mails: EmailMessage) -> None:
    for message in mails:
        try:
            message.send()
        except Exception as error:  # whatever the mail server does
            logger.error(
                "A mail could not be sent (%s). Look at EMAIL_URL; docs/how-to/production.md describes it.",
                type(error).__name__,
            )
