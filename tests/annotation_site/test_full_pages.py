"""Every page of a full site, as `python -m bench pages` measures them: none writes, queries do not grow."""

import pytest

from modeling.models import TrainingRun
from tests.addresses import addresses, sample_site
from tests.full_corpus import PEOPLE, RUNS, FullCorpus
from tests.full_pages import NO_PAGES, STATES, measured, pages
from tests.query_counts import compare
from validation.models import Label

pytestmark = pytest.mark.django_db

FEW = 240  # pairs
# A page of these claims work when it is opened, and has more to say the more there is in hand.
CLAIMING = ("work/validation/", "work/writing/", "c/<slug:slug>/reviews/next/")


def test_every_route_is_measured_or_named_as_no_page():
    routes = {address.route for address in addresses(sample_site())}
    assert set(STATES) <= routes
    measured_ones = {route for route in routes if not NO_PAGES.fullmatch(route)}
    for route in ("admin/", "c/<slug:slug>/", "runs/", "start/", "corpora/<slug:slug>/pairs/"):
        assert route in measured_ones


@pytest.mark.thorough
def test_pages_of_a_full_site_write_nothing_and_ask_as_many_queries_of_twice_the_pairs_runs_and_snapshots():
    corpus = FullCorpus()
    corpus.add_pairs(FEW)
    corpus.freeze_and_train()
    corpus.count_statistics()
    assert TrainingRun.objects.filter(status="done").count() >= RUNS
    cast = Label.objects.filter(question=corpus.question, origin="cast", label__isnull=False)
    assert cast.order_by().values("annotator").distinct().count() >= PEOPLE
    before = measured(corpus, times=0)
    assert {page.name for page in pages(corpus)} >= before.keys()
    corpus.add_pairs(FEW)
    corpus.freeze_and_train()
    corpus.count_statistics()
    after = measured(corpus, times=0)
    assert before.keys() == after.keys()
    assert {
        name: found.written
        for name, found in after.items()
        if found.written and not name.startswith(CLAIMING)
    } == {}
    assert {
        name: (before[name].queries, found.queries)
        for name, found in after.items()
        if before[name].queries != found.queries
    } == {}
    compare({f"full, {name}": found.queries for name, found in after.items()}, all_of="full, ")
