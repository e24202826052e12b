"""What holds at every address of the site."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from collection.joining.visits import tasks_done
from collection.models import Premise, PromptVersion, Visit, WritingAssignment
from collection.premises.writing_seats import make_seats
from collection.writing.prompts import read_prompt
from tests.addresses import Address, Site, addresses, finish, sample_site, writes
from validation.labelling.instructions import read_instructions
from validation.models import Assignment
from validation.statistics import cached

pytestmark = pytest.mark.django_db

# The two working pages: opening one hands out work.
HAND_OUT = {"writing", "labelling"}
AHEAD = ({"Sec-Purpose": "prefetch;prerender"}, {"Purpose": "prefetch"}, {"X-Moz": "prefetch"})


@pytest.fixture
def site() -> Site:
    """With work for the annotator, who has read what is to be read before it is handed out, and whose visit is done."""
    site = sample_site()
    read_prompt(annotator=site.people["annotator"], version=PromptVersion.objects.get(), answers={})
    read_instructions(question=site.corpus.questions.get(), annotator=site.people["annotator"], answers={})
    Premise.objects.filter(corpus=site.corpus).update(status="open")
    make_seats(premises=Premise.objects.filter(corpus=site.corpus, seats=None))
    WritingAssignment.objects.update(outcome="submitted")
    assert tasks_done(Visit.objects.get()) == 1  # enough: the visit's page shows the code
    return site


def wrote(client: Client, address: Address, method: str, headers: dict[str, str]) -> list[str]:
    """The statements that wrote. No address may answer with a server error, either."""
    with CaptureQueriesContext(connection) as asked:
        answer = client.generic(method, address.url, headers=headers)
        finish(answer)
    assert answer.status_code < 500 or headers, f"{method} {address.url}: {answer.status_code}"
    return writes(asked)


ROLES = ["visitor", "stranger", "annotator", "researcher", "administrator"]


@pytest.mark.parametrize(("role", "large"), [*((role, False) for role in ROLES), ("researcher", True)])
def test_looking_at_an_address_writes_nothing(site, role, large, monkeypatch):
    """Nor where a corpus is too large for statistics during a request, and no worker has computed them yet."""
    if large:
        monkeypatch.setattr(cached, "MOST_SEATS_IN_REQUEST", 0)
        monkeypatch.setattr(cached, "MOST_SEATS_ON_DASHBOARD", 0)
    client = Client()
    if role != "visitor":
        client.force_login(site.people[role])
    found = {}
    for address in addresses(site):
        for method in ("HEAD", "GET"):
            if method == "GET" and address.name in HAND_OUT:
                continue
            if statements := wrote(client, address, method, {}):
                found[method, address.url] = statements
    assert not found


def test_opening_a_working_page_hands_out_work_and_fetching_it_ahead_does_not(site):
    client = Client()
    client.force_login(site.people["annotator"])
    pages = [address for address in addresses(site) if address.name in HAND_OUT]
    assert len(pages) == 3
    for page in pages:
        for headers in AHEAD:
            assert not wrote(client, page, "GET", headers)
    assert not Assignment.objects.exists()
    opened = {page.name: wrote(client, page, "GET", {}) for page in pages[:2]}
    assert all(opened.values()), "nothing was handed out: the walk above would prove nothing"
