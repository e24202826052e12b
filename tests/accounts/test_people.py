"""Accounts: roles and codes."""

import pytest
from django.db import IntegrityError, transaction

from accounts.models import CODE_ALPHABET, User
from accounts.people.registration import NameTaken, create_person
from tests.cast import PASSWORD

pytestmark = pytest.mark.django_db


def test_superuser_is_an_administrator():
    boss = User.objects.create_superuser("boss", password=PASSWORD)
    assert (boss.role, boss.is_superuser, boss.is_staff, boss.is_researcher) == (
        "administrator",
        True,
        True,
        True,
    )


def test_person_has_a_pseudonym_that_is_not_the_name():
    person = create_person(username="zoe", password=PASSWORD)
    assert (person.role, person.kind, person.is_staff) == ("annotator", "person", False)
    assert person.check_password(PASSWORD)
    assert len(person.code) == 10
    assert set(person.code) <= set(CODE_ALPHABET)
    assert str(person) == person.code


def test_imported_annotator_keeps_the_published_code_and_has_no_password():
    person = create_person(username="snli:A1", password=None, kind="imported", code="A1")
    assert person.code == "A1"
    assert not person.has_usable_password()


def test_taken_name_or_code_is_said_so():
    create_person(username="zoe", password=None, code="A1")
    with pytest.raises(NameTaken, match="zoe is taken"):
        create_person(username="zoe", password=None)
    with pytest.raises(NameTaken):
        create_person(username="other", password=None, code="A1")


def test_unknown_role_is_not_called_a_taken_name():
    with pytest.raises(IntegrityError, match="role_is_known"):
        create_person(username="zoe", password=None, role="boss")


def test_annotator_is_no_superuser(ana):
    with pytest.raises(IntegrityError, match="annotator_is_no_superuser"), transaction.atomic():
        User.objects.filter(pk=ana.pk).update(is_superuser=True)


def test_only_persons_are_counted_as_people(ana):
    create_person(username="robot", password=None, kind="simulated")
    assert list(User.objects.people()) == [ana]
