"""The frame around researchers' pages: sections, breadcrumbs, the switcher of corpora."""

import re
import time
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.sign_in import middleware
from collection.models import Corpus, Pair
from modeling.models import Evaluation
from tests.addresses import sample_site
from tests.corpora import make_corpus, make_pair, make_premise
from tests.made_once import made_once
from tests.modeling.material import done_run, small_snapshot
from tests.validation.votes import vote
from validation.pairs.adjudication import adjudicate
from validation.statistics import cached

pytestmark = pytest.mark.django_db
site = made_once(sample_site)

CURRENT = re.compile(r'<a href="([^"]+)" aria-current="(page|true)">([^<]+)</a>')


@pytest.fixture
def page_of(browser_of, rosa):
    client = browser_of(rosa)
    return lambda address: client.get(address).content.decode()


@pytest.mark.parametrize(
    ("address", "section", "current"),
    [
        ("/c/{slug}/", "Overview", "page"),
        ("/corpora/{slug}/agreement/", "Agreement", "page"),
        ("/corpora/{slug}/pool/", "Annotators", "true"),
        ("/snapshots/?corpus={slug}", "Snapshots", "page"),
        ("/snapshots/{snapshot}/", "Snapshots", "true"),
        ("/snapshots/{snapshot}/statistics/", "Snapshots", "true"),
        ("/runs/?corpus={slug}", "Runs", "page"),
        ("/runs/new/{snapshot}/", "Runs", "true"),
        ("/corpora/{slug}/open/", "Labelling", "true"),
        ("/c/{slug}/labelling/", "Labelling", "page"),
    ],
)
def test_a_page_marks_its_section_and_leads_back_to_its_corpus(site, page_of, address, section, current):
    page = page_of(address.format(slug=site.corpus.slug, snapshot=site.snapshot.pk))
    found = {title: value for _, value, title in CURRENT.findall(page.split('class="way"')[0])}
    assert found == {section: current}
    assert reverse("corpus-overview", args=[site.corpus.slug]) in page


def test_a_page_about_no_corpus_has_no_sections(page_of):
    make_corpus()
    for address in ("/admin/", "/snapshots/", "/runs/", "/imports/", "/mine/"):
        page = page_of(address)
        assert 'class="workspace"' in page, address
        assert 'class="sections"' not in page, address


def test_the_switcher_stays_in_the_section_where_the_other_corpus_has_it(page_of):
    make_corpus(slug="first")
    make_corpus(slug="second")
    Corpus.objects.create(slug="bare", name="Bare")
    page = page_of("/corpora/first/pool/")
    assert '<a href="/corpora/second/annotators/">' in page
    assert '<a href="/c/bare/">' in page  # without a question, nobody labels


def test_the_address_of_a_corpus_without_its_pages_leads_to_its_overview(browser_of, rosa):
    make_corpus(slug="first")
    assert browser_of(rosa).get("/corpora/first/")["Location"] == "/c/first/"


def test_annotators_see_no_workspace(browser_of, ana):
    make_corpus(slug="first")
    client = browser_of(ana)
    assert client.get("/c/first/").status_code == 403
    assert b'class="workspace"' not in client.get("/mine/").content


def test_a_page_that_asks_for_itself_keeps_nobody_signed_in(browser_of, rosa, settings, monkeypatch):
    client, start = browser_of(rosa), time.time()
    poll = {"Quintet-Poll": "true"}
    monkeypatch.setattr(middleware.time, "time", lambda: start + 300)
    assert middleware.SEEN_COOKIE not in client.get("/attention/", headers=poll).cookies
    assert middleware.SEEN_COOKIE in client.get("/attention/").cookies
    late = start + 300 + settings.RESEARCHER_IDLE_SECONDS + 60
    monkeypatch.setattr(middleware.time, "time", lambda: late)
    assert client.get("/attention/", headers=poll).status_code == 286  # htmx stops asking, and the page stays
    assert client.get("/attention/")["Location"].startswith("/sign-in/")


def test_the_overview_of_a_large_corpus_is_counted_again_when_pairs_came(monkeypatch, browser_of, rosa, ana):
    corpus = make_corpus()
    premise = make_premise(corpus, "A line.")
    make_pair(corpus, premise, "It is one.", author=ana, author_label="neutral")
    monkeypatch.setattr(cached, "MOST_SEATS_ON_DASHBOARD", 0)
    question, now = corpus.questions.get(), timezone.now()
    client = browser_of(rosa)
    assert "a worker counts it in the background" in client.get("/c/small/").content.decode()
    assert cached.stale_overviews(now) == [question]
    row = cached.request_statistics(question=question, kind=cached.Kind.OVERVIEW)
    cached.carry_out(statistics_id=row.pk)
    assert client.get("/c/small/").context["counts"].pairs == 1
    later = now + timedelta(minutes=20)
    assert cached.stale_overviews(later) == []
    made = make_pair(corpus, premise, "It is two.", author=ana, author_label="neutral")
    Pair.objects.filter(pk=made.pk).update(created_at=now + timedelta(minutes=2))
    assert cached.stale_overviews(now + timedelta(minutes=5)) == []  # counted less than ten minutes ago
    assert cached.stale_overviews(later) == [question]


def test_the_overview_shows_dev_accuracy_where_a_snapshot_has_no_test(page_of):
    run = done_run(small_snapshot(), "majority", accuracy=0.4321)
    Evaluation.objects.filter(run=run).exclude(partition="dev").delete()
    assert "43.2%" in page_of(f"/c/{run.snapshot.corpus.slug}/")


def test_the_stages_count_what_their_lists_show(browser_of, rosa):
    """A researcher's decision gives a gold label to a disputed pair; its votes stay as they are."""
    corpus = make_corpus()
    question = corpus.questions.get()
    question.gold_rule = "adjudicated"
    question.save()
    for name, letters in (("agreed", "eeeee"), ("shared", "eeecc"), ("decided", "eennc"), ("open", "eee..")):
        pair = make_pair(corpus, make_premise(corpus, f"A line: {name}."), "So.", public_id=name)
        vote(pair, question, letters)
    decided = Pair.objects.get(public_id="decided")
    adjudicate(question=question, pair=decided, label="neutral", reason="So it is.", by=rosa)
    client = browser_of(rosa)
    counts = client.get("/c/small/").context["counts"]
    assert (counts.complete, counts.gold, counts.disputed) == (3, 2, 2)
    for votes, number in (("complete", counts.complete), ("disputed", counts.disputed)):
        assert len(client.get(f"/corpora/small/pairs/?votes={votes}").context["pairs"]) == number
    decided.withdrawn_at, decided.withdrawn_because = timezone.now(), "set aside by a researcher"
    decided.save()
    assert client.get("/c/small/").context["counts"].complete == 2
