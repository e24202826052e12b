"""Rights end with their reason: another role, an account that is closed, a second factor that came later."""

from datetime import timedelta

import pytest
from allauth.mfa.models import Authenticator
from django.test import Client
from django.utils import timezone

from accounts.models import ApiToken, User
from accounts.sign_in.throttle import (
    FAILURES_BY_ADDRESS,
    TooManyAttempts,
    account_of_participant,
    begin_sign_in,
)
from accounts.sign_in.tokens import create_api_token
from tests.cast import person, signed_in

pytestmark = pytest.mark.django_db
ME = "/api/v1/corpora/"


@pytest.fixture
def annotator() -> User:
    return person("drn9")


def change(by: Client, who: User, **changed: object) -> str:
    address = f"/admin/accounts/user/{who.pk}/change/"
    sent = {
        "username": who.username,
        "email": "",
        "role": who.role,
        "is_active": "on" if who.is_active else "",
    }
    answer = by.post(address, {**sent, **changed}, follow=True)
    assert answer.status_code == 200
    return answer.content.decode()


def asks(token: str) -> int:
    return Client().get(ME, headers={"Authorization": f"Token {token}"}).status_code


@pytest.mark.parametrize("changed", [{"role": "researcher"}, {"is_active": ""}])
def test_another_role_ends_tokens_and_browsers_and_the_page_says_so(annotator, changed):
    administrator, browser = signed_in(person("ada", role="administrator")), signed_in(annotator)
    token = create_api_token(user=annotator, name="old")
    assert browser.get("/start/").status_code == 200
    page = change(administrator, annotator, **changed)
    assert "is signed out everywhere" in page
    assert asks(token) == 401
    assert browser.get("/admin/").status_code == 302
    assert not ApiToken.objects.filter(user=annotator).exists()
    change(administrator, User.objects.get(pk=annotator.pk), is_active="on")
    assert asks(token) == 401, "an account that is opened again has no old tokens"


@pytest.mark.parametrize(("before", "after"), [("annotator", "researcher"), ("researcher", "annotator")])
def test_a_role_that_is_changed_by_a_statement_ends_them_too(before, after):
    """As in a shell: no action is called, so the check is where a token or a browser is used."""
    somebody = person("drn9", role=before)
    token, browser = create_api_token(user=somebody, name="old"), signed_in(somebody)
    assert (asks(token), browser.get("/mine/").status_code) == (200, 200)
    User.objects.filter(pk=somebody.pk).update(role=after)
    assert asks(token) == 401
    assert browser.get("/mine/").status_code == 302
    again = User.objects.get(pk=somebody.pk)
    assert asks(create_api_token(user=again, name="new")) == 200
    assert signed_in(again).get("/mine/").status_code == 200


def test_another_name_ends_nothing(annotator):
    token = create_api_token(user=annotator, name="mine")
    change(signed_in(person("ada", role="administrator")), annotator, username="drn10")
    assert asks(token) == 200


def test_a_token_from_before_the_second_factor_is_refused_where_one_is_required(settings):
    researcher = person("rita", role="researcher")
    before = create_api_token(user=researcher, name="before")
    settings.REQUIRE_SECOND_FACTOR = True
    assert asks(before) == 401, "no second factor at all"
    Authenticator.objects.create(user=researcher, type=Authenticator.Type.TOTP, data={})
    assert asks(before) == 401
    after = create_api_token(user=researcher, name="after")
    assert asks(after) == 200
    assert asks(create_api_token(user=person("ann"), name="annotator")) == 200, "not required of annotators"
    Authenticator.objects.update(created_at=timezone.now() + timedelta(seconds=1))
    assert asks(after) == 401, "the factor was reset and set up again"
    settings.REQUIRE_SECOND_FACTOR = False
    assert asks(before) == 200


def test_fifty_entries_by_a_link_lock_no_sign_in_of_their_address_and_the_other_way_round():
    for number in range(FAILURES_BY_ADDRESS):
        begin_sign_in(account=account_of_participant("prolific", f"p{number}"), address="10.0.0.1")
    with pytest.raises(TooManyAttempts):
        begin_sign_in(account=account_of_participant("prolific", "one more"), address="10.0.0.1")
    for door in ("sign-up:", "mail:"):
        with pytest.raises(TooManyAttempts):
            begin_sign_in(account=f"{door}x", address="10.0.0.1")
    for number in range(FAILURES_BY_ADDRESS):
        begin_sign_in(account=f"name{number}", address="10.0.0.1")
    with pytest.raises(TooManyAttempts):
        begin_sign_in(account="another", address="10.0.0.1")
    begin_sign_in(account=account_of_participant("prolific", "elsewhere"), address="10.0.0.2")
