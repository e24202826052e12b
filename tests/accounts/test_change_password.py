"""New passwords: who may set one, and which sessions and tokens it ends."""

import pytest
from django.test import Client
from django.urls import reverse

from accounts.people.registration import create_person
from accounts.sign_in.throttle import FAILURES_BY_ACCOUNT_AND_ADDRESS
from tests.cast import PASSWORD

pytestmark = pytest.mark.django_db
NEW = "seven green lamps"


def send(client, old=PASSWORD, new=NEW, again=NEW):
    return client.post(reverse("change-password"), {"old": old, "new": new, "again": again})


@pytest.fixture
def signed_in(client, ana):
    assert client.login(username="ana", password=PASSWORD)
    return client


def test_the_new_password_opens_the_door_and_the_old_one_does_not(signed_in):
    elsewhere = Client()
    elsewhere.login(username="ana", password=PASSWORD)
    assert send(signed_in)["Location"] == reverse("mine")
    assert signed_in.get(reverse("mine")).status_code == 200, "this browser stays signed in"
    assert elsewhere.get(reverse("mine")).status_code == 302, "others do not"
    assert Client().login(username="ana", password=NEW)
    assert not Client().login(username="ana", password=PASSWORD)


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"old": "wrong"}, "Wrong password."),
        ({"again": "seven green lambs"}, "The two new passwords differ."),
        ({"new": "1234", "again": "1234"}, "too short"),
        ({"old": ""}, "Please type your current password."),
    ],
)
def test_a_mistake_is_named_and_changes_nothing(signed_in, fields, sentence):
    page = send(signed_in, **fields)
    assert page.status_code == 422
    assert sentence in page.content.decode()
    assert Client().login(username="ana", password=PASSWORD)


def test_the_old_password_cannot_be_guessed_here_either(signed_in):
    for _ in range(FAILURES_BY_ACCOUNT_AND_ADDRESS):
        send(signed_in, old="guess")
    page = send(signed_in)
    assert "Please wait" in page.content.decode()
    assert Client().login(username="ana", password=PASSWORD), "the right one had to wait: nothing changed"


def test_somebody_from_a_platform_is_told_that_the_link_is_the_door(client):
    client.force_login(create_person(username="prolific-1", password=None))
    page = client.get(reverse("change-password")).content.decode()
    assert "Your account has no password" in page
    assert reverse("change-password") not in client.get(reverse("mine")).content.decode()
