"""Sign-in by OpenID Connect, against django-allauth's own provider in a process of its own."""

import logging
import re
from html import unescape
from urllib.parse import urlsplit

import pytest
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount, SocialToken
from django.test import Client
from django.urls import reverse

from accounts.models import SignInAttempt, User
from accounts.people.erasure import erase_person
from accounts.sign_in import throttle
from annotation_site.personal_data.records import everything_about
from tests.accounts.openid_provider import provider
from tests.accounts.test_second_factor import SECOND_STEP, code_of, one_period, set_up_app  # noqa: F401  (a fixture)
from tests.cast import PASSWORD, person

pytestmark = pytest.mark.django_db
BEGIN = "/sign-in/with/university/"
CALLBACK = "http://testserver/sign-in/with/university/callback/"
PAGE = "/mine/second-factor/"


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    with provider(tmp_path_factory.mktemp("provider"), [CALLBACK]) as found:
        yield found


@pytest.fixture
def university(running, settings):
    """Returns the provider, which the site knows."""
    settings.SOCIALACCOUNT_PROVIDERS = running.settings()
    return running


@pytest.fixture
def rosa(rosa):
    """Returns Rosa, a researcher with the e-mail address that the university knows."""
    rosa.email = "Rosa@example.org"
    rosa.save()
    return rosa


@pytest.fixture
def log(caplog):
    caplog.set_level(logging.INFO, "quintet.security")
    return lambda: [line.getMessage() for line in caplog.records if line.name == "quintet.security"]


def way_back(client, university, name, page=None, **fields):
    """Goes to the provider, signs in there, and returns the address that leads back."""
    page = page or client.post(BEGIN, fields)
    assert page.status_code == 200, page.text
    address = unescape(re.search(r'http-equiv="refresh" content="0;url=([^"]+)"', page.text)[1])
    assert address.startswith(university.address)
    assert "code_challenge_method=S256" in address
    back = urlsplit(university.sign_in(address, name, CALLBACK))
    return f"{back.path}?{back.query}"


def sign_in_with(client, university, name, **fields):
    return client.get(way_back(client, university, name, **fields))


def is_signed_in(client):
    return "_auth_user_id" in client.session


def test_a_researcher_comes_in_by_the_address_of_the_account_and_is_linked(client, university, rosa, log):
    answer = sign_in_with(client, university, "r.researcher", next="/mine/")
    assert answer.url == "/mine/"
    assert client.get("/mine/").status_code == 200
    account = SocialAccount.objects.get()
    assert (account.user, account.provider, account.extra_data) == (rosa, "university", {})
    assert not SocialToken.objects.exists()
    assert not SignInAttempt.objects.exists()
    assert f"identity linked user={rosa.code} provider=university" in log()
    rosa.email = ""
    rosa.save()
    again = Client()
    assert sign_in_with(again, university, "r.researcher").url == reverse("admin:index")
    assert SocialAccount.objects.count() == 1


def test_the_second_step_comes_after_it(client, browser_of, university, rosa):
    secret, _ = set_up_app(browser_of(rosa))
    assert sign_in_with(client, university, "r.researcher", next="/mine/").url == SECOND_STEP
    assert not is_signed_in(client)
    assert not SocialAccount.objects.exists(), "linked before the second step"
    assert client.post(SECOND_STEP, {"code": code_of(secret)}).url == "/mine/"
    assert is_signed_in(client)
    assert SocialAccount.objects.get().user == rosa


@pytest.mark.parametrize("name", ["stranger", "nameless", "claimed", "a.annotator"])
def test_nobody_else_comes_in_and_no_account_is_made(client, university, rosa, ana, name, log):
    """A stranger, somebody without an address, one with an address that is not confirmed, and an annotator."""
    ana.email = "ana@example.org"
    ana.save()
    before = set(User.objects.values_list("pk", flat=True))
    answer = sign_in_with(client, university, name)
    assert answer.status_code == 403
    assert "ask an administrator of the project for an account" in answer.text
    assert not is_signed_in(client)
    assert set(User.objects.values_list("pk", flat=True)) == before
    assert not SocialAccount.objects.exists()
    assert "sign-in by provider refused provider=university address=127.0.0.1" in log()


def test_an_address_of_two_researchers_says_nothing(client, university, rosa):
    olga = person("olga", role="researcher")
    olga.email = "rosa@example.org"
    olga.save()
    assert sign_in_with(client, university, "r.researcher").status_code == 403


def test_an_address_that_went_to_somebody_else_does_not_open_a_linked_account(client, university, rosa):
    SocialAccount.objects.create(user=rosa, provider="university", uid="another person there")
    assert sign_in_with(client, university, "r.researcher").status_code == 403


@pytest.mark.parametrize("change", [{"is_active": False}, {"role": "annotator"}])
def test_a_closed_account_and_a_former_researcher_stay_out(client, university, rosa, change):
    sign_in_with(Client(), university, "r.researcher")
    User.objects.filter(pk=rosa.pk).update(**change)
    assert sign_in_with(client, university, "r.researcher").status_code == 403
    assert not is_signed_in(client)


def test_a_researcher_links_an_identity_and_unlinks_it(client, browser_of, university, log):
    olga = person("olga", role="researcher")
    browser = browser_of(olga)
    assert "Link University" in browser.get(PAGE).text
    page = browser.post(PAGE, {"do": "link-university", "password": PASSWORD})
    answer = browser.get(way_back(browser, university, "stranger", page))
    assert answer.url == PAGE
    assert "Unlink University" in browser.get(PAGE).text
    assert f"identity linked user={olga.code} provider=university" in log()
    assert sign_in_with(client, university, "stranger", next="/mine/").url == "/mine/"
    assert int(client.session["_auth_user_id"]) == olga.pk
    other = browser_of(person("otto", role="researcher"))
    page = other.post(PAGE, {"do": "link-university", "password": PASSWORD})
    assert (
        "It belongs to another account here." in other.get(way_back(other, university, "stranger", page)).text
    )
    account = SocialAccount.objects.get()
    assert account.user == olga
    other.post(PAGE, {"do": f"unlink-{account.pk}", "password": PASSWORD})
    assert SocialAccount.objects.exists()
    browser.post(PAGE, {"do": f"unlink-{account.pk}", "password": PASSWORD})
    assert not SocialAccount.objects.exists()
    assert f"identity unlinked user={olga.code} provider=university" in log()


def test_linking_needs_the_password(browser_of, university, rosa):
    assert browser_of(rosa).post(PAGE, {"do": "link-university", "password": "wrong"}).status_code == 422


def test_the_way_back_works_once_and_in_the_browser_that_went(client, university, rosa):
    back = way_back(client, university, "r.researcher")
    elsewhere = Client()
    assert elsewhere.get(back).status_code == 401
    assert not is_signed_in(elsewhere)
    assert client.get(back).status_code == 302
    client.post(reverse("sign-out"))
    assert client.get(back).status_code == 401
    assert not is_signed_in(client)


def test_attempts_are_limited_by_the_address(client, university, monkeypatch):
    monkeypatch.setattr(throttle, "FAILURES_BY_ADDRESS", 2)
    assert [client.post(BEGIN).status_code for _ in range(3)] == [200, 200, 429]


def test_a_provider_that_is_away_is_an_error_in_words(client, university, settings):
    settings.SOCIALACCOUNT_PROVIDERS["openid_connect"]["APPS"][0]["settings"]["server_url"] = (
        "http://127.0.0.1:9"
    )
    answer = client.post(BEGIN)
    assert (answer.status_code, "cannot be reached" in answer.text) == (502, True)


def test_going_there_takes_a_post_and_a_token_of_the_page(client, university):
    assert client.get(BEGIN).status_code == 405
    assert Client(enforce_csrf_checks=True).post(BEGIN).status_code == 403
    assert client.post("/sign-in/with/elsewhere/").status_code == 404


def test_the_sign_in_shows_the_button_only_where_a_provider_is_configured(client, university, settings):
    assert "Sign in with University" in client.get("/sign-in/").text
    settings.SOCIALACCOUNT_PROVIDERS = {"openid_connect": {"APPS": []}}
    assert "For researchers" not in client.get("/sign-in/").text


def test_where_a_second_factor_is_compulsory_it_is_so_here_too(client, university, rosa, settings):
    settings.REQUIRE_SECOND_FACTOR = True
    sign_in_with(client, university, "r.researcher")
    assert client.get("/admin/").url == PAGE
    assert not Authenticator.objects.exists()


def test_personal_data_names_the_identity_and_erasure_removes_it(client, university, rosa):
    person("ada", role="administrator")
    sign_in_with(client, university, "r.researcher")
    assert [
        row["provider"] for row in everything_about(rosa) if row["record"] == "identity at a provider"
    ] == ["university"]
    erase_person(user=rosa)
    assert not SocialAccount.objects.exists()
