"""Who may do what: every address of the site with every method, for every role, by session and by token.

tests/architecture/who_may_open.py has the table. An address that is in no row fails, or in two, and so does a pattern
without an address.
"""

import re
from collections.abc import Iterator
from datetime import timedelta
from http.cookies import SimpleCookie
from typing import Any

import pytest
from django.db import transaction
from django.template.base import Template
from django.test import Client
from django.utils import timezone
from django.utils.safestring import SafeString

from accounts.models import ApiToken, ConsentForm, User
from accounts.people.consents import withdraw_consent
from accounts.sign_in.tokens import create_api_token, revoke_api_token
from collection.members.actions import give_role
from collection.models import Corpus
from tests.addresses import Address, Site, addresses, finish, sample_site
from tests.architecture.who_may_open import ANOTHER, NAMED, POSTED, ROLES, ROWS, letter_of, rows_of
from tests.cast import person, several_groups
from tests.corpora import make_corpus
from tests.made_once import made_once
from validation.annotators.exclusion import exclude
from validation.annotators.membership import invite
from validation.labelling import views
from validation.models import Assignment, Label, Question

pytestmark = pytest.mark.django_db
site = made_once(sample_site)

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
# A page that looks at no method answers to all in the same way.
METHODS_OF_PAGES = ("GET", "POST", "DELETE")
NOT_TAKEN = "no"
# One client for all requests, since each loads the middleware for itself.
CLIENT = Client(raise_request_exception=False)


@pytest.fixture(autouse=True)
def pages_are_not_drawn(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Lets templates give nothing: who may open a page is decided before. Other tests draw every page."""
    monkeypatch.setattr(Template, "_render", lambda template, context: SafeString(""))
    yield
    for parts in (views._frame, views._unanswered):  # the process stores what it drew
        parts.cache_clear()


def answer_of(cookies: str, address: Address, method: str, **headers: str) -> str:
    """What a request comes to, in the letters of the table, or NOT_TAKEN. What it wrote is taken back."""
    CLIENT.cookies = SimpleCookie(cookies)  # anew: some addresses sign out
    with transaction.atomic():
        answer = CLIENT.generic(method, address.url, b"", content_type="application/json", headers=headers)
        finish(answer)
        transaction.set_rollback(True)
    to_sign_in = answer.status_code == 302 and answer["Location"].startswith(("/sign-in/", "/admin/login/"))
    if answer.status_code == 401 or to_sign_in:
        return "s"
    if answer.status_code >= 500:
        return f"an error of the server ({answer.status_code})"
    return {403: "-", 404: ".", 405: NOT_TAKEN}.get(answer.status_code, "+")


def methods(address: Address) -> tuple[str, ...]:
    return METHODS if address.route.startswith("api/") else METHODS_OF_PAGES


def surprises(address: Address, wanted: dict[str, str], answers: dict[str, str]) -> dict[str, str]:
    """The methods that came to something else than wanted. An address may not take a method, but it must take one."""
    if set(answers.values()) == {NOT_TAKEN}:
        return {"all methods": "not taken"}
    return {
        f"{method} {address.route}": f"{wanted[method]} expected, {got} came"
        for method, got in answers.items()
        if got not in (wanted[method], NOT_TAKEN)
    }


def people_of(site: Site) -> dict[str, User]:
    question = Question.objects.get(corpus=site.corpus)
    excluded, elsewhere = person("eve"), person("ede")
    invite(question=question, annotator=excluded)
    exclude(corpus=site.corpus, annotator=excluded, reason="Guesses.", by=site.people["researcher"])
    other = make_corpus(slug="other")
    with several_groups():
        another = person("ravi", role="researcher")
    give_role(corpus=other, user=another, role="owner", by=None)
    invite(question=Question.objects.get(corpus=other), annotator=elsewhere)
    return {
        "annotator": site.people["annotator"],
        "excluded": excluded,
        "elsewhere": elsewhere,
        "researcher": site.people["researcher"],
        "administrator": site.people["administrator"],
        ANOTHER: another,
    }


def test_every_address_is_in_one_row_and_every_pattern_has_an_address(site):
    routes = [address.route for address in addresses(site)]
    assert {route: rows_of(route) for route in routes if len(rows_of(route)) != 1} == {}
    patterns = [pattern for _, _, of_row in [*ROWS, *POSTED] for pattern in of_row] + NAMED
    assert [one for one in patterns if not any(re.fullmatch(one, route) for route in routes)] == []


def wrong_in_a_browser(site: Site, role: str, chosen: list[Address]) -> dict[str, str]:
    client = Client()
    if role in (people := people_of(site)):
        client.force_login(people[role])
    cookies = client.cookies.output(header="", sep=";")
    wrong: dict[str, str] = {}
    for address in chosen:
        wanted = {method: letter_of(address.route, method, role) for method in methods(address)}
        answers = {method: answer_of(cookies, address, method) for method in wanted}
        wrong |= surprises(address, wanted, answers)
    return wrong


@pytest.mark.parametrize(
    "role",
    [
        role
        if role in ("anonymous", "annotator", "researcher", ANOTHER)
        else pytest.param(role, marks=pytest.mark.thorough)
        for role in (*ROLES, ANOTHER)
    ],
)
def test_who_opens_what_in_a_browser(site, role):
    # The admin checks the role alone, so one annotator is enough.
    skipped = "admin/" if role in ("excluded", "elsewhere") else "nothing"
    chosen = [address for address in addresses(site) if not address.route.startswith(skipped)]
    assert wrong_in_a_browser(site, role, chosen) == {}


def wanted_by_token(scope: str, address: Address, method: str, role: str) -> str:
    """What the table says, less what the owner may and the token may not."""
    if not address.route.startswith("api/v1/"):
        return letter_of(address.route, method, "anonymous")
    if scope == "work" and not address.route.startswith("api/v1/work/"):
        return "-"
    letter = letter_of(address.route, method, role)
    return "-" if scope == "read" and method != "GET" else letter


@pytest.mark.parametrize(
    "role",
    [
        *("annotator", "researcher", ANOTHER),
        *(
            pytest.param(role, marks=pytest.mark.thorough)
            for role in ("excluded", "elsewhere", "administrator")
        ),
    ],
)
def test_what_a_token_opens(site, role):
    """A token is for REST alone, reads or works where its scope says so, and opens nothing that its owner may not.

    No page reads tokens, whoever has them: annotators and administrators try the pages.
    """
    user = people_of(site)[role]
    tokens = {
        scope: create_api_token(user=user, name=scope, scope=scope) for scope in ("read", "work", "all")
    }
    wrong: dict[Any, str] = {}
    for address in addresses(site):
        if address.route.startswith("admin/") or address.route == "api/v1/token/":
            continue
        for scope, token in tokens.items():
            tries_pages = scope == "all" and role in ("annotator", "administrator")
            if not tries_pages and not address.route.startswith("api/v1/"):
                continue
            tried = methods(address)
            if role == "annotator" and not address.route.startswith("api/"):
                tried = ("GET", "POST")
            wanted = {method: wanted_by_token(scope, address, method, role) for method in tried}
            answers = {
                method: answer_of("", address, method, authorization=f"Token {token}") for method in tried
            }
            wrong |= {(scope, what): why for what, why in surprises(address, wanted, answers).items()}
    assert not wrong, "\n".join(f"{what}: {why}" for what, why in wrong.items())


@pytest.mark.thorough
@pytest.mark.parametrize("role", ["administrator", "annotator"])
def test_a_token_that_ended_opens_nothing(site, role):
    """Revoked, expired, of an account that was closed, or made up: no address of REST lets such a token in."""
    user = people_of(site)[role]
    closed = person("closed", role=user.role)
    ended = {
        "expired": create_api_token(
            user=user, name="expired", expires_at=timezone.now() + timedelta(hours=1)
        ),
        "revoked": create_api_token(user=user, name="revoked"),
        "of a closed account": create_api_token(user=closed, name="closed"),
        "made up": "quintet_" + "x" * 43,
    }
    ApiToken.objects.filter(name="expired").update(expires_at=timezone.now() - timedelta(seconds=1))
    assert revoke_api_token(user=user, token_id=ApiToken.objects.get(name="revoked").pk)
    User.objects.filter(pk=closed.pk).update(is_active=False)
    wrong: dict[Any, str] = {}
    rest = [address for address in addresses(site) if address.route.startswith("api/v1/")]
    for address in rest:
        if address.route == "api/v1/token/":
            continue
        for why, token in ended.items():
            answers = {
                method: answer_of("", address, method, authorization=f"Token {token}")
                for method in methods(address)
            }
            wrong |= {
                (why, what): came
                for what, came in surprises(address, dict.fromkeys(methods(address), "s"), answers).items()
            }
    assert not wrong, "\n".join(f"{what}: {why}" for what, why in wrong.items())


@pytest.mark.parametrize("ends", [False, True])
def test_a_token_gets_no_work_once_consent_has_ended(site, ends):
    """Consent that was withdrawn, or given to another form only, ends work by a token too; the token stays theirs."""
    user = site.people["annotator"]
    client = Client(headers={"authorization": f"Token {create_api_token(user=user, name='script')}"})
    body = {"corpus": site.corpus.slug}
    client.post("/api/v1/work/validation/next", body, content_type="application/json")
    batch = Assignment.objects.get(annotator=user, closed_at=None)
    slots = list(batch.items.values_list("seat__token", flat=True))
    if ends:
        withdraw_consent(user=user, form=site.corpus.consent_form)
    else:
        other = ConsentForm.objects.create(title="Another", text="Other words.", digest="2")
        Corpus.objects.filter(pk=site.corpus.pk).update(consent_form=other)
    labels = {"assignment": batch.token, "labels": dict.fromkeys(slots, "neutral")}
    sent = {**labels, "idempotency_key": "k"}
    for address, content in (
        ("/api/v1/work/validation/next", body),
        ("/api/v1/work/validation/submit", sent),
        ("/api/v1/work/validation/submit", {**sent, "next": True}),
        ("/api/v1/work/validation/correct", labels),
        ("/api/v1/work/writing/next", body),
    ):
        assert client.post(address, content, content_type="application/json").status_code == 403, address
    assert not Label.objects.filter(token__in=slots, label__isnull=False).exists()
    assert client.get("/api/v1/corpora/").status_code == 200
