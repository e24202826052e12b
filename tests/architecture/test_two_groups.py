"""Two groups on one installation: no address of one shows anything of the other's.

Which addresses that name something of a corpus are closed is in who_may_open.py. Here are the lists, what counts over all
corpora, and the names and numbers in queries and bodies.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from accounts.sign_in.tokens import create_api_token
from annotation_site.intake.corpus_text import beginning, begun
from collection.members.actions import give_role
from collection.models import CorpusMember, PairImportJob
from modeling.models import TrainingRun
from snapshots.models import Snapshot
from tests.addresses import Site, addresses, sample_site
from tests.architecture.who_may_open import NAMED, letter_of
from tests.cast import person, several_groups, signed_in
from tests.corpora import pay
from tests.made_once import made_once
from tests.modeling.material import done_run
from tests.snapshots.material import corpus_of, freeze

pytestmark = pytest.mark.django_db


def two_groups() -> dict[str, Any]:
    """Makes the sample site, whose group is Rosa's, and Ravi's corpus "other" with a snapshot and a run."""
    site = sample_site()
    nora = person("nora")
    pay(nora, cents=7, key="labels:nora", corpus=site.corpus)
    PairImportJob.objects.create(
        by=site.people["researcher"],
        corpus_slug="unmade",
        files=["b.jsonl"],
        options={},
        status="failed",
        error="No.",
    )
    with several_groups():
        other = corpus_of(3, slug="other", dev=1, test=1)
        ravi = person("ravi", role="researcher")
    give_role(corpus=other, user=ravi, role="owner", by=None)
    snapshot = freeze(other)
    run = done_run(snapshot, "majority")
    theirs = TrainingRun.objects.get(snapshot=site.snapshot)
    return {
        "site": site,
        "nora": nora,
        "ravi": ravi,
        "other": other,
        "snapshot": snapshot,
        "run": run,
        "theirs": theirs,
    }


groups = made_once(two_groups)


def secrets_of(groups: dict[str, Any]) -> list[str]:
    """What pages about the sample site say of it, and nothing else."""
    site: Site = groups["site"]
    return [
        *(
            "The small corpus",
            "small@1",
            "c/small/",
            "corpora/small/",
            "corpus=small",
            f"runs/{groups['theirs'].pk}/",
        ),
        *(f"snapshots/{site.snapshot.pk}/", f"run {groups['theirs'].pk}:", "unmade", "b.jsonl"),
        *("A line that nobody has labelled.", "It is cut off.", "first wave", "nina@example.org"),
        *("stories.txt", "Please mend this.", "Careful readers", "Before you begin", groups["nora"].code),
    ]


def lists(groups: dict[str, Any]) -> Iterator[str]:
    """The addresses that name nothing, and those that name a corpus, a snapshot or a run, about Ravi's own."""
    site: Site = groups["site"]
    values = {"slug": "other", "corpus": "other", "snapshot_id": groups["snapshot"].pk}
    places = {start: {**given} for start, given in site.places.items()}
    places[""] |= values
    for start, given in places.items():
        if "pk" in given:
            given["pk"] = groups["run"].pk if "runs/" in start else groups["snapshot"].pk
    own = replace(site, places=places, queries={})
    for address in addresses(own):
        is_named = any(re.fullmatch(one, address.route) for one in NAMED)
        is_of_people = "<" in address.route and not is_named
        is_record = address.route.startswith("admin/") and "<" in address.route
        if not is_of_people and not is_record and letter_of(address.route, "GET", "researcher") == "+":
            yield address.url


def said_in(answer: Any) -> str:
    text = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return f"{answer.headers} {text.decode(errors='replace')}"


def test_no_list_of_one_group_shows_anything_of_the_other(groups):
    browser, told, opened = signed_in(groups["ravi"]), {}, 0
    for url in lists(groups):
        for form in (url, f"{url}{'&' if '?' in url else '?'}as=csv"):
            answer = browser.get(form)
            opened += answer.status_code == 200
            said = said_in(answer)
            if found := [one for one in secrets_of(groups) if one in said]:
                told[form] = found
    assert told == {}
    assert opened > 150


def test_the_same_lists_show_it_to_its_own_group(groups):
    """So the walk above can fail: each thing that it looks for stands on a list of Rosa's."""
    browser = signed_in(groups["site"].people["researcher"])
    pages = [
        *(
            "/admin/",
            "/snapshots/",
            "/runs/",
            "/imports/",
            "/api/v1/snapshots/",
            "/admin/accounts/user/",
            "/c/small/links/",
        ),
        *(
            "/admin/collection/premise/",
            "/admin/collection/problemreport/",
            "/admin/collection/source/",
            "/c/small/",
        ),
        *(
            "/c/small/invitations/",
            "/admin/accounts/qualification/",
            "/admin/accounts/consentform/",
            "/attention/",
        ),
    ]
    said = " ".join(said_in(browser.get(page)) for page in pages)
    missing = [one for one in secrets_of(groups) if one not in said]
    assert set(missing) <= {
        "Please mend this.",
        "run 0:",
        f"run {groups['theirs'].pk}:",
        "corpus=small",
        "unmade",
        "b.jsonl",
    }


NAMES = [
    "/runs/curves/?run={theirs}",
    "/runs/curves/?run={own}&run={theirs}",
    "/api/v1/runs/{own}/predictions/?with={theirs}",
    "/api/v1/runs/{own}/predictions/?on=small@1",
    "/runs/{own}/predictions/dev/?with={theirs}",
    "/runs/{own}/predictions/dev/?on=small@1",
    "/api/v1/snapshots/{snapshot}/tables/missed/?with=small@1",
    "/api/v1/snapshots/{snapshot}/leaks/?with=small@1",
    "/snapshots/{snapshot}/result-tables/?with=small@1",
    "/snapshots/{snapshot}/tables/missed/?with=small@1",
    "/api/v1/runs/{own}/figures/epochs?beside={theirs}",
    "/runs/new/{snapshot}/?start={theirs}",
    "/runs/?corpus=small",
    "/snapshots/?corpus=small",
    "/imports/?corpus=small",
    "/imports/new/?corpus=small",
    "/imports/send/?corpus=small",
    "/new-corpus/?begin=c/small",
    "/search/?q=small@1",
    "/search/?q={nora}",
    "/search/?q=nora",
    "/search/?q=line that nobody",
    "/search/?q={theirs}",
    "/search/?q=line&corpus=small",
    "/corpora/other/pool/{nora}/",
    "/admin/accounts/user/?q={nora}",
    "/admin/collection/pair/?corpus__id__exact={corpus}",
]


@pytest.mark.parametrize("asked", NAMES)
def test_a_name_in_a_query_shows_nothing_of_another_group(groups, asked):
    values = {
        "theirs": groups["theirs"].pk,
        "own": groups["run"].pk,
        "snapshot": groups["snapshot"].pk,
        "nora": groups["nora"].code,
        "corpus": groups["site"].corpus.pk,
    }
    answer = signed_in(groups["ravi"]).get(asked.format(**values))
    assert answer.status_code < 500
    said = said_in(answer)
    echoed = [
        value for value in ("small@1", groups["nora"].code, "corpus=small") if value in asked.format(**values)
    ]
    # A name that is not found is told back to who asked for it.
    assert [one for one in secrets_of(groups) if one in said and one not in echoed] == []
    assert "The small corpus" not in said


def sent(client: Client, url: str, body: dict[str, Any]) -> Any:
    return client.post(url, body, content_type="application/json")


def test_a_body_names_nothing_of_another_group(groups):
    ravi = signed_in(groups["ravi"])
    assert sent(ravi, "/api/v1/runs/", {"snapshot": "small@1", "baseline": "majority"}).status_code == 422
    mixed = {"snapshot": "other@1", "baseline": "cbow", "regime": {"mixed": [{"snapshot": "small@1"}]}}
    assert sent(ravi, "/api/v1/runs/", mixed).status_code == 422
    start = {
        "snapshot": "other@1",
        "baseline": "majority",
        "regime": {"start": {"run": groups["theirs"].pk, "how": "update"}},
    }
    assert sent(ravi, "/api/v1/runs/", start).status_code == 422
    assert sent(ravi, "/api/v1/snapshots/", {"corpus": "small"}).status_code == 422
    assert TrainingRun.objects.count() == 2
    assert Snapshot.objects.count() == 2


def test_nobody_overwrites_a_corpus_of_another_group_by_its_file(groups):
    text = begun(beginning("captions") or "", slug="small", name="Mine now")
    page = signed_in(groups["ravi"]).post("/new-corpus/", {"text": text, "do": "look"}).content.decode()
    assert "There is a corpus small already, which you may not change." in page
    assert "The small corpus" not in page


def test_nobody_imports_into_a_corpus_of_another_group(groups):
    ravi = signed_in(groups["ravi"])
    folder = settings.INCOMING_ROOT
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "a.jsonl").write_text('{"premise": "A.", "hypothesis": "B.", "gold_label": "neutral"}\n')
    answer = ravi.post(
        "/imports/new/", {"file": "a.jsonl", "corpus": "small", "how": "jsonl", "do": "import"}
    )
    assert answer.status_code == 422
    assert "There is a corpus small already, which you may not change." in answer.content.decode()


def test_a_file_that_one_group_sent_is_not_offered_to_the_other(groups):
    rosa, ravi = signed_in(groups["site"].people["researcher"]), signed_in(groups["ravi"])
    rosa.post("/imports/send/", {"name": "secret.jsonl", "text": '{"premise": "A.", "hypothesis": "B."}'})
    (name,) = [
        path.relative_to(settings.INCOMING_ROOT) for path in settings.INCOMING_ROOT.rglob("secret.jsonl")
    ]
    asked = f"/imports/new/?file={name}"
    assert "secret.jsonl" in rosa.get("/imports/").content.decode()
    assert rosa.get(asked).status_code == 200
    assert "secret.jsonl" not in ravi.get("/imports/").content.decode()
    assert "is not among the files that were sent" in ravi.get(asked).content.decode()


def test_who_makes_a_corpus_owns_it_and_nobody_else_sees_it(groups):
    ravi = signed_in(groups["ravi"])
    text = begun(beginning("captions") or "", slug="fresh", name="Fresh")
    with several_groups():
        look = ravi.post("/new-corpus/", {"text": text, "do": "look"})
        seen = look.context["look"].seen
        assert ravi.post("/new-corpus/", {"text": text, "do": "load", "seen": seen}).status_code == 302
    assert CorpusMember.objects.get(corpus__slug="fresh").user == groups["ravi"]
    assert signed_in(groups["site"].people["researcher"]).get("/c/fresh/").status_code == 404
    assert signed_in(groups["site"].people["administrator"]).get("/c/fresh/").status_code == 200


def test_a_token_that_is_bound_opens_its_corpus_alone(groups):
    for user, corpus, foreign in (
        (groups["ravi"], "other", "small"),
        (groups["site"].people["administrator"], "small", "other"),
    ):
        token = create_api_token(user=user, name="bound", corpus=corpus)
        client = Client(headers={"authorization": f"Token {token}"})
        assert [each["slug"] for each in client.get("/api/v1/corpora/").json()["results"]] == [corpus]
        assert client.get(f"/api/v1/corpora/{corpus}/pairs/").status_code == 200
        assert client.get(f"/api/v1/corpora/{foreign}/pairs/").status_code == 404
        snapshots = client.get("/api/v1/snapshots/").json()["results"]
        assert {each["corpus"] for each in snapshots} == {corpus}
        hidden = Snapshot.objects.get(corpus__slug=foreign)
        assert client.get(f"/api/v1/snapshots/{hidden.pk}/").status_code == 404
