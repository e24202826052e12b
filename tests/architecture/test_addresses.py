"""Rules that hold at every address of the site."""

import re
from dataclasses import replace
from html import unescape
from typing import Any, ClassVar

import pytest
from django.core.handlers.wsgi import WSGIRequest
from django.db import connection
from django.http import QueryDict
from django.test import Client
from django.test.utils import CaptureQueriesContext

from collection.joining.visits import tasks_done
from collection.models import Premise, PromptVersion, Visit, WritingAssignment
from collection.premises.writing_seats import make_seats
from collection.writing.prompts import read_prompt
from tests.addresses import Address, Site, addresses, finish, sample_site, writes
from tests.cast import signed_in
from tests.counts import usual_by
from tests.made_once import made_once
from validation.labelling.instructions import read_instructions
from validation.models import Assignment, CachedStatistics
from validation.statistics import cached

pytestmark = pytest.mark.django_db

# The working pages: opening one claims work.
HAND_OUT = {"writing", "labelling", "review-next"}
AHEAD = ({"Sec-Purpose": "prefetch;prerender"}, {"Purpose": "prefetch"}, {"X-Moz": "prefetch"})


@made_once
def site() -> Site:
    """Makes a site with work for the annotator, who has read all instructions and finished a visit."""
    site = sample_site()
    read_prompt(annotator=site.people["annotator"], version=PromptVersion.objects.get(), answers={})
    read_instructions(question=site.corpus.questions.get(), annotator=site.people["annotator"], answers={})
    Premise.objects.filter(corpus=site.corpus).update(status="open")
    make_seats(premises=Premise.objects.filter(corpus=site.corpus, seats=None))
    WritingAssignment.objects.update(outcome="submitted")
    assert tasks_done(Visit.objects.get()) == 1  # enough for the visit's page to show the code
    return site


def wrote(client: Client, address: Address, method: str, headers: dict[str, str]) -> list[str]:
    """Returns the statements that wrote. Fails for a server error, too."""
    with CaptureQueriesContext(connection) as asked:
        answer = client.generic(method, address.url, headers=headers)
        finish(answer)
    assert answer.status_code < 500 or headers, f"{method} {address.url}: {answer.status_code}"
    return writes(asked)


# Values for what a page reads of its query. A page that reads another key fails until it has some here.
VALUES = {
    "arm": "fiction",
    **dict.fromkeys(
        [
            "after",
            "alone",
            "first",
            "second",
            "run",
            "runs",
            "before",
            "cursor",
            "page",
            "page_size",
            "place",
            "seed",
            "version",
        ],
        ("1",),
    ),
    **dict.fromkeys(
        ["labels", "longest", "minutes", "percent", "shortest", "tasks_wanted", "votes", "floor"], ("3",)
    ),
    "archived": ("1", ""),
    "to": ("scenes", "x"),
    "work": ("labelling", "x"),
    "begin": ("c/small", "captions", "x"),
    "slug": ("x",),
    "name": ("x",),
    "set": ("x",),
    "size": ("25", "x"),
    **dict.fromkeys(["agreement", "doubt"], ("80",)),
    "days": ("30", "all", "x"),
    **dict.fromkeys(
        [
            "author",
            "changed",
            "confirmed",
            "writer",
            "document",
            "file",
            "licence",
            "group",
            "premise",
            "source",
            "text",
        ],
        ("a",),
    ),
    **dict.fromkeys(["label", "author_label", "gold"], ("neutral", "-")),
    "as": ("csv", "charts"),
    "baseline": ("cbow",),
    **dict.fromkeys(["regime", "state", "flag", "role"], ("x", "too fast", "paused")),
    "seeds": ("together",),
    "across": ("week", "genre"),
    "week": ("2026-11-09", "x"),
    "by": ("genre", "author", "nothing"),
    "chart": ("1",),
    "column": ("test",),
    "confirm": ("token",),
    "corpus": ("small",),
    "end": ("finished",),
    "format": ("json",),
    "genre": ("fiction",),
    "how": ("snli",),
    "key": ("property",),
    "lang": ("de",),
    "language": ("de", "no tag"),
    "next": ("/",),
    "of": ("chart",),
    "order": ("newest", "length", "random"),
    "part": ("models", "annotators"),
    "partition": ("dev",),
    "preset": ("paper",),
    "prompt": ("plain",),
    "q": ("dog", "main"),
    "question": ("main",),
    "region": ("hard", "easy"),
    "runs": ("1",),
    "script": ("1",),
    "show": ("answered",),
    "skipped": ("yes",),
    "snapshot": ("small@1",),
    "sort": ("agreement",),
    "split": ("8:1:1",),
    "status": ("open",),
    "step": ("began",),
    "until": ("2026-01-01",),
    "with": ("1",),
    "writing": ("open",),
}
# What a page reads as a whole.
WHOLE = {"enter/<str:token>/": "PROLIFIC_PID=p-9&STUDY_ID=s-9&SESSION_ID=x-9"}
LINK = re.compile(r'(?:href|hx-get)="\?([^"#]+)')


class Query(QueryDict):
    """A query that records which keys a page asks of it."""

    asked: ClassVar[set[str]] = set()

    def __getitem__(self, key: str) -> Any:
        self.asked.add(key)
        return super().__getitem__(key)

    def __contains__(self, key: object) -> bool:
        self.asked.add(str(key))
        return super().__contains__(key)

    def get(self, key: str, default: Any = None) -> Any:
        self.asked.add(key)
        return super().get(key, default)

    def getlist(self, key: str, default: Any = None) -> Any:
        self.asked.add(key)
        return super().getlist(key, default)


def queries_of(
    client: Client, address: Address, monkeypatch: pytest.MonkeyPatch
) -> tuple[set[str], set[str], list[str]]:
    """Looks at an address. Returns queries to it, from its links and VALUES, the keys that VALUES lacks, and what wrote."""
    Query.asked = set()
    made = property(lambda request: Query(request.META.get("QUERY_STRING", "")))
    with monkeypatch.context() as patch, CaptureQueriesContext(connection) as asked:
        patch.setattr(WSGIRequest, "GET", made)
        answer = client.get(address.url)
        finish(answer)
    assert answer.status_code < 500, f"{address.url}: {answer.status_code}"
    links = set() if answer.streaming else {unescape(link) for link in LINK.findall(answer.text)}
    alone = {f"{key}={value}" for key in Query.asked for value in VALUES.get(key, ())}
    whole = {WHOLE[address.route]} if address.route in WHOLE else set()
    return links | alone | whole, Query.asked - VALUES.keys(), writes(asked)


@pytest.mark.parametrize(
    ("role", "large"),
    [
        ("annotator", False),
        *(
            pytest.param(*each, marks=pytest.mark.thorough)
            for each in (("visitor", False), ("researcher", False), ("researcher", True))
        ),
    ],
)
def test_looking_writes_nothing(site, role, large, monkeypatch):
    """At each address, then with each key that its page reads, and its own links.

    Large: a worker has computed the statistics.
    """
    if large:
        monkeypatch.setattr(cached, "MOST_SEATS_IN_REQUEST", 0)
        monkeypatch.setattr(cached, "MOST_SEATS_ON_DASHBOARD", 0)
        for kind in cached.COMPUTE:
            question = site.corpus.questions.get()
            row = cached.request_statistics(question=question, kind=kind, by=usual_by(kind))
            cached.carry_out(row.pk)
        assert CachedStatistics.objects.exclude(content="").count() > 3
    client = Client()
    if role != "visitor":
        client.force_login(site.people[role])
    found: dict[str, Any] = {}
    unknown: dict[str, str] = {}
    tried = 0
    for address in addresses(site):
        if address.name in HAND_OUT:
            continue
        queries, without, statements = queries_of(client, address, monkeypatch)
        if statements:
            found[address.url] = statements
        if address.route.startswith("admin/"):
            continue  # the queries of lists of records have a test of their own
        unknown |= dict.fromkeys(without, address.url)
        tried += len(queries)
        for query in sorted(queries):
            url = f"{address.url}{'&' if '?' in address.url else '?'}{query}"
            if statements := wrote(client, replace(address, url=url), "GET", {}):
                found[url] = statements
    assert not found
    assert role != "researcher" or tried > 100
    assert not unknown, f"give these keys values in VALUES: {unknown}"


# Search, order, next page, and all rows: what every list of records reads. Filters are among its links.
OF_LISTS = {"q=a", "o=-1", "p=1", "all=", "_popup=1"}


@pytest.mark.thorough
def test_searching_and_filtering_a_list_of_records_writes_nothing(site):
    """The first link of each filter, all in one request; and each link and each key by itself."""
    client = signed_in(site.people["administrator"])
    lists = [address for address in addresses(site) if address.name.endswith("_changelist")]
    found, filtered = {}, set()
    for address in lists:
        answer = client.get(address.url)
        assert answer.status_code == 200, address.url
        links = {unescape(link) for link in LINK.findall(answer.text)} - {""}
        of_filters = {
            link for link in links if "=" in link and link.partition("=")[0] not in ("o", "p", "all")
        }
        filtered |= {address.url} if of_filters else set()
        first = {link.partition("=")[0]: link for link in sorted(of_filters)}.values()
        for query in sorted(OF_LISTS | links | {"&".join(sorted(first))}):
            url = f"{address.url}?{query}"
            if statements := wrote(client, replace(address, url=url), "GET", {}):
                found[url] = statements
    assert not found
    assert len(lists) > 20
    assert len(filtered) > 10


# By GET, the test above lets these look, too.
MORE = [
    *((role, False, "GET") for role in ("stranger", "administrator")),
    # Django answers HEAD by the code of GET; the pages that hand out work are the annotator's.
    *((role, False, "HEAD") for role in ("annotator", "researcher")),
    ("researcher", True, "GET"),
]


@pytest.mark.thorough
@pytest.mark.parametrize(("role", "large", "method"), MORE)
def test_looking_as_others_or_by_head_writes_nothing(site, role, large, method, monkeypatch):
    """Also tries a corpus that is too large for statistics during a request, before a worker has computed them."""
    if large:
        monkeypatch.setattr(cached, "MOST_SEATS_IN_REQUEST", 0)
        monkeypatch.setattr(cached, "MOST_SEATS_ON_DASHBOARD", 0)
    client = Client()
    if role != "visitor":
        client.force_login(site.people[role])
    found = {}
    for address in addresses(site):
        if method == "GET" and address.name in HAND_OUT:
            continue
        if statements := wrote(client, address, method, {}):
            found[address.url] = statements
    assert not found


@pytest.mark.thorough
@pytest.mark.parametrize("role", ["annotator", "researcher"])
def test_parts_that_an_open_page_asks_for_write_nothing(site, role):
    client = signed_in(site.people[role])
    headers = {"HX-Request": "true", "Quintet-Poll": "1"}
    found = {
        address.url: statements
        for address in addresses(site)
        if address.name not in HAND_OUT and (statements := wrote(client, address, "GET", headers))
    }
    assert not found


def test_opening_a_working_page_hands_out_work_and_fetching_it_ahead_does_not(site):
    client = signed_in(site.people["annotator"])
    pages = [address for address in addresses(site) if address.name in HAND_OUT]
    assert len(pages) == len(HAND_OUT) + 1  # labelling has two addresses
    for page in pages:
        for headers in AHEAD:
            assert not wrote(client, page, "GET", headers)
    assert not Assignment.objects.filter(closed_at=None).exists()
    opened = {page.name: wrote(client, page, "GET", {}) for page in pages[:2]}
    assert all(opened.values()), "nothing was handed out: the walk above would prove nothing"
