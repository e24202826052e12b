"""Who may do what: every address of the site with every method, for every role, by session and by token.

`ROWS` is the whole table; `POSTED` has where a POST differs. An address that is in no row fails, or in two, and
so does a pattern without an address.
"""

import re
from datetime import timedelta
from http.cookies import SimpleCookie
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.utils import timezone

from accounts.models import ApiToken, ConsentForm, User
from accounts.people.consents import withdraw_consent
from accounts.sign_in.tokens import create_api_token, revoke_api_token
from collection.models import Corpus
from tests.addresses import Address, Site, addresses, finish, sample_site
from tests.cast import person
from tests.corpora import make_corpus
from tests.made_once import made_once
from validation.annotators.exclusion import exclude
from validation.annotators.membership import invite
from validation.models import Assignment, Label, Question

pytestmark = pytest.mark.django_db
site = made_once(sample_site)

# One letter for each role: + let in, - forbidden (403), s sent to the sign-in (or 401), . not found (404).
ROLES = ("anonymous", "annotator", "excluded", "elsewhere", "researcher", "administrator")
# Every model of the admin and who may see it; add a new one here.
MODELS = (
    "accounts/(consent|consentform|grant|qualification|user)|"
    "collection/(corpus|droppedline|entrylink|exam|examattempt|genre|ledgerentry|pair|premise|problemreport|prompt|promptversion|source|visit|writingassignment)|"
    "modeling/(evaluation|trainingrun|worker)|"
    "snapshots/(snapshot)|"
    "validation/(label|membership|question)"
)

# Rows: letters in the order of ROLES, a description, and patterns of routes.
ROWS: list[tuple[str, str, list[str]]] = [
    (
        "++++++",
        "Everybody",
        [
            r"",
            r"admin/logout/",
            r"admin/password_change/",
            r"api/v1/docs/",
            r"api/v1/schema/",
            r"api/v1/token/",
            r"favicon.ico",
            r"forgotten-password/",
            r"new-password/<str:uid>/<str:token>/",
            r"health/",
            r"join/<slug:slug>/",
            r"sign-in/",
            r"sign-out/",
        ],
    ),
    (
        "------",
        "A link without the ids of a participant lets nobody in",
        [
            r"enter/<str:token>/",
        ],
    ),
    (
        "++++++",
        "Counted, whoever it is",
        [
            r"enter/<str:token>/opened/",
        ],
    ),
    (
        "-...--",
        "Parts of the writing page: they know nobody but the writer at work",
        [
            r"work/writing/<slug:corpus>/draft/",
            r"work/writing/<slug:corpus>/skip/",
        ],
    ),
    (
        "......",
        "Nothing there: the tests have no provider of OpenID Connect but in tests/accounts/test_open_id.py",
        [
            r"sign-in/with/<slug:provider_id>/(callback/)?",
        ],
    ),
    (
        "s+++++",
        "The second step leads back to the sign-in, and whoever is signed in to their first page",
        [
            r"sign-in/second-step/",
        ],
    ),
    (
        "s+++++",
        "Whoever is signed in; whose things they are is looked at in the view",
        [
            r"api/v1/corpora/",
            r"api/v1/corpora/<slug:slug>/",
            r"api/v1/work/writing/next/",
            r"api/v1/work/writing/submit/",
            r"consent/<int:form_id>/",
            r"mine/",
            r"mine/background/",
            r"mine/consents/<int:form_id>/withdraw/",
            r"mine/data/",
            r"mine/email/",
            r"mine/erase/",
            r"mine/language/",
            r"mine/password/",
            r"mine/sessions/<int:browser_id>/end/",
            r"mine/tokens/",
            r"mine/tokens/<int:token_id>/revoke/",
            r"work/faq/<int:version>/",
            r"work/writing/<slug:corpus>/prompt/<int:version>/",
        ],
    ),
    (
        "s+++--",
        "Annotators; whether they may work on this corpus is said on the page",
        [
            r"api/v1/work/validation/correct/",
            r"api/v1/work/validation/next/",
            r"api/v1/work/validation/submit/",
            r"api/v1/work/writing/(returned|mend|decline)/",
            r"start/",
            r"work/exam/<slug:corpus>/",
            r"work/mine/",
            r"work/mine/writing/",
            r"work/reports/",
            r"work/validation/<slug:slug>/",
            r"work/validation/<slug:slug>/<slug:question_slug>/",
            r"work/validation/<slug:slug>/<slug:question_slug>/instructions/",
            r"work/validation/<slug:slug>/instructions/",
            r"work/visit/",
            r"work/visit/returned/",
            r"work/writing/<slug:corpus>/",
        ],
    ),
    (
        "s---++",
        "Researchers",
        [
            r"admin/",
            r"admin/login/",
            r"mine/second-factor/((app|passkey)/)?",
            r"api/v1/corpora/<slug:slug>/agreement/",
            r"api/v1/corpora/<slug:slug>/annotators/",
            r"api/v1/corpora/<slug:slug>/cross-table/",
            r"api/v1/corpora/<slug:slug>/pairs/",
            r"api/v1/runs/",
            r"api/v1/corpora/<slug:slug>/pay/",
            r"api/v1/runs/<int:pk>/",
            r"api/v1/runs/<int:pk>/charts/",
            r"api/v1/runs/curves/",
            r"api/v1/runs/<int:pk>/resume/",
            r"api/v1/runs/<int:pk>/stop/",
            r"api/v1/snapshots/",
            r"api/v1/snapshots/<int:pk>/",
            r"api/v1/snapshots/<int:pk>/exports/",
            r"api/v1/snapshots/<int:pk>/exports/<slug:format_name>/",
            r"api/v1/snapshots/<int:pk>/exports/<slug:format_name>/<str:name>",
            r"api/v1/snapshots/<int:pk>/files/<str:name>",
            r"api/v1/snapshots/<int:pk>/learning-curves/",
            r"api/v1/snapshots/<int:pk>/marks/",
            r"api/v1/snapshots/<int:pk>/publish/",
            r"api/v1/snapshots/<int:pk>/retract/",
            r"api/v1/snapshots/<int:pk>/rows/",
            r"api/v1/snapshots/<int:pk>/statistics/",
            r"api/v1/snapshots/<int:pk>/statistics/<slug:kind>/",
            r"api/v1/snapshots/<int:pk>/tables/<slug:name>/",
            r"attention/",
            r"snapshots/<int:pk>/(pairs|changes)/",
            r"c/<slug:slug>/predictions/<path:public_id>/",
            r"c/<slug:slug>/((premises|texts|prompts|premises/import|labelling|settings|settings/file|preview/writing|preview/labelling|links)/)?",
            r"c/<slug:slug>/(links|preview/end)/<int:number>/",
            r"corpora/<slug:slug>/",
            r"corpora/<slug:slug>/adjudication/",
            r"corpora/<slug:slug>/advice/",
            r"corpora/<slug:slug>/agreement/",
            r"corpora/<slug:slug>/annotators/",
            r"corpora/<slug:slug>/bias/",
            r"corpora/<slug:slug>/calibration/",
            r"corpora/<slug:slug>/controls/",
            r"corpora/<slug:slug>/more-labels/",
            r"corpora/<slug:slug>/open/",
            r"corpora/<slug:slug>/pairs/",
            r"corpora/<slug:slug>/pairs/<path:public_id>/",
            r"corpora/<slug:slug>/pay/",
            r"corpora/<slug:slug>/pilots/",
            r"corpora/<slug:slug>/pilots/<slug:prompt>/",
            r"corpora/<slug:slug>/pool/",
            r"corpora/<slug:slug>/pool/<path:code>/",
            r"corpora/<slug:slug>/reports/",
            r"corpora/<slug:slug>/vetting/",
            r"corpora/<slug:slug>/vetting/<int:number>\.csv",
            r"imports/",
            r"imports/<int:number>/",
            r"imports/new/",
            r"imports/send/",
            r"new-corpus/",
            r"runs/",
            r"runs/curves/",
            r"runs/<int:pk>/",
            r"runs/<int:pk>/open-pairs/",
            r"runs/<int:pk>/resume/",
            r"runs/<int:pk>/stop/",
            r"runs/new/<int:snapshot_id>/",
            r"runs/start/<int:snapshot_id>/",
            r"search/",
            r"snapshots/",
            r"snapshots/<int:pk>/",
            r"snapshots/<int:pk>/datasheet\.md",
            r"snapshots/<int:pk>/exports/",
            r"snapshots/<int:pk>/exports/<slug:format_name>/",
            r"snapshots/<int:pk>/exports/<slug:format_name>/<str:name>",
            r"snapshots/<int:pk>/files/<str:name>",
            r"snapshots/<int:pk>/publish/",
            r"snapshots/<int:pk>/result-tables/",
            r"snapshots/<int:pk>/retract/",
            r"snapshots/<int:pk>/state/",
            r"snapshots/<int:pk>/statistics/",
            r"snapshots/<int:pk>/statistics/<slug:name>\.csv",
            r"snapshots/<int:pk>/statistics/<slug:name>\.tex",
            r"snapshots/<int:pk>/statistics/ask/",
            r"snapshots/<int:pk>/stop/",
            r"snapshots/<int:pk>/marking/",
            r"snapshots/<int:pk>/marking/<str:partition>/",
            r"snapshots/<int:pk>/marking/<str:partition>/count/",
            r"snapshots/<int:pk>/marking/<str:partition>\.csv",
            r"snapshots/<int:pk>/tables/<slug:name>/",
            r"snapshots/<int:pk>/tables/<slug:name>\.csv",
            r"snapshots/datasheet/<slug:slug>/",
            r"snapshots/freeze/<slug:slug>/",
            r"snapshots/freeze/<slug:slug>/plan/",
        ],
    ),
    (
        "s---..",
        "Researchers; the sample run has no such file",
        [
            r"api/v1/runs/<int:pk>/predictions/",
            r"api/v1/runs/<int:pk>/data-map/",
            r"runs/<int:pk>/data-map/",
            r"runs/<int:pk>/data-map\.csv",
            r"runs/<int:pk>/predictions/<str:partition>/",
            r"runs/<int:pk>/predictions/<str:partition>\.csv",
        ],
    ),
    ("s+..--", "The annotator who sent the batch", [r"work/mine/batches/<slug:token>/"]),
    (
        "s...--",
        "The writer of the sentence, who is somebody else here",
        [r"work/mine/returned/<int:number>/"],
    ),
    ("s---..", "Researchers; no pair or list is named", [r"corpora/<slug:slug>/return/", r"saved-filters/"]),
    (
        "s...--",
        "Annotators; the sample site has no such thing for them",
        [
            r"work/labelling-draft/",
            r"work/validation/<slug:slug>/<slug:question_slug>/exam/",
            r"work/validation/<slug:slug>/exam/",
            r"work/writing/<slug:corpus>/draft/discard/",
        ],
    ),
    (
        "ssss++",
        "The dashboard, for researchers to look at",
        [
            r"admin/records/",
            r"admin/<app_label>/",
            r"admin/(jsi18n|search|password_change/done)/",
            rf"admin/({MODELS})/",
            rf"admin/({MODELS})/<path:object_id>/((change|history)/)?",
            r"admin/collection/entrylink/add/",
            r"admin/accounts/grant/add/",
            r"admin/accounts/apitoken/<path:object_id>/",
        ],
    ),
    (
        "ssss-+",
        "The dashboard, for administrators alone",
        [
            r"admin/accounts/apitoken/(<path:object_id>/(change|delete|history)/)?",
            r"admin/accounts/user/add/",
            r"admin/accounts/user/<id>/password/",
        ],
    ),
    (
        "ssss--",
        "Nobody adds or deletes by hand",
        [
            rf"admin/(?!collection/entrylink|accounts/(grant|user))({MODELS})/add/",
            rf"admin/({MODELS})/<path:object_id>/delete/",
            r"admin/accounts/apitoken/add/",
            r"admin/autocomplete/",
        ],
    ),
    (
        "ssss..",
        "Nothing there",
        [
            r"admin/<url>",
            r"admin/r/<path:content_type_id>/<path:object_id>/",
        ],
    ),
]


METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
# A page that looks at no method answers to all in the same way.
METHODS_OF_PAGES = ("GET", "POST", "DELETE")
# Where a POST, which here has no content, comes to something else than the row says.
POSTED: list[tuple[str, str, list[str]]] = [
    ("-...--", "The writing page knows nobody but the writer at work", [r"work/writing/<slug:corpus>/"]),
    (
        "s.++--",
        "No batch is named; who has read the instructions comes as far as that",
        [r"work/validation/<slug:slug>/", r"work/validation/<slug:slug>/<slug:question_slug>/"],
    ),
    (
        "s---..",
        "Researchers; no such pair is named",
        [
            r"corpora/<slug:slug>/(adjudication|controls)/",
            r"snapshots/<int:pk>/marking/<str:partition>/",
        ],
    ),
    ("ssss-+", "Administrators alone change people", [r"admin/accounts/user/<path:object_id>/change/"]),
    (
        "ssss--",
        "Records that nobody changes by hand",
        [
            r"admin/accounts/apitoken/<path:object_id>/change/",
            rf"admin/(?!accounts/(grant|user)|collection/(entrylink|examattempt|problemreport))({MODELS})"
            r"/<path:object_id>/change/",
        ],
    ),
]
NOT_TAKEN = "no"
# One client for all requests, since each loads the middleware for itself.
CLIENT = Client(raise_request_exception=False)


def rows_of(route: str, table: list[tuple[str, str, list[str]]] = ROWS) -> list[str]:
    return [letters for letters, _, routes in table for pattern in routes if re.fullmatch(pattern, route)]


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


def letter_of(address: Address, method: str, role: str) -> str:
    """Returns the letter that the table has for the address, the method and the role."""
    posted = rows_of(address.route, POSTED) if method == "POST" else []
    return (posted or rows_of(address.route))[0][ROLES.index(role)]


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
    invite(question=Question.objects.get(corpus=other), annotator=elsewhere)
    return {
        "annotator": site.people["annotator"],
        "excluded": excluded,
        "elsewhere": elsewhere,
        "researcher": site.people["researcher"],
        "administrator": site.people["administrator"],
    }


def test_every_address_is_in_one_row_and_every_pattern_has_an_address(site):
    routes = [address.route for address in addresses(site)]
    assert {route: rows_of(route) for route in routes if len(rows_of(route)) != 1} == {}
    patterns = [pattern for _, _, of_row in [*ROWS, *POSTED] for pattern in of_row]
    assert [one for one in patterns if not any(re.fullmatch(one, route) for route in routes)] == []


@pytest.mark.parametrize("role", ROLES)
def test_who_opens_what_in_a_browser(site, role):
    client = Client()
    if role in (people := people_of(site)):
        client.force_login(people[role])
    cookies = client.cookies.output(header="", sep=";")
    wrong: dict[Any, str] = {}
    for address in addresses(site):
        # The admin checks the role alone, so one annotator is enough.
        if address.route.startswith("admin/") and role in ("excluded", "elsewhere"):
            continue
        wanted = {method: letter_of(address, method, role) for method in methods(address)}
        wrong |= surprises(
            address, wanted, {method: answer_of(cookies, address, method) for method in methods(address)}
        )
    assert not wrong, "\n".join(f"{what}: {why}" for what, why in wrong.items())


def wanted_by_token(scope: str, address: Address, method: str, role: str) -> str:
    """What the table says, less what the owner may and the token may not."""
    if not address.route.startswith("api/v1/"):
        return letter_of(address, method, "anonymous")
    if scope == "work" and not address.route.startswith("api/v1/work/"):
        return "-"
    letter = letter_of(address, method, role)
    return "-" if scope == "read" and method != "GET" else letter


@pytest.mark.parametrize("role", ["annotator", "excluded", "elsewhere", "researcher", "administrator"])
def test_what_a_token_opens(site, role):
    """A token is for REST alone, reads or works where its scope says so, and opens nothing that its owner may not."""
    user = people_of(site)[role]
    tokens = {
        scope: create_api_token(user=user, name=scope, scope=scope) for scope in ("read", "work", "all")
    }
    wrong: dict[Any, str] = {}
    for address in addresses(site):
        if address.route.startswith("admin/") or address.route == "api/v1/token/":
            continue
        for scope, token in tokens.items():
            if scope != "all" and not address.route.startswith("api/v1/"):
                continue
            wanted = {method: wanted_by_token(scope, address, method, role) for method in methods(address)}
            answers = {
                method: answer_of("", address, method, authorization=f"Token {token}")
                for method in methods(address)
            }
            wrong |= {(scope, what): why for what, why in surprises(address, wanted, answers).items()}
    assert not wrong, "\n".join(f"{what}: {why}" for what, why in wrong.items())


@pytest.mark.parametrize("role", ["annotator", "administrator"])
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
    for address in addresses(site):
        if not address.route.startswith("api/v1/") or address.route == "api/v1/token/":
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
    sent = {"assignment": batch.token, "labels": dict.fromkeys(slots, "neutral"), "idempotency_key": "k"}
    for address, content in (
        ("/api/v1/work/validation/next", body),
        ("/api/v1/work/validation/submit", sent),
        ("/api/v1/work/validation/submit", {**sent, "next": True}),
        ("/api/v1/work/validation/correct", sent),
        ("/api/v1/work/writing/next", body),
    ):
        assert client.post(address, content, content_type="application/json").status_code == 403, address
    assert not Label.objects.filter(token__in=slots, label__isnull=False).exists()
    assert client.get("/api/v1/corpora/").status_code == 200
