"""Members of a corpus: what each role may open, the page, REST and the command of members, and what an upgrade makes."""

import importlib

import pytest
from django.apps import apps
from django.test import Client

from accounts.models import User
from annotation_site.personal_data.records import erase, everything_about
from annotation_site.workspace.sections import shell_of
from collection.members.actions import MemberRefused, give_role, remove_member
from collection.members.gate import FRONT, MEMBERS, PEOPLE
from collection.models import Corpus, CorpusMember, CorpusText
from snapshots.withholding.actions import researcher_called
from tests.addresses import addresses, sample_site
from tests.cast import person, several_groups, signed_in
from tests.commands import run
from tests.corpora import make_corpus, pay
from tests.made_once import made_once

pytestmark = pytest.mark.django_db


@pytest.fixture
def corpus() -> Corpus:
    with several_groups():
        return make_corpus()


def member(corpus: Corpus, name: str, role: str) -> User:
    with several_groups():
        user = person(name, role="researcher")
    give_role(corpus=corpus, user=user, role=role, by=None)
    return user


def opened(user: User, *paths: str) -> list[int]:
    browser = signed_in(user)
    return [browser.get(path).status_code for path in paths]


site = made_once(sample_site)


def test_the_names_in_the_table_of_roles_are_addresses(site):
    known = {address.name for address in addresses(site)}
    assert (PEOPLE | MEMBERS | FRONT) - known == set()


def test_each_role_opens_what_is_its_own(corpus):
    pages = (
        "/c/small/",
        "/corpora/small/pairs/",
        "/corpora/small/annotators/",
        "/c/small/links/",
        "/snapshots/freeze/small/plan/",
    )
    assert opened(member(corpus, "olga", "owner"), *pages) == [200] * 5
    assert opened(member(corpus, "rita", "researcher"), *pages) == [200] * 5
    assert opened(member(corpus, "mia", "manager"), *pages) == [200, 403, 200, 200, 403]
    assert opened(member(corpus, "rolf", "reader"), *pages) == [200, 200, 403, 403, 200]
    with several_groups():
        assert opened(person("otto", role="researcher"), *pages) == [404] * 5
    assert opened(person("adam", role="administrator"), *pages) == [200] * 5


def test_a_reader_changes_nothing_and_reads_why(corpus):
    rolf = signed_in(member(corpus, "rolf", "reader"))
    answer = rolf.post("/snapshots/freeze/small/", {})
    assert answer.status_code == 403
    assert "You read this corpus" in answer.content.decode()
    assert rolf.post("/c/small/settings/state/", {"do": "pause"}).status_code == 403
    assert (
        rolf.post("/api/v1/snapshots/", {"corpus": "small"}, content_type="application/json").status_code
        == 422
    )
    assert rolf.get("/imports/send/?corpus=small").status_code == 404


def test_the_records_end_where_the_role_ends(corpus):
    pay(person("nora"), cents=5, key="labels:1", corpus=corpus)
    nora = person("nora").code
    people, texts = "/admin/accounts/user/", "/admin/collection/ledgerentry/"
    mia, rolf = signed_in(member(corpus, "mia", "manager")), signed_in(member(corpus, "rolf", "reader"))
    assert nora in mia.get(people).content.decode()
    assert nora in mia.get(texts).content.decode()
    assert nora not in rolf.get(people).content.decode()
    assert nora not in rolf.get(texts).content.decode()


def test_the_frame_of_a_page_leads_only_where_the_role_reaches(corpus):
    def sections(user: User) -> set[str]:
        return {each.title for each in shell_of(user, "corpus-overview", "small").sections}

    assert {"Annotators", "Pay", "Recruiting"} <= sections(member(corpus, "mia", "manager"))
    assert not {"Pairs", "Snapshots", "Runs", "Settings"} & sections(member(corpus, "mia", "manager"))
    assert not {"Annotators", "Pay", "Recruiting"} & sections(member(corpus, "rolf", "reader"))


def test_an_owner_gives_roles_and_ends_memberships(corpus):
    olga = signed_in(member(corpus, "olga", "owner"))
    with several_groups():
        nina = person("nina", role="researcher")
    page = "/c/small/settings/members/"
    assert olga.post(page, {"do": "add", "who": "nina", "role": "reader"}).status_code == 302
    assert opened(nina, "/c/small/") == [200]
    assert olga.post(page, {"do": "role", "code": nina.code, "role": "researcher"}).status_code == 302
    row = CorpusMember.objects.get(user=nina)
    assert (row.role, row.by) == ("researcher", User.objects.get(username="olga"))
    assert signed_in(nina).get(page).status_code == 200
    assert signed_in(nina).post(page, {"do": "add", "who": "olga", "role": "reader"}).status_code == 403
    assert olga.post(page, {"do": "remove", "code": nina.code}).status_code == 302
    assert opened(nina, "/c/small/", page) == [404, 404]


@pytest.mark.parametrize(
    ("who", "said"),
    [
        ("nobody", "There is no researcher nobody here."),
        ("vera", "There is no researcher vera here."),
        ("", "This field"),
    ],
)
def test_only_researchers_become_members(corpus, vera, who, said):
    olga = signed_in(member(corpus, "olga", "owner"))
    answer = olga.post("/c/small/settings/members/", {"do": "add", "who": who, "role": "reader"})
    assert answer.status_code == 422
    assert said in answer.content.decode()
    with pytest.raises(MemberRefused, match="only researchers belong"):
        give_role(corpus=corpus, user=vera, role="reader", by=None)


def test_the_last_owner_stays(corpus):
    olga = member(corpus, "olga", "owner")
    for change in (
        lambda: remove_member(corpus=corpus, user=olga, by=olga),
        lambda: give_role(corpus=corpus, user=olga, role="reader", by=olga),
    ):
        with pytest.raises(MemberRefused, match="only owner"):
            change()
    member(corpus, "omar", "owner")
    remove_member(corpus=corpus, user=olga, by=olga)
    assert [each.user.username for each in corpus.members.all()] == ["omar"]


def test_members_over_rest(corpus, api_of):
    olga, nina = member(corpus, "olga", "owner"), member(make_corpus(slug="other"), "nina", "owner")
    client = api_of(olga)
    assert client.post("/api/v1/corpora/small/members/", {"who": "nina", "role": "reader"}).status_code == 200
    rows = client.get("/api/v1/corpora/small/members/").json()
    assert [(each["user_name"], each["role"], each["by"]) for each in rows] == [
        ("olga", "owner", None),
        ("nina", "reader", "olga"),
    ]
    assert api_of(nina).get("/api/v1/corpora/small/members/").status_code == 403
    assert client.delete(f"/api/v1/corpora/small/members/{nina.code}/").status_code == 204
    assert client.delete(f"/api/v1/corpora/small/members/{olga.code}/").status_code == 409
    assert (
        client.post("/api/v1/corpora/small/members/", {"who": "nobody", "role": "reader"}).status_code == 409
    )


def test_members_by_the_command(corpus):
    with several_groups():
        person("nina", role="researcher")
    assert "administrators alone" in run("members", "small").out
    assert "nina" in run("members", "small", "--add", "nina", "--role", "owner").out
    assert "only owner" in run("members", "small", "--remove", "nina").failure
    assert "no researcher zoe" in run("members", "small", "--add", "zoe").failure
    assert "does not belong" in run("members", "small", "--remove", "zoe").failure


def test_a_command_in_the_name_of_somebody_else_is_refused(corpus):
    with several_groups():
        person("nina", role="researcher")
    assert "nina" in run("withhold", "small", "test", "--by", "nina").failure
    assert not corpus.withholdings.exists()
    member(corpus, "olga", "owner")
    assert not run("withhold", "small", "test", "--by", "olga").failure


def test_only_members_are_named_for_withheld_labels(corpus):
    with several_groups():
        person("nina", role="researcher")
    member(corpus, "rolf", "reader")
    assert researcher_called("rolf", corpus).username == "rolf"
    with pytest.raises(Exception, match="no researcher nina"):
        researcher_called("nina", corpus)


def test_who_is_erased_belongs_to_nothing(corpus):
    nina = member(corpus, "nina", "reader")
    rows = [row for row in everything_about(nina) if row["record"] == "role in a corpus"]
    assert [(row["corpus__slug"], row["role"]) for row in rows] == [("small", "reader")]
    erase(nina)
    assert not corpus.members.exists()


def test_an_upgrade_makes_who_loaded_a_corpus_its_owner_and_locks_nobody_out(vera):
    with several_groups():
        loaded, by_command = make_corpus(), make_corpus(slug="other")
        rosa, nina = person("rosa", role="researcher"), person("nina", role="researcher")
        person("adam", role="administrator")
    CorpusText.objects.create(corpus=loaded, text="", loaded_by=rosa)
    CorpusText.objects.create(corpus=by_command, text="")
    migration = importlib.import_module("collection.migrations.0021_members")
    migration.members_of_what_exists(apps, None)
    rows = {(each.corpus.slug, each.user.username, each.role) for each in CorpusMember.objects.all()}
    assert rows == {
        ("small", "rosa", "owner"),
        ("small", "nina", "researcher"),
        ("other", "rosa", "owner"),
        ("other", "nina", "owner"),
    }
    assert nina.is_researcher


def test_a_token_is_bound_to_a_corpus_of_its_owner(corpus):
    olga = member(corpus, "olga", "owner")
    with several_groups():
        other = make_corpus(slug="other")
    member(other, "olga", "reader")
    browser = signed_in(olga)
    sent = {"name": "script", "scope": "read", "days": "30", "password": "correct horse battery staple"}
    refused = browser.post("/mine/tokens/", {**sent, "corpus": "nowhere"})
    assert refused.status_code == 422
    made = browser.post("/mine/tokens/", {**sent, "corpus": "small"})
    token = made.context["new_token"]
    client = Client(headers={"authorization": f"Token {token}"})
    assert client.get("/api/v1/corpora/small/pairs/").status_code == 200
    assert client.get("/api/v1/corpora/other/pairs/").status_code == 404
