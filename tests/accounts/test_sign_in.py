"""Signing in and out: who can, and which page follows."""

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import SignInAttempt
from tests.cast import PASSWORD, person

pytestmark = pytest.mark.django_db


def sign_in(client, name, password=PASSWORD, **fields):
    return client.post(reverse("sign-in"), {"username": name, "password": password, **fields})


def is_signed_in(client):
    return "_auth_user_id" in client.session


def test_right_password_opens_the_door_and_leaves_no_trace(client, ana):
    answer = sign_in(client, "ana", next="/mine/")
    assert (answer.status_code, answer["Location"]) == (302, "/mine/")
    assert is_signed_in(client)
    assert not SignInAttempt.objects.exists()


def test_researcher_lands_at_the_dashboard(client, rosa):
    assert sign_in(client, "rosa")["Location"] == reverse("admin:index")


def test_annotator_lands_at_the_work(client, ana):
    assert sign_in(client, "ana")["Location"] == reverse("start")


def test_wrong_password_keeps_the_name_and_does_not_say_which_was_wrong(client, ana):
    known = sign_in(client, "ana", "wrong").content.decode()
    unknown = sign_in(client, "nobody", "wrong").content.decode()
    sentence = "Wrong user name or password."
    assert sentence in known
    assert sentence in unknown
    assert 'value="ana"' in known
    assert not is_signed_in(client)


def test_empty_fields_are_named_and_not_counted(client):
    page = sign_in(client, "", "").content.decode()
    assert "Please type your user name." in page
    assert "Please type your password." in page
    assert not SignInAttempt.objects.exists()


@pytest.mark.parametrize(
    "elsewhere", ["https://evil.example/", "//evil.example/", "javascript:alert(1)", "/\\evil.example"]
)
def test_next_never_leads_off_this_site(client, ana, elsewhere):
    assert "evil" not in sign_in(client, "ana", next=elsewhere)["Location"]
    assert "alert" not in sign_in(client, "ana", next=elsewhere)["Location"]


def test_person_without_a_password_cannot_sign_in(client):
    imported = person("imported")
    imported.set_unusable_password()
    imported.save()
    sign_in(client, "imported", "")
    sign_in(client, "imported", imported.password)
    assert not is_signed_in(client)


def test_closed_account_cannot_sign_in(client, ana):
    ana.is_active = False
    ana.save()
    sign_in(client, "ana")
    assert not is_signed_in(client)


def test_name_is_found_however_the_phone_encoded_it(client):
    person("zoë")
    sign_in(client, "  zoe\N{COMBINING DIAERESIS}", next="/mine/")
    assert is_signed_in(client)


def test_nul_in_the_name_is_a_message_and_no_crash(client):
    assert sign_in(client, "a\0b", "x").status_code == 200


def test_signed_in_person_is_not_asked_again(browser_of, ana):
    answer = browser_of(ana).get(reverse("sign-in"), {"next": "/mine/"})
    assert answer["Location"] == "/mine/"


def test_signing_out_takes_a_post(browser_of, ana):
    browser = browser_of(ana)
    assert browser.get(reverse("sign-out")).status_code == 405
    assert is_signed_in(browser)
    answer = browser.post(reverse("sign-out"), follow=True)
    assert "You are signed out." in answer.content.decode()
    assert not is_signed_in(browser)


def test_sign_in_from_a_foreign_page_is_refused_kindly(ana):
    answer = sign_in(Client(enforce_csrf_checks=True), "ana")
    assert answer.status_code == 403
    assert "Please send it again" in answer.content.decode()


def test_dashboard_has_no_door_of_its_own(client, rosa):
    page = client.get(reverse("admin:index"), follow=True)
    assert page.redirect_chain[-1][0] == f"{reverse('sign-in')}?next=/admin/"
    client.post("/admin/login/", {"username": "rosa", "password": PASSWORD})
    assert not is_signed_in(client)
    answer = sign_in(client, "rosa", next="/admin/")
    assert answer["Location"] == "/admin/"


def test_annotator_at_the_dashboard_is_told_and_not_sent_in_circles(browser_of, ana):
    for address, words in (("/admin/", "for the researchers"), ("/admin/records/", "Only researchers")):
        answer = browser_of(ana).get(address, follow=True)
        assert answer.status_code == 403
        assert f"{words} of the project" in answer.content.decode()
