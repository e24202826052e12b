"""Who may open what: every address of the site, for every role, by session and by token.

`ROWS` is the whole table. An address that is in no row fails, or in two, and so does a pattern without an address.
"""

import re

import pytest
from django.db import transaction
from django.test import Client

from accounts.models import User
from accounts.sign_in.tokens import create_api_token
from tests.addresses import Address, Site, addresses, finish, sample_site
from tests.cast import person
from tests.corpora import make_corpus
from validation.annotators.exclusion import exclude
from validation.annotators.membership import invite
from validation.models import Question

pytestmark = pytest.mark.django_db

# One letter a role: + let in, - refused (403), s sent to the sign-in (or 401), . nothing there (404).
ROLES = ("anonymous", "annotator", "excluded", "elsewhere", "researcher", "administrator")
# Every model of the dashboard; a new one is told here who may see it.
MODELS = (
    "accounts/(consent|consentform|grant|qualification|user)|"
    "collection/(corpus|droppedline|entrylink|exam|examattempt|genre|ledgerentry|pair|premise|problemreport|prompt|promptversion|source|visit|writingassignment)|"
    "modeling/(evaluation|trainingrun|worker)|"
    "snapshots/(snapshot)|"
    "validation/(label|membership|question)"
)

# Rows: letters, what it is about, and patterns of routes. The letters stand in the order of ROLES.
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
            r"health/",
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
        "-...--",
        "Parts of the writing page: they know nobody but the writer at work",
        [
            r"work/writing/<slug:corpus>/draft/",
            r"work/writing/<slug:corpus>/skip/",
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
            r"mine/erase/",
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
            r"api/v1/work/validation/next/",
            r"api/v1/work/validation/submit/",
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
            r"work/writing/<slug:corpus>/",
        ],
    ),
    (
        "s---++",
        "Researchers",
        [
            r"admin/login/",
            r"api/v1/corpora/<slug:slug>/agreement/",
            r"api/v1/corpora/<slug:slug>/annotators/",
            r"api/v1/corpora/<slug:slug>/cross-table/",
            r"api/v1/corpora/<slug:slug>/pairs/",
            r"api/v1/runs/",
            r"api/v1/runs/<int:pk>/",
            r"api/v1/runs/<int:pk>/resume/",
            r"api/v1/runs/<int:pk>/stop/",
            r"api/v1/snapshots/",
            r"api/v1/snapshots/<int:pk>/",
            r"api/v1/snapshots/<int:pk>/exports/",
            r"api/v1/snapshots/<int:pk>/exports/<slug:format_name>/",
            r"api/v1/snapshots/<int:pk>/exports/<slug:format_name>/<str:name>",
            r"api/v1/snapshots/<int:pk>/files/<str:name>",
            r"api/v1/snapshots/<int:pk>/publish/",
            r"api/v1/snapshots/<int:pk>/retract/",
            r"api/v1/snapshots/<int:pk>/rows/",
            r"api/v1/snapshots/<int:pk>/statistics/",
            r"api/v1/snapshots/<int:pk>/statistics/<slug:kind>/",
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
            r"runs/",
            r"runs/<int:pk>/",
            r"runs/<int:pk>/resume/",
            r"runs/<int:pk>/stop/",
            r"runs/new/<int:snapshot_id>/",
            r"runs/start/<int:snapshot_id>/",
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
            r"runs/<int:pk>/predictions/<str:partition>/",
        ],
    ),
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
            r"admin/",
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


# Addresses of REST that only take a POST: a token that may only read does nothing there.
WRITES = {
    "api/v1/runs/<int:pk>/resume/",
    "api/v1/runs/<int:pk>/stop/",
    "api/v1/snapshots/<int:pk>/publish/",
    "api/v1/snapshots/<int:pk>/retract/",
    "api/v1/work/validation/next/",
    "api/v1/work/validation/submit/",
    "api/v1/work/writing/next/",
    "api/v1/work/writing/submit/",
}


def rows_of(route: str) -> list[str]:
    return [letters for letters, _, routes in ROWS for pattern in routes if re.fullmatch(pattern, route)]


def answer_of(cookies: str, address: Address, method: str = "GET", **headers: str) -> str:
    """What a request comes to, in the letters of the table. What it wrote is taken back."""
    client = Client(raise_request_exception=False)  # a new one: some addresses sign out
    client.cookies.load(cookies)
    with transaction.atomic():
        answer = client.generic(method, address.url, b"", content_type="application/json", headers=headers)
        finish(answer)
        transaction.set_rollback(True)
    if answer.status_code == 405 and method == "GET":
        return answer_of(cookies, address, "POST", **headers)
    to_sign_in = answer.status_code == 302 and answer["Location"].startswith(("/sign-in/", "/admin/login/"))
    if answer.status_code == 401 or to_sign_in:
        return "s"
    return {403: "-", 404: "."}.get(answer.status_code, "+")


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


def test_every_address_is_in_one_row_and_every_pattern_has_an_address():
    routes = [address.route for address in addresses(sample_site())]
    assert {route: rows_of(route) for route in routes if len(rows_of(route)) != 1} == {}
    patterns = [pattern for _, _, of_row in ROWS for pattern in of_row]
    assert [one for one in patterns if not any(re.fullmatch(one, route) for route in routes)] == []


@pytest.mark.parametrize("role", ROLES)
def test_who_opens_what_in_a_browser(role):
    site = sample_site()
    client = Client()
    if role in (people := people_of(site)):
        client.force_login(people[role])
    cookies = client.cookies.output(header="", sep=";")
    wrong = {}
    for address in addresses(site):
        # The dashboard asks for the role alone: one annotator stands for all.
        if address.route.startswith("admin/") and role in ("excluded", "elsewhere"):
            continue
        wanted = rows_of(address.route)[0][ROLES.index(role)]
        if (got := answer_of(cookies, address)) != wanted:
            wrong[address.route] = f"{wanted} expected, {got} came"
    assert not wrong


def is_beyond(scope: str, route: str, letter: str) -> bool:
    """Whether the owner may and the token may not."""
    if scope == "work":
        return not route.startswith("api/v1/work/")
    return scope == "read" and letter == "+" and route in WRITES


@pytest.mark.parametrize("role", ["annotator", "researcher"])
def test_what_a_token_opens(role):
    """A token is for REST alone, reads or works where its scope says so, and opens nothing that its owner may not."""
    site = sample_site()
    user = people_of(site)[role]
    tokens = {
        scope: create_api_token(user=user, name=scope, scope=scope) for scope in ("read", "work", "all")
    }
    wrong = {}
    for address in addresses(site):
        if address.route.startswith("admin/") or address.route == "api/v1/token/":
            continue
        letters = rows_of(address.route)[0]
        for scope, token in tokens.items():
            wanted = letters[ROLES.index(role)]
            if not address.route.startswith("api/v1/"):
                if scope != "all":
                    continue
                wanted = letters[0]
            elif is_beyond(scope, address.route, wanted):
                wanted = "-"
            if (got := answer_of("", address, authorization=f"Token {token}")) != wanted:
                wrong[address.route, scope] = f"{wanted} expected, {got} came"
    assert not wrong
