"""A token may be allowed less than its owner: only to read, or only to work."""

import pytest
from django.db import IntegrityError
from rest_framework.test import APIClient

from accounts.models import ApiToken
from accounts.sign_in.tokens import create_api_token
from tests.cast import PASSWORD, with_token

pytestmark = pytest.mark.django_db
READ, WORK = "/api/v1/corpora/", "/api/v1/work/validation/next/"


def test_a_reading_token_reads_and_does_nothing_else(rosa):
    client = with_token(rosa, "read")
    assert client.get(READ).status_code == 200
    assert client.head(READ).status_code == 200
    answer = client.post("/api/v1/snapshots/", {"corpus": "x"})
    assert answer.status_code == 403
    assert (
        answer.json()["detail"]
        == "This token can only read. Create one with more access on your page (My account)."
    )
    assert with_token(rosa, "all").post("/api/v1/snapshots/", {"corpus": "x"}).status_code == 422


def test_a_working_token_opens_the_work_and_nothing_else(ana):
    client = with_token(ana, "work")
    # 422: it got as far as the fields of the request.
    assert client.post(WORK, {}).status_code == 422
    answer = client.get(READ)
    assert answer.status_code == 403
    assert "only for writing and labelling" in answer.json()["detail"]


def test_no_scope_gives_more_than_the_owner_has(ana):
    assert with_token(ana, "read").get("/api/v1/snapshots/").status_code == 403
    assert with_token(ana, "all").get("/api/v1/snapshots/").status_code == 403


def test_the_page_asks_what_a_token_may_do_and_shows_it(ana, browser_of):
    browser = browser_of(ana)
    browser.post("/mine/tokens/", {"name": "nightly", "days": "30", "scope": "read", "password": PASSWORD})
    assert ApiToken.objects.get().scope == "read"
    assert "<dd>only read</dd>" in browser.get("/mine/").content.decode()
    answer = browser.post(
        "/mine/tokens/", {"name": "odd", "days": "30", "scope": "everything", "password": PASSWORD}
    )
    assert answer.status_code == 422
    assert ApiToken.objects.count() == 1


def test_a_password_buys_a_token_of_the_scope_asked_for(ana):
    asked = {"username": "ana", "password": PASSWORD, "scope": "read"}
    assert APIClient().post("/api/v1/token/", asked).status_code == 200
    assert ApiToken.objects.get().scope == "read"
    assert APIClient().post("/api/v1/token/", {**asked, "scope": "odd"}).status_code == 422


def test_the_database_knows_the_scopes(ana):
    create_api_token(user=ana, name="script")
    with pytest.raises(IntegrityError, match="token_scope_is_known"):
        ApiToken.objects.update(scope="odd")
