"""The search box: ids, codes, numbers and names open at once, words give a list."""

import pytest
from django.db import connection

from tests.addresses import sample_site
from tests.corpora import make_corpus, make_pair, make_premise

pytestmark = pytest.mark.django_db


@pytest.fixture
def look(browser_of, rosa):
    client = browser_of(rosa)
    return lambda query: client.get("/search/", query)


def test_what_names_one_thing_opens_it(look):
    site = sample_site()
    pair = site.corpus.pairs.earliest("pk")
    slug, code = site.corpus.slug, site.people["annotator"].code
    for asked, link in (
        (pair.public_id, f"/corpora/{slug}/pairs/{pair.public_id}/"),
        (code, f"/corpora/{slug}/pool/{code}/"),
        (f"{slug}@1", f"/snapshots/{site.snapshot.pk}/"),
        (f"run {site.places['runs/']['pk']}", f"/runs/{site.places['runs/']['pk']}/"),
    ):
        assert look({"q": f" {asked} "})["Location"] == link


def test_words_find_hypotheses_first_and_then_pairs_of_premises(look, ana):
    corpus = make_corpus()
    inn = make_premise(corpus, "The old inn by the lake is closed.")
    make_pair(corpus, inn, "Nobody sleeps there.", author=ana, author_label="neutral", public_id="a")
    lake = make_premise(corpus, "A dog swims.")
    make_pair(corpus, lake, "The lake is cold.", author=ana, author_label="neutral", public_id="b")
    assert [each.name for each in look({"q": "THE LAKE is"}).context["found"]] == ["b", "a"]
    assert look({"q": "lake the"}).context["found"] == []


def test_words_of_every_script_are_found_whatever_their_case(look, ana):
    corpus = make_corpus()
    for name, text in enumerate(
        ("It costs 100% in Zürich.", "ÉTÉ comme hiver.", "Der Straßenlärm.", "犬が走る。")
    ):
        premise = make_premise(corpus, f"Premise {name}.")
        make_pair(corpus, premise, text, author=ana, author_label="neutral", public_id=f"pair-{name}")
    wanted = {"100% IN": 0, "strassen": None, "STRAß": 2, "犬が走": 3, "r_ch": None}
    if connection.vendor == "postgresql":  # SQLite folds ASCII letters alone
        wanted |= {"zürich": 0, "été": 1}
    for asked, number in wanted.items():
        found = [each.name for each in look({"q": asked}).context["found"]]
        assert found == ([] if number is None else [f"pair-{number}"]), asked


def test_the_search_stays_in_the_corpus_and_can_leave_it(look, ana):
    for slug in ("one", "two"):
        corpus = make_corpus(slug=slug)
        premise = make_premise(corpus, f"A line of {slug}.")
        make_pair(corpus, premise, "It is green.", author=ana, author_label="neutral", public_id=f"p-{slug}")
    answer = look({"q": "it is green", "corpus": "two"})
    assert [each.name for each in answer.context["found"]] == ["p-two"]
    assert "Search all corpora" in answer.content.decode()
    assert len(look({"q": "it is green"}).context["found"]) == 2


def test_nothing_and_too_little_say_so(look):
    make_corpus()
    assert "Nothing was found" in look({"q": "no such words"}).content.decode()
    assert "three letters or more" in look({"q": "zz"}).content.decode()
    assert look({}).status_code == look({"q": "run 999999999"}).status_code == 200
