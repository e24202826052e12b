"""Personal data is forgotten after its period, and never while somebody needs it."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.utils import timezone

from accounts.models import Background, PlatformIdentity, Submission, User
from accounts.people.registration import known_participant, person_from_platform
from annotation_site.personal_data import retention
from annotation_site.researchers.payments import approve, export, mark_paid
from annotation_site.settings import keep_days
from annotation_site.tasks import forget_old_data
from collection.models import Corpus, DraftText, WritingAssignment
from collection.premises import writing_seats
from collection.writing import claiming
from tests.cast import person, rosa
from tests.commands import run
from tests.corpora import make_corpus, make_premise, pay

pytestmark = pytest.mark.django_db
LONG_AGO = timezone.now() - timedelta(days=100)


def seen(user: User, when: Any = LONG_AGO) -> User:
    User.objects.filter(pk=user.pk).update(last_login=when, date_joined=LONG_AGO)
    return user


def from_prolific(number: int) -> User:
    return person_from_platform(platform="prolific", participant=f"5f{number:022}")


@pytest.fixture
def corpus() -> Corpus:
    corpus = make_corpus()
    corpus.made_for_demo = False
    corpus.save()
    return corpus


def paid(corpus: Corpus) -> None:
    made = approve(corpus=corpus, by=rosa(), expected_cents=corpus.ledger.unapproved().total_cents())
    export(pay_list=made, by=rosa())
    mark_paid(pay_list=made, by=rosa())


def test_nothing_is_forgotten_where_no_period_is_set(settings: Any) -> None:
    assert settings.KEEP_DAYS == {}
    seen(from_prolific(1))
    Submission.objects.create(user=rosa(), key="k", digest="d")
    Submission.objects.update(created_at=LONG_AGO)
    forget_old_data()
    assert PlatformIdentity.objects.get().participant.startswith("5f")
    assert Submission.objects.exists()
    assert "KEEP_DAYS is empty: all is kept" in run("forget").failure


def test_an_id_is_forgotten_once_its_person_is_paid_and_long_gone_and_known_again_when_they_return(
    corpus: Corpus, settings: Any
) -> None:
    settings.KEEP_DAYS = {"platform_ids": 90}
    gone, owed, here, sends = (seen(from_prolific(number)) for number in range(4))
    pay(gone, corpus=corpus, cents=5, key="1")
    paid(corpus)
    pay(owed, corpus=corpus, cents=5, key="1")
    seen(here, timezone.now())
    Submission.objects.create(user=sends, key="k", digest="d")
    assert "platform_ids, older than 90 days: 1 would be forgotten" in run("forget", dry_run=True).out
    assert "platform_ids, older than 90 days: 1 forgotten" in run("forget").out
    assert "platform_ids, older than 90 days: 0 forgotten" in run("forget").out
    ids = dict(PlatformIdentity.objects.values_list("user", "participant"))
    assert re.fullmatch("erased:[0-9a-f]{64}", ids.pop(gone.pk))
    assert ids == {
        user.pk: f"5f{number:022}" for number, user in enumerate((gone, owed, here, sends)) if number
    }
    assert from_prolific(0) == gone
    assert PlatformIdentity.objects.get(user=gone).participant == f"5f{0:022}", "they are paid by it"


def test_an_account_ends_and_its_person_stays_out(corpus: Corpus, settings: Any) -> None:
    settings.KEEP_DAYS = {"accounts": 90}
    gone, owed = (seen(from_prolific(number)) for number in range(2))
    pay(owed, corpus=corpus, cents=1, key="1")
    seen(rosa())
    never = person("never")
    User.objects.filter(pk=never.pk).update(last_login=None, date_joined=LONG_AGO)
    forget_old_data()
    active = dict(User.objects.values_list("pk", "is_active"))
    assert active == {gone.pk: False, owed.pk: True, rosa().pk: True, never.pk: False}
    assert known_participant(platform="prolific", participant=f"5f{0:022}") == gone
    assert not from_prolific(0).is_active
    assert PlatformIdentity.objects.get(user=gone).participant.startswith("erased:")


def test_background_and_drafts_and_keys_go_by_their_own_age(corpus: Corpus, settings: Any) -> None:
    settings.KEEP_DAYS = {"background": 90, "drafts": 90, "request_keys": 90}
    gone, here = seen(person("gone")), seen(person("here"), timezone.now())
    for each in (gone, here):
        Background.objects.create(user=each, age="25-34")
    for number in range(3):
        writing_seats.make_seats(premises=[make_premise(corpus, f"Text {number}.")])
    tasks = [
        claiming.claim_writing(corpus=corpus, annotator=person(f"writer{number}")) for number in range(3)
    ]
    for task in tasks:
        DraftText.objects.create(assignment=task, label="neutral", text="Half a sente")
    DraftText.objects.update(saved_at=LONG_AGO)
    closed, lately, under_way = (task.pk for task in tasks)
    for pk, when in ((closed, LONG_AGO), (lately, timezone.now())):
        WritingAssignment.objects.filter(pk=pk).update(closed_at=when, outcome="expired")
    for key, when in (("old", LONG_AGO), ("new", timezone.now())):
        Submission.objects.create(user=rosa(), key=key, digest="d")
        Submission.objects.filter(key=key).update(created_at=when)
    assert retention.forget_old(only_count=True) == {"background": 1, "drafts": 1, "request_keys": 1}
    assert retention.forget_old() == {"background": 1, "drafts": 1, "request_keys": 1}
    assert [row.user for row in Background.objects.all()] == [here]
    assert set(DraftText.objects.values_list("assignment", flat=True)) == {lately, under_way}
    assert [row.key for row in Submission.objects.all()] == ["new"]


@pytest.mark.parametrize(
    "given", ["drafts", "drafts=", "drafts=0", "drafts=-1", "drafts=1.5", "texts=9", "drafts=٣"]
)
def test_a_period_that_is_none_is_refused(given: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEEP_DAYS", f"background=9,{given}")
    with pytest.raises(
        ImproperlyConfigured, match=re.escape(f"KEEP_DAYS: {given!r} must be a name, =, and a number")
    ):
        keep_days()


def test_every_period_that_the_setting_takes_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEEP_DAYS", ", ".join(f"{name}=7" for name in retention.PERIODS))
    assert keep_days() == dict.fromkeys(retention.PERIODS, 7)
