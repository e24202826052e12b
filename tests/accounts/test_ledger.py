"""The same piece of work earns once, and everybody sees their own entries."""

from datetime import datetime, timedelta
from functools import partial
from zoneinfo import ZoneInfo

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse

from accounts.pages.views import ENTRIES_A_PAGE
from accounts.sign_in import tokens
from accounts.templatetags.money import dollars
from collection.models import LedgerEntry
from tests.cast import ana as make_ana
from tests.concurrency.threads import at_once
from tests.corpora import make_corpus, pay


@pytest.mark.django_db
def test_same_key_earns_once_a_person(ana, vera):
    for _ in range(3):
        pay(ana, cents=30, reason="writing", key="assignment 1")
    pay(vera, cents=30, reason="writing", key="assignment 1")
    assert ana.ledger.total_cents() == 30
    assert vera.ledger.total_cents() == 30


@pytest.mark.django_db
def test_today_on_the_own_page_begins_at_midnight_where_the_reader_is(ana, browser_of):
    zone = "Asia/Tokyo"
    midnight = datetime.now(ZoneInfo(zone)).replace(hour=0, minute=0, second=0, microsecond=0)
    for key, cents, minutes in (("yesterday", 30, -1), ("today", 7, 1)):
        pay(ana, cents=cents, reason="writing", key=key)
        LedgerEntry.objects.filter(key=key).update(created_at=midnight + timedelta(minutes=minutes))
    client = browser_of(ana)
    client.cookies["quintet-zone"] = zone
    assert client.get(reverse("mine")).context["today_cents"] == 7


@pytest.mark.django_db
def test_nothing_earned_is_no_entry(ana):
    pay(ana, cents=0, reason="writing", key="unpaid")
    assert not LedgerEntry.objects.exists()
    assert ana.ledger.total_cents() == 0


@pytest.mark.django_db
def test_pay_is_never_taken_back(ana):
    with pytest.raises(IntegrityError, match="pay_is_never_taken_back"), transaction.atomic():
        pay(ana, cents=-5, reason="a fine", key="fine")


@pytest.mark.django_db(transaction=True)
def test_sixteen_at_once_earn_once():
    user, corpus = make_ana(), make_corpus()
    results = at_once([partial(pay, user, corpus=corpus, cents=30, reason="writing", key="one")] * 16)
    assert results == [None] * 16
    assert user.ledger.total_cents() == 30


@pytest.mark.django_db
def test_entries_are_paged_by_key_and_stay_in_place_when_new_ones_come(browser_of, ana, vera):
    for number in range(ENTRIES_A_PAGE + 2):
        pay(ana, cents=number + 1, reason=f"piece {number}.", key=str(number))
    pay(vera, cents=1, reason="of Vera", key="1")
    browser = browser_of(ana)
    first = browser.get(reverse("mine"))
    assert [entry.reason for entry in first.context["entries"]][-1] == "piece 2."
    pay(ana, cents=5, reason="meanwhile", key="new")
    second = browser.get(reverse("mine"), {"before": first.context["older"]})
    assert [entry.reason for entry in second.context["entries"]] == ["piece 1.", "piece 0."]
    assert second.context["older"] is None
    assert "of Vera" not in first.content.decode()


@pytest.mark.django_db
def test_full_page_offers_no_empty_one(browser_of, ana):
    for number in range(ENTRIES_A_PAGE):
        pay(ana, cents=1, reason="work", key=str(number))
    assert browser_of(ana).get(reverse("mine")).context["older"] is None


@pytest.mark.django_db
@pytest.mark.parametrize("before", ["", "x", "-1", "9" * 40, "²"])
def test_made_up_place_in_the_list_is_no_error(browser_of, ana, before):
    assert browser_of(ana).get(reverse("mine"), {"before": before}).status_code == 200


@pytest.mark.django_db
def test_queries_of_the_page_do_not_grow(browser_of, ana, django_assert_num_queries):
    browser = browser_of(ana)
    for number in range(20):
        pay(ana, cents=1, reason="work", key=str(number))
        tokens.create_api_token(user=ana, name=f"script {number}")
    with django_assert_num_queries(8):  # session, person, entries, sum, visits, consents, tokens, browsers
        browser.get(reverse("mine"))


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        ("Judged 5 sentences for Demo", "Judged 5 sentences for <bdi>Demo</bdi>"),
        ("Labelled 1 pair of Demo", "Judged 1 sentence for <bdi>Demo</bdi>"),
        ("Bonus: you and an expert agreed on a pair of Demo", "Bonus for <bdi>Demo</bdi>: an expert"),
    ],
)
def test_reasons_of_earlier_versions_read_as_those_of_now(stored, shown):
    assert shown in LedgerEntry(reason=stored).translated_reason.replace("<bdi>5</bdi>", "5").replace(
        "<bdi>1</bdi>", "1"
    )


def test_amounts_read_as_money():
    assert [dollars(cents) for cents in (None, 5, 30, 123456)] == ["$0.00", "$0.05", "$0.30", "$1,234.56"]
