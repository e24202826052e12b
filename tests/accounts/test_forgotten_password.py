"""A forgotten password: a mail with a link that works once and expires; nothing reveals who has an account."""

import re
import time
from datetime import timedelta
from urllib.parse import unquote

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse

from accounts.models import ApiToken, User
from accounts.sign_in import passwords
from accounts.sign_in.throttle import FAILURES_BY_ACCOUNT_AND_ADDRESS
from accounts.sign_in.tokens import create_api_token
from tests.cast import PASSWORD, signed_in

pytestmark = pytest.mark.django_db
ADDRESS = "ana@example.org"
CSRF = re.compile(r"[A-Za-z0-9]{64}")
NEW = "seven grey lambs"


@pytest.fixture
def forgetful(ana: User) -> User:
    ana.email = ADDRESS
    ana.save()
    return ana


def ask(client: Client, address: str = ADDRESS) -> str:
    return client.post(reverse("forgotten-password"), {"email": address}, follow=True).content.decode()


def mailed(number: int = 1) -> str:
    """Returns the link in the newest mail. Waits until this number was sent, since threads send them."""
    until = time.monotonic() + 60
    while len(mail.outbox) < number and time.monotonic() < until:
        time.sleep(0.01)
    assert len(mail.outbox) == number
    found = re.search(r"http://testserver(\S+)", str(mail.outbox[-1].body))
    assert found
    return found[1]


def choose(client: Client, link: str, new: str = NEW):
    return client.post(link, {"new": new, "again": new})


def test_the_link_sets_a_new_password_once_and_ends_all_that_the_old_one_opened(client, forgetful):
    elsewhere = Client()
    elsewhere.login(username="ana", password=PASSWORD)
    create_api_token(user=forgetful, name="script")
    for _ in range(FAILURES_BY_ACCOUNT_AND_ADDRESS):
        client.post(reverse("sign-in"), {"username": "ana", "password": "guess"})
    assert "If an account has this address" in ask(client)
    link = mailed()
    assert mail.outbox[0].to == [ADDRESS]
    assert "ana" in str(mail.outbox[0].body)
    assert "New password" in client.get(link).content.decode()
    assert choose(client, link).status_code == 302
    signed_in = client.post(reverse("sign-in"), {"username": "ana", "password": NEW})
    assert signed_in.status_code == 302, "the guesses before do not keep the person out"
    assert elsewhere.get(reverse("mine")).status_code == 302
    assert not ApiToken.objects.exists()
    again = choose(client, link, "eight grey lambs")
    assert again.status_code == 410
    assert "used" in again.content.decode()
    assert Client().login(username="ana", password=NEW)


def test_an_address_that_nobody_has_is_answered_alike(client, forgetful):
    answers = [CSRF.sub("", ask(client, address)) for address in ("nobody@example.org", ADDRESS)]
    assert answers[0] == answers[1]
    mailed(1)


@pytest.mark.parametrize("change", ["closed", "without a password", "another address"])
def test_some_accounts_get_no_new_password(client, forgetful, change):
    ask(client)
    link = mailed()
    if change == "closed":
        User.objects.update(is_active=False)
    elif change == "without a password":
        forgetful.set_unusable_password()
        forgetful.save()
    else:
        User.objects.update(email="ada@example.org")
    assert choose(client, link).status_code == 410
    ask(client)
    time.sleep(0.1)
    assert len(mail.outbox) == 1


def test_the_link_ends_after_an_hour_and_a_weak_password_is_refused(client, forgetful, settings):
    ask(client)
    link = mailed()
    assert "too short" in choose(client, link, "1234").content.decode()
    settings.PASSWORD_RESET_TIMEOUT = -1
    assert choose(client, link).status_code == 410
    assert Client().login(username="ana", password=PASSWORD)


def test_mails_are_limited_as_sign_ins_are(client, forgetful):
    for _ in range(FAILURES_BY_ACCOUNT_AND_ADDRESS):
        ask(client)
    page = client.post(reverse("forgotten-password"), {"email": ADDRESS.upper()})
    assert page.status_code == 429
    assert "Please wait" in page.content.decode()
    mailed(FAILURES_BY_ACCOUNT_AND_ADDRESS)


def test_a_mail_server_that_is_away_is_logged_and_told_to_nobody(client, forgetful, settings, caplog):
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 9
    assert "If an account has this address" in ask(client)
    until = time.monotonic() + 60
    while "could not be sent" not in caplog.text and time.monotonic() < until:
        time.sleep(0.01)
    assert "could not be sent" in caplog.text
    assert ADDRESS not in caplog.text


def test_an_address_is_kept_once_its_mail_was_read(client, ana):
    client.force_login(ana)
    page = client.post(reverse("my-email"), {"email": ADDRESS, "password": "wrong"})
    assert "Wrong password" in page.content.decode()
    client.post(reverse("my-email"), {"email": ADDRESS, "password": PASSWORD})
    link = mailed()
    ana.refresh_from_db()
    assert ana.email == ""
    assert ADDRESS in client.get(link).content.decode()
    ana.refresh_from_db()
    assert ana.email == "", "looking changes nothing"
    token = unquote(link.split("confirm=")[1])
    stranger = signed_in(User.objects.create_user("stan", password=PASSWORD))
    assert stranger.post(reverse("my-email"), {"confirm": token}).status_code == 410
    assert client.post(reverse("my-email"), {"confirm": token}).status_code == 302
    ana.refresh_from_db()
    assert ana.email == ADDRESS
    client.post(reverse("my-email"), {"email": "", "password": PASSWORD})
    ana.refresh_from_db()
    assert ana.email == ""


def test_a_confirmation_ends_after_a_day(client, ana, monkeypatch):
    monkeypatch.setattr(passwords, "CONFIRM_WITHIN", timedelta(seconds=-1))
    client.force_login(ana)
    token = passwords.confirmation_of(ana, ADDRESS)
    assert client.post(reverse("my-email"), {"confirm": token}).status_code == 410
