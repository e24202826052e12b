"""Records in which browsers somebody is signed in, and signs them out."""

import time
from typing import Any

from django.contrib.auth import user_logged_in, user_logged_out
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.dispatch import receiver
from django.http import HttpRequest
from django.utils import timezone

from accounts.models import SignedIn, SignInAttempt, User
from accounts.sign_in.security_log import note
from accounts.sign_in.throttle import client_address, window_start

SINCE = "signed_in_at"  # in the session: seconds since 1970


@receiver(user_logged_in)
def remember_browser(sender: Any, request: HttpRequest, user: User, **_: Any) -> None:
    """Records the browser at a sign-in, so that the person can see it and sign it out."""
    if request.session.session_key is None:
        request.session.create()
    request.session[SINCE] = time.time()
    address = client_address(request)
    browser = request.headers.get("User-Agent", "")[:200]
    SignedIn.objects.update_or_create(
        session_key=request.session.session_key,
        defaults={"user": user, "address": address, "browser": browser},
    )
    note("signed in", user=user.code, role=user.role, address=address or "unknown")


@receiver(user_logged_out)
def forget_browser(sender: Any, request: HttpRequest, user: User | None, **_: Any) -> None:
    if user is not None:
        SignedIn.objects.filter(session_key=request.session.session_key).delete()
        note("signed out", user=user.code)


def follow_session(request: HttpRequest, before: str | None) -> None:
    """Keeps the browser's record after its session got a new key, as with a new password."""
    SignedIn.objects.filter(session_key=before).update(session_key=request.session.session_key)


def signed_in_browsers(user: User) -> QuerySet[SignedIn]:
    """Returns the browsers in which somebody is signed in, newest first."""
    session = Session.objects.filter(session_key=OuterRef("session_key"), expire_date__gt=timezone.now())
    return user.browsers.filter(Exists(session)).order_by("-pk")


@transaction.atomic
def end_session(*, user: User, browser_id: int) -> str | None:
    """Signs one browser of a person out. Returns its session key, or None if the person is not signed in there."""
    row = user.browsers.filter(pk=browser_id).first()
    if row is None:
        return None
    Session.objects.filter(session_key=row.session_key).delete()
    row.delete()
    note("session ended", user=user.code)
    return row.session_key


def end_sessions(user: User) -> None:
    """Signs a person out of every browser."""
    end_other_sessions(user, None)


@transaction.atomic
def end_other_sessions(user: User, here: str | None) -> None:
    """Signs a person out of every browser but the one with the session key `here`."""
    others = user.browsers.exclude(session_key=here)
    Session.objects.filter(session_key__in=others.values("session_key")).delete()
    others.delete()
    note("other sessions ended" if here else "all sessions ended", user=user.code)


def forget_old_sign_ins() -> None:
    """Deletes failed sign-ins that no longer count, expired sessions, and the browsers of ended sessions."""
    SignInAttempt.objects.filter(at__lte=window_start()).delete()
    Session.objects.filter(expire_date__lt=timezone.now()).delete()
    SignedIn.objects.filter(~Exists(Session.objects.filter(session_key=OuterRef("session_key")))).delete()
