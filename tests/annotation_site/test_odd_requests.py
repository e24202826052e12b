"""Requests that no browser would send get a 4xx, never a 5xx."""

from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest
from django.test import Client
from rest_framework.test import APIClient

from accounts.models import User
from tests.addresses import Site, addresses, finish, sample_site
from tests.cast import PASSWORD
from tests.made_once import made_once

pytestmark = pytest.mark.django_db

DIGITS = "9" * 5000
# Parameters that any page might read: each odd value goes to all of them at once.
NAMES = (
    *("question", "genre", "before", "page", "page_size", "cursor", "p", "o", "q", "by", "as", "partition"),
    *("label", "filter", "status", "seed", "start", "confirmed", "code", "number", "pairwise", "next"),
    *("version", "lang", "format"),
)
ODD = [DIGITS, *(pytest.param(odd, marks=pytest.mark.thorough) for odd in ("foo", "%ED%A0%80", "a%0Ab"))]
# Cookies in quotes hold any character, by its octal number.
COOKIES = (
    "sessionid",
    "csrftoken",
    "messages",
    "quintet-browser",
    "quintet-seen",
    "quintet-zone",
    "django_language",
)
HEADERS = {
    "Accept-Language": ";q=,\xff",
    "Cookie": "; ".join(f'{name}="\\000abcdefgh"' for name in COOKIES[1:]),
    "HX-Current-URL": "http://[",
    "HX-Request": "true",
    "If-Match": '"',
    "If-Modified-Since": "Mon, 99 Foo 99999",
    "If-None-Match": 'W/",',
    "If-Range": "1",
    "Range": f"bytes={DIGITS[:40]}-{DIGITS[:30]}, -, 5-1",
    "Referer": "http://[",
    "User-Agent": "x" * 10_000 + "\xff",
    "X-Forwarded-For": ",,\xff",
}
CURSORS = [
    "cD1hYmM=",
    "cD0xLjU=",
    "cD1uYW4=",
    "cD0lMDA=",
    "bz05OTk5OTk5OTk5OTk=",
    "%C3%A4",
]  # p=abc, 1.5, nan, NUL; o=...
FOR_ANNOTATORS = ("start/", "work/", "mine/", "sign-in/", "consent/", "enter/", "api/v1/work/")


def asked_by(site: Site, route: str) -> User:
    return site.people["annotator" if route.startswith(FOR_ANNOTATORS) else "researcher"]


@made_once
def site() -> Site:
    return sample_site()


@pytest.fixture
def clients(site: Site, browser_of: Callable[[User], Client]) -> dict[User, Client]:
    found = {site.people[role]: browser_of(site.people[role]) for role in ("annotator", "researcher")}
    for client in found.values():
        client.raise_request_exception = False
    return found


def broken_by(client: Client, url: str, **headers: str) -> bool:
    answer = client.get(url, headers=headers)
    finish(answer)
    return answer.status_code >= 500


@pytest.mark.parametrize("odd", ODD, ids=lambda odd: str(odd)[:12])
def test_no_parameter_breaks_an_address(site: Site, clients: dict[User, Client], odd: str) -> None:
    query = "&".join(f"{name}={odd}" for name in NAMES)
    broken = [
        address.route
        for address in addresses(site)
        if broken_by(clients[asked_by(site, address.route)], f"{address.url}?{query}")
    ]
    assert broken == []


def test_a_line_break_breaks_no_header(client: Client) -> None:
    assert client.get("/api/v1/schema/?version=a%0Ab&format=json&lang=%0A").status_code == 200


@pytest.mark.parametrize("page", ["/", "/sign-in/", "/mine/", "/admin/", "/api/v1/corpora/"])
def test_a_cookie_with_nul_is_no_session(db: None, page: str) -> None:
    cookies = "; ".join(f'{name}="\\000abcdefgh"' for name in COOKIES)
    assert Client().get(page, headers={"cookie": cookies}).status_code in (200, 302, 401)


@pytest.mark.thorough
def test_no_header_breaks_an_address(site: Site, clients: dict[User, Client]) -> None:
    broken = []
    for address in addresses(site):
        client = clients[asked_by(site, address.route)]
        session = client.cookies.output(header="", sep=";", attrs=[])
        headers = {**HEADERS, "Cookie": f"{HEADERS['Cookie']};{session}"}
        if broken_by(client, address.url, **headers):
            broken.append(address.route)
    assert broken == []


def test_nul_in_an_address_is_a_400(site: Site, clients: dict[User, Client]) -> None:
    pages = [
        "/?x=%00",
        "/enter/%00/",
        "/api/v1/corpora/?genre=%00",
        "/api/v1/snapshots/1/files/%00",
        "/static/%00",
    ]
    client = clients[site.people["researcher"]]
    assert {page: client.get(page).status_code for page in pages[:4]} == dict.fromkeys(pages[:4], 400)
    assert client.get(pages[2])["Content-Type"] == "application/problem+json"
    assert client.get(pages[4]).status_code < 500


def test_a_cursor_that_is_none_of_ours_is_a_404(site: Site, clients: dict[User, Client]) -> None:
    client = clients[site.people["researcher"]]
    lists = [
        "corpora/",
        f"corpora/{site.corpus.slug}/pairs/",
        "snapshots/",
        f"snapshots/{site.snapshot.pk}/rows/",
        "runs/",
    ]
    for path in lists:
        for cursor in CURSORS:
            answer = client.get(f"/api/v1/{path}?cursor={cursor}")
            is_slug = path == "corpora/" and cursor in ("cD1hYmM=", "cD1uYW4=")
            is_offset = cursor.startswith("bz0")
            assert answer.status_code == (200 if is_slug or is_offset else 404), (path, cursor)


@pytest.mark.parametrize(
    "odd",
    [DIGITS, *(pytest.param(odd, marks=pytest.mark.thorough) for odd in (quote("a/b"), "%ED%A0%80"))],
    ids=lambda odd: odd[:12],
)
def test_no_place_in_an_address_breaks_it(site: Site, clients: dict[User, Client], odd: str) -> None:
    values = {str(value) for places in site.places.values() for value in places.values()}
    broken = []
    for address in addresses(site):
        url = "/".join(odd if part in values else part for part in address.url.split("/"))
        if url != address.url and broken_by(clients[asked_by(site, address.route)], url):
            broken.append(address.route)
    assert broken == []


BODIES = [
    "[" * 100_000,
    "{" * 100_000,
    '{"a":' * 100_000,
    '"\\ud800"',
    '{"\\ud800": 1}',
    '{"\\u0000": "\\u0000"}',
    '{"regime": {"mixed": [{"snapshot": "\\ud800@1"}]}}',
    '{"active_ms": {"\\ud800": -1}}',
    f'{{"seed": {DIGITS}}}',
    '{"seed": 1e999}',
    "NaN",
    "",
    "[]",
    '"text"',
    "\\xff",
]


@pytest.mark.parametrize("odd", ["\\u0000", "a\\ud800"])
@pytest.mark.parametrize("body", ['{"username": "%s"}', '{"regime": {"%s": 1}}', '["%s"]'])
def test_a_body_that_no_database_keeps_is_a_400_that_says_so(body: str, odd: str) -> None:
    answer = APIClient().post("/api/v1/token/", body % odd, content_type="application/json")
    assert answer.status_code == 400
    assert odd in answer.json()["detail"]
    assert "cannot be stored" in answer.json()["detail"]


def test_no_body_breaks_rest(site: Site) -> None:
    client, broken = APIClient(raise_request_exception=False), []
    for address in addresses(site):
        if not address.route.startswith("api/"):
            continue
        client.force_authenticate(asked_by(site, address.route))
        for body in BODIES:
            answer = client.post(address.url, body, content_type="application/json")
            is_told = answer.status_code < 400 or answer["Content-Type"] == "application/problem+json"
            if answer.status_code >= 500 or not is_told:
                broken.append((address.route, body[:40], answer.status_code))
            if answer.status_code == 405:
                break
    assert broken == []


@pytest.mark.parametrize(
    "odd", ["\0", pytest.param(DIGITS, marks=pytest.mark.thorough)], ids=["nul", "digits"]
)
def test_no_form_breaks_a_page(site: Site, clients: dict[User, Client], odd: str) -> None:
    names = (*NAMES, "signal-active_ms", "text-neutral", "token", "reason", "problem", "key", "ms-1")
    sent: dict[str, Any] = dict.fromkeys(names, odd)
    broken = []
    for address in addresses(site):
        if address.route == "sign-out/" or address.route.startswith(("admin/", "api/")):
            continue
        answer = clients[asked_by(site, address.route)].post(address.url, sent)
        finish(answer)
        if answer.status_code >= 500:
            broken.append((address.route, answer.status_code))
    assert broken == []


@pytest.mark.parametrize("target", ["foo", "accounts.models", "//evil.example/", "http://evil.example/"])
def test_a_next_that_is_no_address_of_the_site_is_left_out(client: Client, site: Site, target: str) -> None:
    answer = client.post(f"/sign-in/?next={target}", {"username": "rosa", "password": PASSWORD})
    assert (answer.status_code, answer["Location"]) == (302, "/admin/")
    assert client.get(f"/sign-in/?next={target}")["Location"] == "/admin/"


@pytest.mark.parametrize("address", ["/api/v1/token", "/sign-in"])
def test_a_post_without_the_slash_at_the_end_is_an_error_that_names_the_address(address):
    """After a redirect, the browser would send a GET, and the data of the POST would be lost silently."""
    answer = Client().post(f"{address}?x=1", {"username": "ana", "password": "x"})
    assert answer.status_code == 404
    assert f"{address}/?x=1" in answer.content.decode()
    assert "Nothing was saved" in answer.content.decode()
    assert Client().get(address).url == f"{address}/"
    assert Client().post(f"{address}-unknown", {}).status_code == 404
