"""The second step of a sign-in: setting it up, signing in with it, and no way around it."""

import logging
import re
import time
from types import SimpleNamespace

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal import auth as totp
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from rest_framework.test import APIClient

from accounts.models import ApiToken, SignedIn, SignInAttempt
from accounts.people.erasure import erase_person
from accounts.sign_in.passwords import reset_link
from accounts.sign_in.second_factor import WrongCode, has_second_factor, use_code
from accounts.sign_in.tokens import create_api_token
from annotation_site.personal_data.records import everything_about
from tests.addresses import writes
from tests.cast import PASSWORD, person, rosa
from tests.concurrency.threads import at_once

pytestmark = pytest.mark.django_db
PAGE = "/mine/second-factor/"
SECOND_STEP = "/sign-in/second-step/"


def code_of(secret, later=0):
    """Returns the code that an app shows now, or `later` periods of thirty seconds from now."""
    return totp.format_hotp_value(totp.hotp_value(secret, int(totp.time.time()) // 30 + later))


def wrong_code(secret):
    shown = {code_of(secret, later) for later in range(-2, 4)}
    return next(
        code for code in ("000000", "111111", "222222", *map(str, range(100000, 100009))) if code not in shown
    )


def set_up_app(browser):
    """Sets up an app by the pages. Returns its secret and the recovery codes."""
    page = browser.post(PAGE, {"do": "app", "password": PASSWORD}).text
    secret = re.search(r'class="secret">(\w{32})<', page)[1]
    answer = browser.post(f"{PAGE}app/", {"code": code_of(secret, -1)})
    return secret, re.findall(r"\b\d{8}\b", answer.text.partition("Download")[0])


def sign_in(client, name="rosa", **fields):
    return client.post(reverse("sign-in"), {"username": name, "password": PASSWORD, **fields})


def is_signed_in(client):
    return "_auth_user_id" in client.session


@pytest.fixture(autouse=True)
def one_period(monkeypatch):
    """Stops the clock of the codes: the end of their thirty seconds may fall between a code and its check."""
    now = time.time()
    monkeypatch.setattr(totp, "time", SimpleNamespace(time=lambda: now))


@pytest.fixture
def protected(browser_of, rosa):
    """Returns the secret of Rosa's app, and her recovery codes."""
    return set_up_app(browser_of(rosa))


@pytest.fixture
def log(caplog):
    """Returns the lines of the security log."""
    caplog.set_level(logging.INFO, "quintet.security")
    return lambda: [line.getMessage() for line in caplog.records if line.name == "quintet.security"]


def test_an_app_is_set_up_by_its_first_code_and_shows_recovery_codes_once(
    browser_of, rosa, log, django_capture_on_commit_callbacks
):
    browser = browser_of(rosa)
    assert "You have none yet." in browser.get(PAGE).text
    with django_capture_on_commit_callbacks(execute=True):
        secret, codes = set_up_app(browser)
    assert len(set(codes)) == 10
    page = browser.get(PAGE).text
    assert "10 recovery codes left" in page
    assert secret not in page
    assert codes[0] not in page
    assert {line for line in log() if "second factor added" in line} == {
        f"second factor added user={rosa.code} kind={kind}" for kind in ("totp", "recovery_codes")
    }


def test_the_database_has_neither_the_secret_nor_the_codes(protected):
    secret, codes = protected
    stored = str(list(Authenticator.objects.values("data")))
    assert secret not in stored
    assert not any(code in stored for code in codes)


def test_a_wrong_first_code_sets_up_nothing_and_keeps_the_secret(browser_of, rosa):
    browser = browser_of(rosa)
    page = browser.post(PAGE, {"do": "app", "password": PASSWORD}).text
    secret = re.search(r'class="secret">(\w{32})<', page)[1]
    answer = browser.post(f"{PAGE}app/", {"code": wrong_code(secret)})
    assert (answer.status_code, secret in answer.text) == (422, True)
    assert not has_second_factor(rosa)


@pytest.mark.parametrize("wanted", ["app", "passkey", "codes", "remove-1"])
def test_changes_need_the_password(browser_of, rosa, wanted):
    browser = browser_of(rosa)
    for password in ("", "wrong"):
        answer = browser.post(PAGE, {"do": wanted, "password": password})
        assert (answer.status_code, "password" in answer.context["form"].errors) == (422, True)
    assert browser.post(f"{PAGE}app/", {"code": "123456"}).url == PAGE
    assert browser.post(f"{PAGE}passkey/", {"credential": "{}"}).url == PAGE
    assert not Authenticator.objects.exists()


def test_looking_at_the_pages_writes_nothing_also_after_the_password(browser_of, client, rosa):
    browser = browser_of(rosa)
    set_up_app(browser)
    sign_in(client)
    for who, address in ((browser, PAGE), (client, SECOND_STEP)):
        with CaptureQueriesContext(connection) as asked:
            assert who.get(address).status_code == 200
        assert writes(asked) == []


def test_the_password_alone_signs_nobody_in(client, rosa, protected):
    secret, _ = protected
    answer = sign_in(client, next="/mine/")
    assert answer.url == SECOND_STEP
    assert not is_signed_in(client)
    assert client.get("/mine/").status_code == 302
    assert client.get("/api/v1/corpora/").status_code == 401
    step = client.post(SECOND_STEP, {"code": code_of(secret)})
    assert step.url == "/mine/"
    assert is_signed_in(client)


def test_without_the_password_there_is_no_second_step(client, protected):
    secret, _ = protected
    assert client.get(SECOND_STEP).url == "/sign-in/"
    assert client.post(SECOND_STEP, {"code": code_of(secret)}).url == "/sign-in/"
    assert not is_signed_in(client)


def test_a_code_of_the_app_works_once(client, protected, rosa):
    secret, _ = protected
    code = code_of(secret)
    sign_in(client)
    client.post(SECOND_STEP, {"code": code})
    assert is_signed_in(client)
    client.post(reverse("sign-out"))
    sign_in(client)
    answer = client.post(SECOND_STEP, {"code": code})
    assert answer.status_code == 422
    assert "it was used before" in answer.text
    assert not is_signed_in(client)
    client.post(SECOND_STEP, {"code": code_of(secret, 1)})
    assert is_signed_in(client)


def test_the_code_of_the_set_up_does_not_sign_in(browser_of, client, rosa):
    browser = browser_of(rosa)
    page = browser.post(PAGE, {"do": "app", "password": PASSWORD}).text
    code = code_of(re.search(r'class="secret">(\w{32})<', page)[1])
    assert "Recovery codes" in browser.post(f"{PAGE}app/", {"code": code}).text
    sign_in(client)
    assert client.post(SECOND_STEP, {"code": code}).status_code == 422


def test_a_recovery_code_works_once_and_is_logged(client, rosa, protected, log):
    _, codes = protected
    for status, left in ((302, 9), (422, 9)):
        sign_in(client)
        assert client.post(SECOND_STEP, {"code": codes[3]}).status_code == status
        client.post(reverse("sign-out"))
        assert f"recovery code used user={rosa.code} left={left} address=127.0.0.1" in log()
    assert f"second step failed user={rosa.code} address=127.0.0.1" in log()


def test_new_recovery_codes_end_the_old_ones(browser_of, client, rosa):
    browser = browser_of(rosa)
    _, old = set_up_app(browser)
    page = browser.post(PAGE, {"do": "codes", "password": PASSWORD}).text
    new = re.findall(r"\b\d{8}\b", page.partition("Download")[0])
    assert not set(old) & set(new)
    sign_in(client)
    assert client.post(SECOND_STEP, {"code": old[0]}).status_code == 422
    assert client.post(SECOND_STEP, {"code": new[0]}).status_code == 302


def test_codes_are_limited_and_a_right_password_does_not_clear_the_failures(client, protected, rosa, log):
    secret, _ = protected
    for _ in range(5):
        sign_in(client)
        assert client.post(SECOND_STEP, {"code": wrong_code(secret)}).status_code == 422
    sign_in(client)
    locked = client.post(SECOND_STEP, {"code": code_of(secret)})
    assert locked.status_code == 429
    assert int(locked["Retry-After"]) > 0
    assert "Too many failed sign-ins" in locked.text
    assert not is_signed_in(client)
    assert f"second step locked user={rosa.code} address=127.0.0.1" in log()
    answer = APIClient().post(
        "/api/v1/token/", {"username": "rosa", "password": PASSWORD, "code": code_of(secret)}
    )
    assert answer.status_code == 429


def test_a_right_code_leaves_no_trace_in_the_throttle(client, protected):
    secret, _ = protected
    sign_in(client)
    client.post(SECOND_STEP, {"code": wrong_code(secret)})
    client.post(SECOND_STEP, {"code": code_of(secret)})
    assert not SignInAttempt.objects.exists()


def test_with_another_secret_key_a_code_is_wrong_and_nothing_breaks(client, protected, settings, log):
    secret, codes = protected
    settings.SECRET_KEY = "another"
    sign_in(client)
    for code in (code_of(secret), codes[0]):
        assert client.post(SECOND_STEP, {"code": code}).status_code == 422
    assert any("SECRET_KEY is another one" in line for line in log())


def test_setting_one_up_signs_the_other_browsers_out(client, browser_of, rosa):
    sign_in(client)
    here = browser_of(rosa)
    set_up_app(here)
    assert client.get("/mine/").status_code == 302
    assert here.get("/mine/").status_code == 200
    assert SignedIn.objects.filter(user=rosa).count() == 1


def test_without_the_last_factor_the_password_is_enough_again(browser_of, client, rosa, log):
    browser = browser_of(rosa)
    set_up_app(browser)
    app = Authenticator.objects.get(type="totp")
    browser.post(PAGE, {"do": f"remove-{app.pk}", "password": PASSWORD})
    assert not Authenticator.objects.exists()
    sign_in(client)
    assert is_signed_in(client)
    assert f"second factor removed user={rosa.code} kind=totp" in log()


def test_enter_in_the_password_field_removes_nothing(browser_of, rosa):
    """Browsers then press the first button of the form."""
    browser = browser_of(rosa)
    set_up_app(browser)
    page = browser.get(PAGE).text
    assert re.findall(r'name="do" value="([a-z]+)', page) == ["passkey", "codes", "remove"]


def test_nobody_removes_the_factor_of_somebody_else(browser_of, protected):
    other = browser_of(person("olga", role="researcher"))
    app = Authenticator.objects.get(type="totp")
    other.post(PAGE, {"do": f"remove-{app.pk}", "password": PASSWORD})
    assert Authenticator.objects.filter(pk=app.pk).exists()


def test_annotators_have_no_such_page_and_sign_in_by_one_step(browser_of, client, ana):
    assert browser_of(ana).get(PAGE).status_code == 403
    assert sign_in(client, "ana").url == reverse("start")
    assert "second-factor" not in client.get("/mine/").text


def test_neither_the_records_nor_a_new_password_lead_around_it(client, rosa, protected):
    sign_in(client, next="/admin/records/")
    assert "sign-in" in client.get("/admin/records/", follow=True).redirect_chain[-1][0]
    assert client.post("/admin/login/", {"username": "rosa", "password": PASSWORD}).status_code == 302
    assert not is_signed_in(client)
    link = reverse("new-password", args=reset_link(rosa))
    new = "an altogether new passphrase"
    client.post(link, {"new": new, "again": new})
    assert not is_signed_in(client)
    answer = client.post(reverse("sign-in"), {"username": "rosa", "password": new})
    assert answer.url == SECOND_STEP


def test_an_idle_researcher_comes_back_by_both_steps(client, protected, rosa, settings):
    secret, _ = protected
    sign_in(client)
    client.post(SECOND_STEP, {"code": code_of(secret)})
    settings.RESEARCHER_IDLE_SECONDS = -1
    assert client.get("/mine/").status_code == 302
    assert sign_in(client).url == SECOND_STEP
    assert client.get("/mine/").status_code == 302
    settings.RESEARCHER_IDLE_SECONDS = 3600
    assert client.post(SECOND_STEP, {"code": code_of(secret, 1)}).status_code == 302
    assert client.get("/mine/").status_code == 200


def token(**fields):
    return APIClient().post("/api/v1/token/", {"username": "rosa", "password": PASSWORD, **fields})


def test_the_token_address_asks_for_the_code(protected):
    secret, codes = protected
    for fields, title in (
        ({}, "A code is missing"),
        ({"code": ""}, "A code is missing"),
        ({"code": "x"}, "Wrong code"),
    ):
        answer = token(**fields)
        assert (answer.status_code, answer["Content-Type"]) == (401, "application/problem+json")
        assert (answer.json()["title"], list(answer.json()["errors"])) == (title, ["code"])
    assert token(code=code_of(secret)).status_code == 200
    assert token(code=code_of(secret)).status_code == 401, "used twice"
    assert token(code=codes[0]).status_code == 200


def test_a_wrong_password_does_not_reveal_that_there_is_a_second_factor(protected):
    answer = APIClient().post("/api/v1/token/", {"username": "rosa", "password": "wrong"})
    assert (answer.status_code, "errors" in answer.json()) == (401, False)


def test_tokens_that_are_there_stay(browser_of, rosa):
    plain = create_api_token(user=rosa, name="script")
    set_up_app(browser_of(rosa))
    answer = APIClient().get("/api/v1/corpora/", headers={"Authorization": f"Token {plain}"})
    assert answer.status_code == 200


def test_where_it_is_compulsory_a_researcher_reaches_the_page_that_sets_it_up_alone(
    browser_of, client, ana, rosa, settings
):
    settings.REQUIRE_SECOND_FACTOR = True
    create_api_token(user=rosa, name="script")
    sign_in(client)
    for address in ("/admin/", "/mine/", "/corpora/", "/mine/tokens/"):
        assert client.get(address).url == PAGE
    answer = client.get("/api/v1/corpora/")
    assert (answer.status_code, PAGE in answer.json()["detail"]) == (403, True)
    assert token().status_code == 403
    assert "asks every researcher" in client.get(PAGE).text
    set_up_app(client)
    assert client.get("/mine/").status_code == 200
    assert ApiToken.objects.count() == 1
    assert browser_of(ana).get("/mine/").status_code == 200
    assert sign_in(client.__class__(), "ana").url == reverse("start")


def test_signing_out_is_possible_before_it_is_set_up(client, rosa, settings):
    settings.REQUIRE_SECOND_FACTOR = True
    sign_in(client)
    client.post(reverse("sign-out"))
    assert not is_signed_in(client)


def reset_by_records(browser, user):
    return browser.post(
        reverse("admin:accounts_user_changelist"),
        {"action": "reset_second_factor", "_selected_action": [user.pk]},
        follow=True,
    )


def test_an_administrator_resets_it_in_the_records(browser_of, client, rosa, protected, log):
    secret, _ = protected
    sign_in(client)
    client.post(SECOND_STEP, {"code": code_of(secret)})
    reset_by_records(browser_of(person("olga", role="researcher")), rosa)
    assert has_second_factor(rosa)
    ada = person("ada", role="administrator")
    assert rosa.code in reset_by_records(browser_of(ada), rosa).text
    assert not Authenticator.objects.exists()
    assert client.get("/mine/").status_code == 302
    sign_in(client)
    assert is_signed_in(client)
    assert f"second factor reset user={rosa.code} by={ada.code}" in log()


def test_the_records_show_nobody_the_secrets(browser_of, protected):
    page = browser_of(person("ada", role="administrator")).get("/admin/records/").text
    assert "authenticator" not in page.lower()
    assert "email address" not in page.lower()


def test_the_operator_resets_it_by_a_command(protected, rosa, log, capsys):
    call_command("reset_second_factor", "rosa")
    assert not has_second_factor(rosa)
    assert f"second factor reset user={rosa.code} by=command line" in log()
    with pytest.raises(CommandError, match="has no second factor"):
        call_command("reset_second_factor", "rosa")
    with pytest.raises(CommandError, match="Nobody has the user name"):
        call_command("reset_second_factor", "nobody")


def test_personal_data_names_it_and_erasure_removes_it(protected, rosa):
    person("ada", role="administrator")
    kinds = [row["type"] for row in everything_about(rosa) if row["record"] == "second factor"]
    assert sorted(kinds) == ["recovery_codes", "totp"]
    erase_person(user=rosa)
    assert not Authenticator.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_of_two_requests_with_one_code_one_gets_in(browser_of):
    user = rosa()
    secret, codes = set_up_app(browser_of(user))
    for code in (code_of(secret), codes[0]):

        def attempt(code=code):
            try:
                return use_code(user=user, code=code, address="10.0.0.1").type
            except WrongCode:
                return "wrong"

        kinds = sorted(at_once([attempt] * 4))
        assert kinds in (["totp", *["wrong"] * 3], ["recovery_codes", *["wrong"] * 3])
        SignInAttempt.objects.all().delete()
