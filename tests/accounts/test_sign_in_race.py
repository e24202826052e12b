"""Thirty simultaneous guesses do not get around the throttle."""

from collections import Counter
from functools import partial
from threading import Barrier

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import SignInAttempt
from accounts.sign_in import passwords, throttle
from tests.cast import PASSWORD, ana, person
from tests.concurrency.threads import at_once

pytestmark = pytest.mark.django_db(transaction=True)
GUESSES = 30


def guess(number):
    fields = {"username": "ana", "password": f"guess {number}"}
    return Client().post(reverse("sign-in"), fields).status_code


def guess_at_once():
    return at_once([partial(guess, number) for number in range(GUESSES)])


def test_without_the_guard_all_guesses_pass(monkeypatch):
    """Counts before it writes, as most throttles do. If this race disappears, the test below proves nothing."""
    everybody_counted = Barrier(GUESSES)

    def count_then_write(*, account, address):
        throttle._refuse_if_locked(account, address, mine=0)
        everybody_counted.wait(timeout=30)
        return SignInAttempt.objects.create(account=account, address=address)

    ana()
    monkeypatch.setattr(passwords, "begin_sign_in", count_then_write)
    assert Counter(guess_at_once()) == {200: GUESSES}


def test_at_most_five_of_thirty_guesses_at_once_are_answered():
    ana()
    answers = Counter(guess_at_once())
    assert set(answers) <= {200, 429}
    assert answers[200] <= throttle.FAILURES_BY_ACCOUNT_AND_ADDRESS
    assert SignInAttempt.objects.count() == answers[200]


def test_guesses_before_and_at_once_count_together():
    ana()
    for number in range(3):
        guess(number)
    answers = Counter(guess_at_once())
    assert answers[200] <= 2


def test_many_people_sign_in_at_once_from_one_address():
    for number in range(16):
        person(f"worker {number}")

    def sign_in(number):
        fields = {"username": f"worker {number}", "password": PASSWORD, "next": "/mine/"}
        return Client().post(reverse("sign-in"), fields).status_code

    assert Counter(at_once([partial(sign_in, number) for number in range(16)])) == {302: 16}
    assert not SignInAttempt.objects.exists()
