"""Browsers in which somebody is signed in, idle sign-out, and the security log."""

import logging
import subprocess
import sys
import time
from datetime import timedelta

import pytest
from django.contrib.auth.password_validation import validate_password
from django.contrib.sessions.models import Session
from django.core.exceptions import ValidationError
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import ApiToken, SignedIn, SignInAttempt
from accounts.sign_in import middleware, tokens
from accounts.tasks import forget_old_sign_ins
from annotation_site.operation.settings_checks import nobody_else_reads_the_database
from tests.cast import PASSWORD, person

pytestmark = pytest.mark.django_db


def sign_in(name, **headers):
    client = Client(**headers)
    assert client.post(reverse("sign-in"), {"username": name, "password": PASSWORD}).status_code == 302
    return client


def test_mine_lists_the_browsers_and_ends_them(ana, vera):
    here = sign_in("ana", HTTP_USER_AGENT="Laptop/1", REMOTE_ADDR="192.0.2.1")
    phone = sign_in("ana", HTTP_USER_AGENT="Phone/2", REMOTE_ADDR="192.0.2.2")
    page = here.get(reverse("mine")).content.decode()
    assert "Phone/2" in page
    assert "192.0.2.2" in page
    assert page.count("(this browser)") == 1
    row = SignedIn.objects.get(browser="Phone/2")
    sign_in("vera").post(reverse("end-session", args=[row.pk]))
    assert phone.get(reverse("mine")).status_code == 200
    here.post(reverse("end-session", args=[row.pk]))
    assert phone.get(reverse("mine")).status_code == 302
    assert "Phone/2" not in here.get(reverse("mine")).content.decode()
    here.post(reverse("sign-out"))
    assert not SignedIn.objects.filter(user=ana).exists()


@pytest.mark.parametrize(
    ("header", "name"),
    [
        (
            "Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36",
            "Chrome, Android",
        ),
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1",
            "Safari, iPhone",
        ),
        (
            "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0",
            "Edge, Windows",
        ),
        ("curl/8", ""),
    ],
)
def test_browsers_have_the_names_that_people_know(header, name):
    assert SignedIn(browser=header).name == name


def test_a_new_password_ends_tokens_and_leaves_this_browser_alone(ana):
    tokens.create_api_token(user=ana, name="script")
    here, elsewhere = sign_in("ana"), sign_in("ana")
    new = "another battery, horse"
    here.post(reverse("change-password"), {"old": PASSWORD, "new": new, "again": new})
    assert not ApiToken.objects.exists()
    assert elsewhere.get(reverse("mine")).status_code == 302
    assert here.get(reverse("mine")).content.decode().count("(this browser)") == 1


def test_tokens_and_erasure_ask_for_the_password_once_more(ana):
    client = sign_in("ana")
    for given in ({}, {"password": "wrong"}):
        assert client.post(reverse("make-token"), {"name": "x", "days": "0", **given}).status_code == 422
        assert client.post(reverse("erase-me"), {"code": ana.code, **given}).status_code == 422
    assert not ApiToken.objects.exists()
    ana.refresh_from_db()
    assert ana.is_active
    assert SignInAttempt.objects.filter(account="ana").count() == 2


def test_an_idle_researcher_signs_in_again_and_an_annotator_stays(rosa, ana, settings, monkeypatch):
    settings.RESEARCHER_IDLE_SECONDS = 1000
    clients = {name: sign_in(name) for name in ("rosa", "ana")}
    start = time.time()

    def asked(name, seconds):
        monkeypatch.setattr(middleware.time, "time", lambda: start + seconds)
        return clients[name].get(reverse("mine")).status_code

    assert [asked("rosa", seconds) for seconds in (900, 1800, 2700)] == [200] * 3, "each look begins anew"
    assert asked("rosa", 3800) == 302
    assert asked("rosa", 3801) == 302
    assert asked("ana", 100_000) == 200
    # Another session's cookie, or an invented one, keeps nobody signed in.
    clients["rosa"].cookies[middleware.SEEN_COOKIE] = f"{int(start + 3800)}:made:up"
    assert asked("rosa", 3802) == 302


def test_looking_at_a_page_writes_nothing_about_being_seen(rosa, django_assert_num_queries):
    client = sign_in("rosa")
    client.get(reverse("mine"))
    with django_assert_num_queries(11):  # the corpora of the switcher, and those of tokens, among them
        client.get(reverse("mine"))


def test_the_security_log_tells_who_did_what_without_names(rosa, ana, caplog):
    caplog.set_level(logging.INFO, "quintet.security")
    client = sign_in("rosa", REMOTE_ADDR="192.0.2.1")
    client.get(reverse("my-data") + "?secret=1")
    client.post(reverse("make-token"), {"name": "mine", "days": "30", "password": PASSWORD})
    client.post(reverse("sign-out"))
    Client().post(reverse("sign-in"), {"username": "ana", "password": "wrong"}, REMOTE_ADDR="192.0.2.9")
    lines = "\n".join(record.getMessage() for record in caplog.records if record.name == "quintet.security")
    for wanted in (
        f"signed in user={rosa.code} role=researcher address=192.0.2.1",
        f"downloaded user={rosa.code} path=/mine/data/ status=200",
        f"token made user={rosa.code}",
        f"changed user={rosa.code} path=/mine/tokens/ status=200",
        f"signed out user={rosa.code}",
        "sign-in failed address=192.0.2.9",
    ):
        assert wanted in lines
    for kept_out in ("rosa ", "ana", PASSWORD, "secret=1"):
        assert kept_out not in lines


def test_administrators_see_and_end_tokens_and_researchers_do_not(browser_of, rosa, ana):
    tokens.create_api_token(user=ana, name="nightly")
    address = reverse("admin:accounts_apitoken_changelist")
    assert browser_of(rosa).get(address).status_code == 403
    ada = browser_of(person("ada", role="administrator"))
    assert "nightly" in ada.get(address).content.decode()
    token = ApiToken.objects.get()
    ada.post(reverse("admin:accounts_apitoken_delete", args=[token.pk]), {"post": "yes"})
    assert not ApiToken.objects.exists()


def test_a_password_that_an_administrator_sets_ends_the_tokens(browser_of, ana):
    tokens.create_api_token(user=ana, name="nightly")
    ada = browser_of(person("ada", role="administrator"))
    new = {"password1": "another battery, horse", "password2": "another battery, horse"}
    address = reverse("admin:auth_user_password_change", args=[ana.pk])
    assert ada.post(address, {**new, "usable_password": "true"}).status_code == 302
    assert not ApiToken.objects.exists()


def test_the_dashboards_own_page_for_passwords_leads_to_the_one_that_counts(browser_of, rosa):
    answer = browser_of(rosa).post("/admin/password_change/", {"old_password": "guess"})
    assert answer.status_code == 302
    assert answer.url == reverse("change-password")


def test_passwords_have_twelve_characters(ana):
    with pytest.raises(ValidationError, match="12"):
        validate_password("Passw0rd!23", ana)


def test_what_is_over_is_cleared_away(ana):
    client = sign_in("ana")
    sign_in("ana")
    SignInAttempt.objects.create(account="ana", address="192.0.2.1")
    SignInAttempt.objects.update(at=timezone.now() - timedelta(hours=1))
    old = SignedIn.objects.latest("pk")
    Session.objects.filter(session_key=old.session_key).update(expire_date=timezone.now() - timedelta(days=1))
    forget_old_sign_ins()
    assert not SignInAttempt.objects.exists()
    assert Session.objects.count() == SignedIn.objects.count() == 1
    assert client.get(reverse("mine")).status_code == 200


def test_files_of_the_site_are_its_own_accounts(tmp_path):
    var = tmp_path / "new" / "var"
    environment = {"QUINTET_VAR": str(var), "PATH": "/usr/bin:/bin"}
    command = [sys.executable, "manage.py", "migrate", "accounts", "zero", "--plan"]
    subprocess.run(command, env=environment, check=True, capture_output=True)
    assert var.stat().st_mode & 0o777 == 0o700
    modes = {path.name: path.stat().st_mode & 0o077 for path in var.iterdir()}
    assert "quintet.sqlite3" in modes
    assert not any(modes.values())


def test_a_database_that_everybody_reads_is_told(tmp_path, settings, monkeypatch):
    file = tmp_path / "quintet.sqlite3"
    file.touch(mode=0o600)
    database = {"ENGINE": "django.db.backends.sqlite3", "NAME": str(file)}
    monkeypatch.setitem(settings.DATABASES, "default", database)
    for folder in [tmp_path, *tmp_path.parents][:4]:
        if folder.stat().st_mode & 0o001 == 0:
            monkeypatch.setattr(type(file), "parents", property(lambda path: [tmp_path]))
    tmp_path.chmod(0o755)
    assert nobody_else_reads_the_database() == []
    file.chmod(0o644)
    assert [each.id for each in nobody_else_reads_the_database()] == ["quintet.W005"]
    tmp_path.chmod(0o700)
    assert nobody_else_reads_the_database() == []
