"""Rules for every response: its policy and caching; no uploads; a full disk."""

import errno

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.handlers.wsgi import WSGIHandler
from django.db import OperationalError
from django.test import RequestFactory

from annotation_site.middleware import POLICIES, STRICT
from tests.cast import PASSWORD
from tests.corpora import make_corpus

pytestmark = pytest.mark.django_db


def test_pages_have_a_strict_policy_and_only_two_places_a_looser_one(client, browser_of, rosa):
    assert client.get("/sign-in/")["Content-Security-Policy"] == STRICT
    assert client.get("/no/such/page/")["Content-Security-Policy"] == STRICT
    browser = browser_of(rosa)
    assert browser.get("/admin/records/")["Content-Security-Policy"] == POLICIES["/admin/"]
    assert browser.get("/admin/")["Content-Security-Policy"] == STRICT
    docs = browser.get("/api/v1/docs/")
    assert docs["Content-Security-Policy"] == POLICIES["/api/v1/docs/"]
    assert "<script>" not in docs.content.decode()
    assert not any(
        "unsafe-inline" in policy.partition("script-src")[2].partition(";")[0] for policy in POLICIES.values()
    )


def test_what_is_for_one_person_is_not_kept(client, browser_of, api_of, rosa):
    make_corpus()
    assert "Cache-Control" not in client.get("/")
    signed_in = browser_of(rosa)
    for page in ("/", "/snapshots/", "/corpora/small/pilots/", "/api/v1/corpora/"):
        assert "no-store" in signed_in.get(page)["Cache-Control"], page
    token = client.post("/api/v1/token/", {"username": "rosa", "password": PASSWORD}, "application/json")
    assert token.status_code == 200
    assert "no-store" in token["Cache-Control"]


def test_head_has_the_headers_of_get_and_no_body(rosa):
    """Otherwise gunicorn would log a warning for each body that it drops."""
    begun: list[tuple[str, dict[str, str]]] = []
    asked = {method: RequestFactory().generic(method, "/sign-in/").environ for method in ("GET", "HEAD")}
    sent = {}
    for method, environ in asked.items():
        answer = WSGIHandler()(environ, lambda status, headers: begun.append((status, dict(headers))))
        sent[method] = b"".join(answer)
    assert [status for status, _ in begun] == ["200 OK", "200 OK"]
    assert sent["HEAD"] == b""
    assert begun[1][1]["Content-Length"] == str(len(sent["GET"]))


def test_no_address_takes_a_file(client, browser_of, rosa, tmp_path):
    file = SimpleUploadedFile("large.txt", b"x" * 100)
    assert client.post("/sign-in/", {"username": "rosa", "file": file}).status_code == 400
    file.seek(0)
    answer = client.post("/api/v1/token/", {"username": "rosa", "file": file})
    assert (answer.status_code, answer["Content-Type"]) == (415, "application/problem+json")


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.ENOSPC, "No space left on device"),
        OperationalError("database or disk is full"),
    ],
    ids=["file", "sqlite"],
)
@pytest.mark.parametrize(
    ("page", "kind"), [("/mine/", "text/html"), ("/api/v1/corpora/", "application/problem+json")]
)
def test_a_full_disk_is_a_sentence(browser_of, rosa, monkeypatch, error, page, kind):
    def fail(*args, **kwargs):
        raise error

    monkeypatch.setattr("accounts.pages.views._mine", fail)
    monkeypatch.setattr("collection.corpora.api.CorpusList.get_queryset", fail)
    answer = browser_of(rosa).get(page)
    assert (answer.status_code, answer["Content-Type"].partition(";")[0]) == (503, kind)
    assert "disk is full" in answer.content.decode()
    assert answer["Retry-After"] == "60"


@pytest.mark.parametrize(
    ("page", "kind"), [("/mine/", "text/html"), ("/api/v1/corpora/", "application/problem+json")]
)
@pytest.mark.parametrize("where", ["in the view", "while the session is read"])
def test_a_lost_database_is_a_503_that_says_when_to_try_again(
    browser_of, rosa, monkeypatch, page, kind, where
):
    def lose(*args, **kwargs):
        raise OperationalError("server closed the connection unexpectedly")

    browser = browser_of(rosa)
    browser.raise_request_exception = False
    with monkeypatch.context() as patch:
        if where == "in the view":
            patch.setattr("accounts.pages.views._mine", lose)
            patch.setattr("collection.corpora.api.CorpusList.get_queryset", lose)
        else:
            patch.setattr("django.contrib.sessions.backends.db.SessionStore.load", lose)
        answer = browser.get(page)
    assert (answer.status_code, answer["Content-Type"].partition(";")[0]) == (503, kind)
    assert "The database did not answer" in answer.content.decode()
    assert answer["Retry-After"] == "5"
    assert browser.get(page).status_code == 200


def test_every_answer_forbids_what_no_page_needs_and_allows_passkeys(client):
    for page in ("/sign-in/", "/api/v1/corpora/", "/nowhere/"):
        policy = client.get(page)["Permissions-Policy"].split(", ")
        assert {"camera=()", "microphone=()", "geolocation=()", "payment=()"} < set(policy)
        assert {"publickey-credentials-create=(self)", "publickey-credentials-get=(self)"} < set(policy)


def test_an_error_of_middleware_is_a_problem_too(client, rosa):
    refused = client.get("/api/v1/corpora/", headers={"host": "evil.example"})
    assert (refused.status_code, refused["Content-Type"]) == (400, "application/problem+json")
    too_much = client.post("/api/v1/token/", '"' + "x" * 3_000_000 + '"', "application/json")
    assert (too_much.status_code, too_much["Content-Type"]) == (413, "application/problem+json")
