"""Qualifications: granted by invitation, revoked with a reason, and then not regained by an exam or a link."""

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse

from accounts.models import Grant, Qualification, User
from accounts.people import qualifications, registration
from tests.cast import person
from tests.corpora import pay

pytestmark = pytest.mark.django_db
How = Grant.How


@pytest.fixture
def writers(db):
    return Qualification.objects.create(slug="write-letters", name="Writers of the letters corpus")


def holds(user, qualification):
    return Grant.objects.is_held(user, qualification.pk)


def test_nobody_needs_to_hold_no_qualification(ana):
    assert Grant.objects.is_held(ana, None)


def test_granting_twice_is_granting_once(ana, rosa, writers):
    assert not holds(ana, writers)
    first = qualifications.grant(user=ana, qualification=writers, how=How.INVITATION, by=rosa)
    assert qualifications.grant(user=ana, qualification=writers, how=How.EXAM) == first
    assert holds(ana, writers)
    assert Grant.objects.count() == 1


def test_it_is_taken_back_with_a_reason_that_stays(ana, rosa, writers):
    given = qualifications.grant(user=ana, qualification=writers, how=How.EXAM)
    with pytest.raises(qualifications.ReasonMissing):
        qualifications.revoke(grant=given, because="  ", by=rosa)
    assert holds(ana, writers)
    assert qualifications.revoke(grant=given, because="Copied premises.", by=rosa)
    assert not qualifications.revoke(grant=given, because="Something else.", by=rosa)
    given.refresh_from_db()
    assert (given.revoked_because, given.revoked_by) == ("Copied premises.", rosa)
    assert not holds(ana, writers)


def test_what_a_researcher_took_back_only_a_researcher_gives_again(ana, rosa, writers):
    given = qualifications.grant(user=ana, qualification=writers, how=How.LINK)
    qualifications.revoke(grant=given, because="Random sentences.", by=rosa)
    assert qualifications.grant(user=ana, qualification=writers, how=How.EXAM) is None
    assert not holds(ana, writers)
    assert qualifications.grant(user=ana, qualification=writers, how=How.INVITATION, by=rosa) != given
    assert holds(ana, writers)
    assert Grant.objects.filter(user=ana).count() == 2


def test_the_database_refuses_a_second_standing_grant_and_a_revocation_without_reason(ana, writers):
    Grant.objects.create(user=ana, qualification=writers, how=How.EXAM)
    with pytest.raises(IntegrityError, match="one_standing_grant"), transaction.atomic():
        Grant.objects.create(user=ana, qualification=writers, how=How.EXAM)
    with pytest.raises(IntegrityError, match="grant_revoked_for_a_reason"), transaction.atomic():
        Grant.objects.update(revoked_at="2026-01-01T00:00Z")


def test_a_researcher_invites_by_codes(browser_of, rosa, ana, vera, writers):
    form = {"qualification": writers.pk, "codes": f"{ana.code}\n{vera.code}\n{ana.code}"}
    answer = browser_of(rosa).post(reverse("admin:accounts_grant_add"), form)
    assert answer.status_code == 302
    assert {(grant.user, grant.granted_by) for grant in Grant.objects.all()} == {(ana, rosa), (vera, rosa)}


def test_an_unknown_code_is_named_and_nobody_is_invited(browser_of, rosa, ana, writers):
    form = {"qualification": writers.pk, "codes": f"{ana.code} nobody77"}
    page = browser_of(rosa).post(reverse("admin:accounts_grant_add"), form)
    assert "No annotator has the code nobody77" in page.content.decode()
    assert not Grant.objects.exists()


def test_a_researcher_takes_back_in_the_dashboard_once(browser_of, rosa, ana, writers):
    pay(ana, cents=5, key="labels:1")  # she works for a corpus of Rosa's
    given = qualifications.grant(user=ana, qualification=writers, how=How.EXAM)
    address = reverse("admin:accounts_grant_change", args=[given.pk])
    browser_of(rosa).post(address, {"revoked_because": ""})
    assert holds(ana, writers)
    browser_of(rosa).post(address, {"revoked_because": "Left the project."})
    assert not holds(ana, writers)
    assert browser_of(rosa).post(address, {"revoked_because": "Again."}).status_code == 403


def test_annotators_see_none_of_it(browser_of, stan, writers):
    for name in ("grant_changelist", "grant_add", "qualification_changelist"):
        assert browser_of(stan).get(reverse(f"admin:accounts_{name}"), follow=True).status_code == 403


def test_a_participant_is_one_account_without_a_password_or_a_telling_name():
    first = registration.person_from_platform(platform="prolific", participant="5f2e")
    assert registration.person_from_platform(platform="prolific", participant="5f2e") == first
    assert registration.person_from_platform(platform="connect", participant="5f2e") != first
    assert "5f2e" not in first.username + first.code
    assert not first.has_usable_password()
    assert (first.role, first.kind) == (User.Role.ANNOTATOR, User.Kind.PERSON)
    assert person("5f2e") != first
