"""Researchers see pseudonyms, administrators make accounts, annotators see nothing."""

import pytest
from django.urls import reverse

from accounts.models import User
from tests.cast import PASSWORD, person
from tests.corpora import pay

pytestmark = pytest.mark.django_db
LISTS = ["accounts_user", "collection_ledgerentry", "accounts_consent", "accounts_consentform"]


@pytest.fixture
def ada(db):
    """Returns Ada, an administrator."""
    return person("ada", role="administrator")


def list_url(name):
    return reverse(f"admin:{name}_changelist")


def change_url(user):
    return reverse("admin:accounts_user_change", args=[user.pk])


@pytest.mark.parametrize("name", LISTS)
def test_researchers_look_and_annotators_do_not(browser_of, rosa, stan, ana, name):
    pay(ana, cents=30, key="1")
    assert browser_of(rosa).get(list_url(name)).status_code == 200
    assert browser_of(stan).get(list_url(name), follow=True).status_code == 403


@pytest.mark.parametrize("name", LISTS)
def test_researchers_change_nothing_by_hand(browser_of, rosa, name):
    assert browser_of(rosa).get(reverse(f"admin:{name}_add")).status_code == 403


def test_researchers_see_codes_and_no_names(browser_of, rosa):
    zoe = person("zoe.smith")
    pay(zoe, cents=5, key="labels:1")  # she works for a corpus of Rosa's
    browser = browser_of(rosa)
    for url in (list_url("accounts_user"), change_url(zoe)):
        page = browser.get(url).content.decode()
        assert zoe.code in page
        assert "zoe.smith" not in page


def test_researchers_cannot_ask_the_filter_for_names(browser_of, rosa, ada):
    person("zoe.smith")
    url = f"{list_url('accounts_user')}?username__startswith=zoe"
    refused = browser_of(rosa).get(url)
    assert refused.status_code in (302, 400)
    assert browser_of(ada).get(url).status_code == 200


def test_researchers_cannot_change_people(browser_of, rosa, ana):
    browser_of(rosa).post(change_url(ana), {"role": "administrator", "is_active": "on"})
    ana.refresh_from_db()
    assert ana.role == "annotator"


def test_administrator_makes_an_account_that_can_sign_in(browser_of, ada, client):
    fields = {"username": "zoe", "role": "researcher", "password1": PASSWORD, "password2": PASSWORD}
    answer = browser_of(ada).post(reverse("admin:accounts_user_add"), fields)
    assert answer.status_code == 302, answer.context["adminform"].form.errors
    assert User.objects.get(username="zoe").is_researcher
    assert client.login(username="zoe", password=PASSWORD)


def test_role_brings_and_takes_every_right(browser_of, ada, ana):
    browser = browser_of(ada)
    for role in ("administrator", "annotator"):
        fields = {"username": "ana", "email": "", "role": role, "is_active": "on"}
        answer = browser.post(change_url(ana), fields)
        assert answer.status_code == 302, answer.context["adminform"].form.errors
        ana.refresh_from_db()
        assert (ana.role, ana.is_superuser) == (role, role == "administrator")


def test_administrator_sets_a_password(browser_of, ada, ana, client):
    new = "another long enough secret"
    url = reverse("admin:auth_user_password_change", args=[ana.pk])
    assert browser_of(ada).get(url).status_code == 200
    browser_of(ada).post(url, {"password1": new, "password2": new})
    assert client.login(username="ana", password=new)


def test_nobody_takes_the_administrator_s_role_from_themselves(browser_of, ada):
    browser_of(ada).post(change_url(ada), {"username": "ada", "email": "", "role": "annotator"})
    ada.refresh_from_db()
    assert (ada.role, ada.is_active) == ("administrator", True)


def test_nobody_deletes_people(browser_of, ada, ana):
    assert browser_of(ada).get(reverse("admin:accounts_user_delete", args=[ana.pk])).status_code == 403
