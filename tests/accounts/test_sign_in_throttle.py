"""After a few failed sign-ins, everybody must wait, even with the right password."""

from datetime import timedelta

import pytest
from django.test import Client, RequestFactory
from django.urls import reverse
from django.utils import timezone

from accounts.models import SignInAttempt
from accounts.sign_in import throttle
from accounts.sign_in.throttle import client_address
from tests.cast import PASSWORD, person

pytestmark = pytest.mark.django_db
HOME, CAFE = "192.0.2.1", "198.51.100.7"


def sign_in(name, password=PASSWORD, address=HOME):
    fields = {"username": name, "password": password, "next": "/mine/"}
    return Client().post(reverse("sign-in"), fields, REMOTE_ADDR=address)


def fail(times, name, address=HOME):
    """Records this number of failures, without checking a password for each."""
    SignInAttempt.objects.bulk_create(SignInAttempt(account=name, address=address) for _ in range(times))


def test_sixth_try_waits_and_the_right_password_too(ana, settings):
    settings.SIGN_IN_WINDOW_SECONDS = 15 * 60
    assert [sign_in("ana", "wrong").status_code for _ in range(6)] == [200] * 5 + [429]
    locked = sign_in("ana")
    assert locked.status_code == 429
    assert 840 < int(locked["Retry-After"]) <= 900
    page = locked.content.decode()
    assert "Please wait 15 minutes, then try again." in page
    assert 'value="ana"' in page


def test_lock_ends_with_the_window_and_knocking_does_not_keep_it(ana):
    fail(5, "ana")
    assert sign_in("ana").status_code == 429
    assert SignInAttempt.objects.count() == 5
    SignInAttempt.objects.update(at=timezone.now() - timedelta(seconds=901))
    assert sign_in("ana").status_code == 302
    assert not SignInAttempt.objects.exists()


def test_wait_ends_when_the_oldest_of_the_last_five_leaves(ana, settings):
    settings.SIGN_IN_WINDOW_SECONDS = 900
    fail(5, "ana")
    oldest = SignInAttempt.objects.earliest("pk")
    SignInAttempt.objects.filter(pk=oldest.pk).update(at=timezone.now() - timedelta(seconds=860))
    locked = sign_in("ana")
    assert 0 < int(locked["Retry-After"]) <= 40
    assert "seconds, then try again." in locked.content.decode()


def test_another_address_is_not_locked_until_twenty_failures(ana):
    fail(5, "ana")
    assert sign_in("ana", "wrong", CAFE).status_code == 200
    fail(14, "ana", "203.0.113.5")
    assert sign_in("ana", address=CAFE).status_code == 429


def test_another_account_at_the_address_is_not_locked_until_fifty(ana, vera):
    for number in range(10):
        fail(5, f"guessed {number}")
    assert sign_in("vera").status_code == 429
    assert sign_in("vera", address=CAFE).status_code == 302


def test_success_forgets_what_was_mistyped_before(ana):
    fail(4, "ana")
    fail(4, "ana", CAFE)
    assert sign_in("ana").status_code == 302
    assert list(SignInAttempt.objects.values_list("address", flat=True)) == [CAFE] * 4


def test_success_does_not_clear_the_guesses_at_other_accounts(ana):
    fail(3, "vera")
    assert sign_in("ana").status_code == 302
    assert SignInAttempt.objects.filter(account="vera").count() == 3


def test_more_good_sign_ins_than_failures_are_allowed_pass(ana, vera, monkeypatch):
    for limit in ("FAILURES_BY_ACCOUNT_AND_ADDRESS", "FAILURES_BY_ACCOUNT", "FAILURES_BY_ADDRESS"):
        monkeypatch.setattr(throttle, limit, 3)
    assert {sign_in(name).status_code for name in ["ana", "vera"] * 5} == {302}


def test_unknown_account_is_counted_like_a_known_one(ana):
    assert [sign_in("nobody", "wrong").status_code for _ in range(6)] == [200] * 5 + [429]


def test_unknown_account_costs_a_hash_like_a_known_one(ana, monkeypatch):
    hashed = []
    monkeypatch.setattr("accounts.models.User.set_password", lambda self, raw: hashed.append(raw))
    sign_in("nobody", "wrong")
    assert hashed == ["wrong"]


def test_spellings_of_one_name_count_together(ana):
    for name in ("ana", "Ana", "ANA", "ana ", "\N{FULLWIDTH LATIN SMALL LETTER A}na"):
        assert sign_in(name, "wrong").status_code == 200
    assert sign_in("ana").status_code == 429


def test_token_comes_through_the_same_door(ana):
    fail(4, "ana")
    url, wrong = reverse("api-token"), {"username": "ana", "password": "wrong"}
    client = Client(REMOTE_ADDR=HOME)
    assert client.post(url, wrong, "application/json").status_code == 401
    locked = client.post(url, {**wrong, "password": PASSWORD}, "application/json")
    assert locked.status_code == 429
    assert int(locked["Retry-After"]) > 0
    assert "Please wait" in locked.json()["detail"]
    assert sign_in("ana").status_code == 429


def test_attempt_inside_another_transaction_is_refused(ana, monkeypatch):
    """Inside one, other transactions would not see the attempt, and it would not count."""
    from django.db import transaction

    with transaction.atomic(), pytest.raises(RuntimeError, match="durable"):
        throttle.begin_sign_in(account="ana", address=HOME)


@pytest.mark.parametrize(
    ("proxies", "forwarded", "address"),
    [
        (0, "6.6.6.6", "10.0.0.9"),
        (1, "6.6.6.6, 203.0.113.4", "203.0.113.4"),
        (2, "6.6.6.6, 203.0.113.4, 10.0.0.1", "203.0.113.4"),
        (2, "203.0.113.4", "10.0.0.9"),
        (1, "", "10.0.0.9"),
        (1, "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        (1, "::ffff:203.0.113.4", "203.0.113.4"),
    ],
)
def test_address_is_what_the_trusted_proxies_saw(settings, proxies, forwarded, address):
    settings.TRUSTED_PROXIES = proxies
    request = RequestFactory().get("/", REMOTE_ADDR="10.0.0.9", HTTP_X_FORWARDED_FOR=forwarded)
    assert client_address(request) == address


def test_waiting_time_is_said_in_words():
    said = [throttle.wait_and_try_again(seconds) for seconds in (1, 59, 60, 61, 900)]
    times = ["1 second", "59 seconds", "1 minute", "2 minutes", "15 minutes"]
    assert said == [f"Please wait {time}, then try again." for time in times]


def test_names_longer_than_the_column_are_counted_all_the_same():
    person("ana")
    assert sign_in("a" * 150, "wrong").status_code == 200
    assert sign_in("\N{LATIN SMALL LIGATURE FFI}" * 150, "wrong").status_code == 200
